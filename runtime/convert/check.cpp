// Checks offsets and indices of each layout.
#include "runtime/convert/check.h"

#include "models/base/error.h"
#include "runtime/convert/indices.h"

namespace specmv {

template <class I>
static llvm::Error checkOffsets(const I *offsets, int64_t lines, int64_t end, int64_t base,
                                const char *line) {
  if (offsets[0] != base)
    return fail(Status::badInput, "offsets begin with {0}, but must begin with the index base {1}",
                static_cast<int64_t>(offsets[0]), base);
  for (int64_t i = 0; i < lines; ++i)
    if (offsets[i + 1] < offsets[i])
      return fail(Status::badInput, "{0} {1}: offsets decrease from {2} to {3}", line, i,
                  static_cast<int64_t>(offsets[i]), static_cast<int64_t>(offsets[i + 1]));
  if (offsets[lines] != end + base)
    return fail(Status::badInput, "offsets end with {0}, but must end with {1}, counted from {2}",
                static_cast<int64_t>(offsets[lines]), end + base, base);
  return llvm::Error::success();
}

template <class I>
static llvm::Error checkIndices(const I *indices, int64_t count, int64_t size, int64_t base,
                                const char *name) {
  for (int64_t e = 0; e < count; ++e)
    if (indices[e] < base || indices[e] - base >= size)
      return fail(Status::badInput, "entry {0}: {1} {2} is not in {3} .. {4}", e, name,
                  static_cast<int64_t>(indices[e]), base, size - 1 + base);
  return llvm::Error::success();
}

llvm::Error checkDescription(const MatrixDescription &a) {
  const DescriptionSizes sizes = sizesOf(a);
  const bool isBlocks = a.layout == MatrixLayout::bsr;
  const int64_t entries = isBlocks ? sizes.colIndices : a.nnz;
  const char *line = isBlocks ? "block row" : a.layout == MatrixLayout::csc ? "column" : "row";
  const auto checkAll = [&](const void *array, IndexType type, int64_t count, const auto &check) {
    return count > 0 ? visitIndices(type, array, check) : llvm::Error::success();
  };
  const auto offsets = [&](const auto *typed) {
    return checkOffsets(typed, sizes.offsets - 1, entries, a.base, line);
  };
  const auto rows = [&](const auto *typed) {
    return checkIndices(typed, sizes.rowIndices, a.rows, a.base, "row");
  };
  const auto cols = [&](const auto *typed) {
    return checkIndices(typed, sizes.colIndices, isBlocks ? a.cols / a.blockCols : a.cols, a.base,
                        isBlocks ? "block column" : "column");
  };
  return inTurn([&] { return checkAll(a.offsets, a.offsetType, sizes.offsets, offsets); },
                [&] { return checkAll(a.rowIndices, a.indexType, sizes.rowIndices, rows); },
                [&] { return checkAll(a.colIndices, a.indexType, sizes.colIndices, cols); });
}

} // namespace specmv
