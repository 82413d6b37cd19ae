// Checks a plan of QCSR in slices before and after the sizes of the layout are known.
#include "generator/emit.h"
#include "generator/formats/qcsr/slices/layout.h"
#include "models/base/error.h"

namespace specmv {

QcsrSliceShape qcsrSliceShapeOf(const Plan &plan) {
  return {plan.get(key::kQcsrD), plan.get(key::kQcsrRows), qcsrStages(plan),
          plan.get(key::kBlock) / kQcsrLanes, plan.get(key::kQcsrWindow)};
}

int64_t qcsrRowsPerWord(int64_t chunkRows) {
  return static_cast<int64_t>(sizeOf(qcsrRowWordType(chunkRows)) / sizeOf(qcsrRowType(chunkRows)));
}

int64_t qcsrStreamsOf(const Plan &plan, int64_t chunks, int64_t tiles) {
  // Without staging each warp of the last block has a stream.
  const int64_t owners = qcsrStages(plan) ? tiles : ceilDiv(chunks, qcsrChunksPerBlock(plan));
  return owners * (plan.get(key::kBlock) / kQcsrLanes);
}

llvm::Error checkQcsrSlicesPlan(const Plan &plan, ValueType type) {
  if (llvm::Error error = checkQcsrShared(plan, type))
    return error;
  if (qcsrStages(plan) != (plan.get(key::kQcsrWindow) > 0) ||
      plan.get(key::kQcsrWindow) > plan.get(key::kQcsrD))
    return fail(Status::notApplicable,
                "the plan's window = {2} does not fit qcsr.stage = {0} and qcsr.d = {1}: it must "
                "be 1..qcsr.d where qcsr.stage = 1, else 0",
                plan.get(key::kQcsrStage), plan.get(key::kQcsrD), plan.get(key::kQcsrWindow));
  return llvm::Error::success();
}

llvm::Error checkQcsrSlicesSize(const MatrixSize &a, const Plan &plan, const QcsrSliceCounts &n,
                                int64_t window) {
  if (const int64_t most = plan.get(key::kQcsrWindow); qcsrStages(plan) && window > most)
    return fail(
        Status::notApplicable,
        "the plan's window = {0} is less than the {1} columns that a chunk of the matrix spans",
        most, window);
  const int64_t slots = n.lines * kQcsrLanes, rows = (n.rowWords + 2) * kQcsrLanes;
  if (slots > kMaxSlots)
    return fail(Status::notApplicable, "qcsr needs {0} slots for this matrix; the limit is {1}",
                slots, kMaxSlots);
  if (llvm::Error error = checkIndexTypes(plan, a.rows, a.cols, std::max(slots, rows)))
    return error;
  llvm::Error tooNarrow = checkIndexTypes(plan, 0, qcsrColumnBound(plan, a.cols), 0);
  if (!tooNarrow)
    return llvm::Error::success();
  llvm::consumeError(std::move(tooNarrow));
  return fail(
      Status::notApplicable,
      "the plan's {0}-bit column indices are too narrow for {1} columns in tiles of qcsr.d = {2}",
      plan.get(key::kColumn), a.cols, plan.get(key::kQcsrD));
}

} // namespace specmv
