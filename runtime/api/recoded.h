// New values as a plan stores them: in its coding or plain, coded in the order of the entries, or
// packed with the arrays of the matrix, which the caller lends.
#pragma once

#include "runtime/api/setup_task.h"

namespace specmv {

struct Recoded {
  std::string whyNot = {}; // why the values do not fit the coding; the rest is then empty
  Layout layout = {};      // of the values alone: their arrays and numbers
  // The arrays, if they are not on the host.
  std::vector<std::pair<std::string, DeviceBuffer>> onGpu = {};
};

struct PlainValues {
  Layout layout;      // of the plan with plain values, without contents
  DeviceBuffer array; // of values
};

// Codes the values of products whose entries keep their order: on the GPU if they are there, else
// on the host. Waits for the stream.
llvm::Expected<Recoded> recodedInOrder(const PlanProducts &own, int64_t nnz, const void *val,
                                       StreamHandle stream, Machine &machine);
llvm::Expected<PlainValues> plainInOrder(const PlanProducts &own, int64_t nnz, const void *val,
                                         StreamHandle stream, const Machine &machine);

// A matrix with its own structure and other values, all of it in one place.
struct MatrixAnew {
  ZeroedArray<std::byte> onHost;
  DeviceBuffer onGpu;
  SourceMatrix matrix;
};
llvm::Expected<MatrixAnew> withValues(const SourceMatrix &lent, const void *val, Machine &machine);

// Codes the values of any products by packing the matrix once more. Waits for the machine's
// setupStream.
llvm::Expected<Recoded> recodedByPacking(const PlanProducts &own, const SourceMatrix &a,
                                         Machine &machine);
llvm::Expected<PlainValues> plainByPacking(const PlanProducts &own, const SourceMatrix &a,
                                           Machine &machine);

} // namespace specmv
