// A matrix named on the command line: a file if it exists, else a SPEC of a family.
#pragma once

#include "models/csr.h"
#include "runtime/cli/options.h"
#include "runtime/measure/verify.h"

namespace specmv::cli {

// A matrix with its values in the type asked for. It refers to `matrix`. Warns of values that
// float cannot hold.
struct TypedMatrix {
  const CsrMatrix &matrix; // values as read
  Values values;
  CsrView view; // of matrix's pattern and values

  TypedMatrix(const CsrMatrix &given, ValueType type);
  TypedMatrix(const TypedMatrix &) = delete;
  TypedMatrix &operator=(const TypedMatrix &) = delete;
};

llvm::Expected<CsrMatrix> loadMatrix(const std::string &argument);
// Whether the argument names a file rather than a SPEC.
bool isFile(const std::string &argument);

// Machine::find, with a warning if SPECMV_CUDA_HOME names no directory that can be read.
llvm::Expected<Machine> machineOf(const MachineRequest &request);

// What run, analyze and emit start from: one matrix and the machine.
struct Task {
  Machine machine;
  CsrMatrix matrix;
};
llvm::Expected<Task> taskOf(const Options &options);
// Tells of rates that were not measured on the GPU that is planned for.
void noteRates(const Machine &machine);

Request requestOf(const Options &options, ValueType type);
// The same with the number of products that are expected, for verbs that choose one plan.
Request weighingRequestOf(const Options &options, ValueType type);

} // namespace specmv::cli
