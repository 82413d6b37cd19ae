// New values of a plan that stores them in a coding, or plain where they do not fit.
#pragma once

#include "runtime/api/plan.h"
#include "runtime/api/setup_task.h"

namespace specmv {

// --- Recoded -------------------------------------------------------------------------------------

// New values as a plan stores them: in its coding or plain, coded in the order of the entries, or
// packed with the arrays of the matrix, which the caller lends.

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

// --- Recode --------------------------------------------------------------------------------------

// Gives new values to a plan that stores them in a coding (generator/coding/): values that fit it
// are coded anew. For others the plan becomes one with plain values, whose other arrays, format and
// numbers stay.

// Returns true if the values of these products have a coding that other values may not fit.
bool isCoded(const PlanProducts &products);

// Replaces the values of the plan's own products, which are coded. Waits for the stream. On failure
// the plan is as before, or its values are mixed.
llvm::Error recode(ApiPlan &plan, const void *val, StreamHandle stream);

// Makes the text of a plan that runs on the host say that values are plain, if these do not fit its
// coding, and logs that to the context.
void recodeOnHost(PlanProducts &own, const void *val, ContextState &context);

// Makes the plan one with these plain values, whose kernels are found or compiled. Fused steps and
// streams follow. Arrays and kernels that a graph may contain stay until the plan is destroyed.
// Later values go to the slots of the entries of `matrix`; null: entries keep their order. On
// failure the plan is as before.
llvm::Error becomePlain(ApiPlan &plan, PlainValues values, const SourceMatrix *matrix,
                        StreamHandle stream, Machine &machine);

} // namespace specmv
