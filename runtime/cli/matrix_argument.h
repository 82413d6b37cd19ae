// Finds a matrix that the command line names: a file if it exists, otherwise a SPEC of a family.
#pragma once

#include "models/csr.h"
#include "runtime/cli/options.h"
#include "runtime/measure/verify.h"

namespace specmv::cli {

// A matrix with its values converted to the requested type. It refers to `matrix`. The conversion
// warns about values that float cannot hold.
struct TypedMatrix {
  const CsrMatrix &matrix; // values as read
  Values values;
  CsrView view; // matrix's pattern with `values`

  TypedMatrix(const CsrMatrix &given, ValueType type);
  TypedMatrix(const TypedMatrix &) = delete;
  TypedMatrix &operator=(const TypedMatrix &) = delete;
};

llvm::Expected<CsrMatrix> loadMatrix(const std::string &argument);
// Returns true if the argument names a file rather than a SPEC.
bool isFile(const std::string &argument);

// Calls Machine::find, and warns if SPECMV_CUDA_HOME is not a readable directory.
llvm::Expected<Machine> machineOf(const MachineRequest &request, const std::string &verb);

// The input of run, analyze and emit: one matrix and the machine.
struct Task {
  Machine machine;
  CsrMatrix matrix;
};
llvm::Expected<Task> taskOf(const Options &options);
// Notes that rates were not measured on the GPU that is planned for, which may be this machine's.
void noteRates(const GpuModel &gpu, bool isHere);

Request requestOf(const Options &options, ValueType type);
// Adds the expected number of products; for verbs that choose one plan.
Request weighingRequestOf(const Options &options, ValueType type);

} // namespace specmv::cli
