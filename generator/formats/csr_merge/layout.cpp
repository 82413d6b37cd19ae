// Packs a matrix for merge-path CSR on the host: the path of each thread, and the CSR arrays.
#include "generator/formats/csr_merge/layout.h"

#include "generator/shared/open_rows.h"
#include "generator/shared/typed_array.h"
#include "models/base/parallel.h"
#include "templates/pack/merge_path.cuh"

namespace specmv {

// A path of up to 8 items and the rows before it fits 16 bits: 31 x 8 rows.
constexpr int64_t kMaxNarrowItems = 8;

MergeShape::MergeShape(const Plan &plan, int64_t rows, int64_t nnz)
    : items(plan.get(key::kMergeItems)), threads(plan.get(key::kMergeThreads)),
      blocks(ceilDiv(rows + nnz, items * threads)) {}

ElementType MergeShape::path() const {
  return items <= kMaxNarrowItems ? ElementType::u16 : ElementType::i32;
}

Fields csrMergeFields(const Plan &plan, const Problem &problem, int64_t rows, int64_t nnz) {
  const auto [offset, column] = indexTypesOf(plan);
  const MergeShape shape(plan, rows, nnz);
  return joined({{array("path", shape.path(), shape.paths()),
                  array("warpRow", offset, shape.warps() + 1), array("col", column, nnz)},
                 valueFields(plan, problem, nnz),
                 vectors(problem),
                 {number("rows", offset, rows)},
                 openRowFields(problem, shape.blocks)});
}

// Fills the path of warps begin .. end - 1, as CsrMergeArgs describes it.
template <class I, class Path, class Offset>
static void packWarps(const MergePath<I> &merge, const MergeShape &shape, int64_t begin,
                      int64_t end, Path *path, Offset *warpRow) {
  const int items = static_cast<int>(shape.items);
  int64_t row = merge.rowOf(begin * shape.warpItems());
  for (int64_t warp = begin; warp < end; ++warp) {
    const int64_t firstRow = row;
    for (int64_t thread = warp * 32; thread < warp * 32 + 32; ++thread) {
      const int rowsBefore = static_cast<int>(row - firstRow);
      int bits = 0;
      for (; merge.endOf(row) < (thread + 1) * items; ++row)
        bits |= pathBit(merge.endOf(row) - thread * items);
      path[thread] = static_cast<Path>(pathOf(bits, rowsBefore, items));
    }
    warpRow[warp + 1] = static_cast<Offset>(row);
  }
}

// Warps that a thread of the host packs at a time.
constexpr int64_t kPackWarps = 1024;

template <class I>
static void packPath(const MergePath<I> &merge, const MergeShape &shape, Layout &out) {
  visitIntegers(*out.find("path"), [&](auto *path) {
    visitIntegers(*out.find("warpRow"), [&](auto *warpRow) {
      parallelFor(shape.warps(), kPackWarps, [&](int64_t begin, int64_t end) {
        packWarps(merge, shape, begin, end, path, warpRow);
      });
    });
  });
}

llvm::Expected<Layout> csrMergeLayout(const CsrView &a, const Plan &plan, const Problem &problem) {
  if (llvm::Error error = checkIndexTypes(plan, a.rows, a.cols, a.rows + a.nnz))
    return error;
  const MergeShape shape(plan, a.rows, a.nnz);
  Layout out;
  addFields(out, csrMergeFields(plan, problem, a.rows, a.nnz));
  visitPattern(a, [&](auto pattern) {
    const MergePath<typename decltype(pattern)::Index> merge{pattern.rowPtr, a.rows, a.nnz};
    packPath(merge, shape, out);
    fillSharedRows(out,
                   [&](int64_t boundary) { return merge.sharedAt(boundary, shape.blockItems()); });
    copyIndices(*out.find("col"), pattern.col, a.nnz);
  });
  return out;
}

} // namespace specmv
