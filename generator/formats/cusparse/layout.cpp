// Packs CSR, COO, sliced ELL and BSR in the arrays that cuSPARSE expects.
#include "generator/formats/cusparse/layout.h"

#include "generator/formats/sell/layout.h"
#include "generator/setup/workspace.h"
#include "generator/shared/rows_by_length.h"
#include "generator/shared/typed_array.h"
#include "models/base/error.h"
#include "models/base/parallel.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace specmv {

// Rows that a thread packs at a time: enough for a task, and few enough to balance rows of
// different lengths.
constexpr int64_t kRowGrain = 4096;

std::string whyNoEntries(const std::string &format, int64_t rows, int64_t cols, int64_t nnz) {
  if (rows > 0 && cols > 0 && nnz > 0)
    return "";
  return llvm::formatv("{0} needs a matrix with entries; this one is {1} x {2} with {3}", format,
                       rows, cols, nnz);
}

std::string whyPadded(const std::string &format, int64_t elements, int64_t nnz) {
  if (elements > kMaxSlots)
    return llvm::formatv("{0} would store {1} elements; the limit is {2}", format, elements,
                         kMaxSlots);
  if (elements - nnz > kCusparsePadding * nnz)
    return llvm::formatv("{0} would store {1} elements for {2} entries; the limit is {3} elements "
                         "of padding for each entry",
                         format, elements, nnz, kCusparsePadding);
  return "";
}

static Fields withSize(const Fields &arrays, const Types &types, const CusparseSize &size) {
  return joined({arrays,
                 {number("rows", types.offset, size.rows), number("cols", types.offset, size.cols),
                  number("nnz", types.offset, size.nnz)}});
}

Fields cusparseCsrFields(const Plan &plan, const Problem &problem, const CusparseSize &size) {
  const Types types = typesOf(plan, problem);
  return withSize(csrFields(plan, problem, size.rows, size.nnz), types, size);
}

Fields cusparseCooFields(const Plan &plan, const Problem &problem, const CusparseSize &size) {
  const Types types = typesOf(plan, problem);
  return withSize({array("row", types.offset, size.nnz), array("col", types.column, size.nnz),
                   array("val", types.value, size.nnz)},
                  types, size);
}

Fields cusparseSellFields(const Plan &plan, const Problem &problem, const CusparseSize &size,
                          int64_t elements) {
  const Types types = typesOf(plan, problem);
  const int64_t slice = plan.get(key::kSliceRows);
  return withSize({array("sliceOffsets", types.offset, ceilDiv(size.rows, slice) + 1),
                   array("col", types.offset, elements), array("val", types.value, elements),
                   number("slice", types.offset, slice)},
                  types, size);
}

Fields cusparseBsrFields(const Plan &plan, const Problem &problem, const CusparseSize &size,
                         int64_t blocks) {
  const Types types = typesOf(plan, problem);
  const int64_t side = plan.get(key::kBsrSize);
  return withSize(
      {array("rowPtr", types.offset, size.rows / side + 1), array("col", types.offset, blocks),
       array("val", types.value, blocks * side * side), number("size", types.offset, side)},
      types, size);
}

// Checks the assumptions that the plans of all these layouts have in common.
static llvm::Error checkCusparsePlan(const MatrixSize &a, const Plan &plan) {
  if (plan.get(key::kOffset) != plan.get(key::kColumn))
    return fail(Status::notApplicable,
                "the plan has {0}-bit offsets and {1}-bit columns; cuSPARSE needs both to have the "
                "same width",
                plan.get(key::kOffset), plan.get(key::kColumn));
  const std::string why = whyNoEntries(plan.format, a.rows, a.cols, a.nnz);
  return why.empty() ? llvm::Error::success() : failWith(Status::notApplicable, why);
}

static llvm::Error checkElements(const MatrixSize &a, const Plan &plan, int64_t elements) {
  if (const std::string why = whyPadded(plan.format, elements, a.nnz); !why.empty())
    return failWith(Status::notApplicable, why);
  return checkIndexTypes(plan, a.rows, a.cols, elements);
}

static CusparseSize sizeOf(const CsrView &a) { return {a.rows, a.cols, a.nnz}; }

static llvm::Error checkEntries(const MatrixSize &a, const Plan &plan) {
  if (llvm::Error error = checkCusparsePlan(a, plan))
    return error;
  return checkIndexTypes(plan, a.rows, a.cols, a.nnz);
}

llvm::Expected<Layout> cusparseCsrLayout(const CsrView &a, const Plan &plan,
                                         const Problem &problem) {
  if (llvm::Error error = checkEntries(dimensionsOf(a), plan))
    return error;
  Layout out;
  addFields(out, cusparseCsrFields(plan, problem, sizeOf(a)));
  fillCsr(out, a);
  return out;
}

Fields cusparseInPlaceFields(const MatrixSize &a, const Plan &plan, const Problem &problem) {
  return cusparseCsrFields(plan, problem, {a.rows, a.cols, a.nnz});
}

llvm::Expected<Layout> cusparseCsrInPlace(Workspace &workspace, const Plan &plan,
                                          const Problem &problem) {
  const DeviceCsr &csr = workspace.csr();
  if (llvm::Error error = checkEntries(csr, plan))
    return error;
  for (const auto &[lent, as] :
       {std::pair(kCsrRowPtr, "rowPtr"), std::pair(kCsrCol, "col"), std::pair(kCsrVal, "val")})
    if (llvm::Error error = workspace.lend(lent, as))
      return error;
  return layoutOnGpu(cusparseInPlaceFields(csr, plan, problem));
}

llvm::Expected<Layout> cusparseCooLayout(const CsrView &a, const Plan &plan,
                                         const Problem &problem) {
  if (llvm::Error error = checkEntries(dimensionsOf(a), plan))
    return error;
  Layout out;
  addFields(out, cusparseCooFields(plan, problem, sizeOf(a)));
  visitIntegers(*out.find("row"), [&](auto *to) {
    using Row = std::remove_pointer_t<decltype(to)>;
    visitPattern(a, [&](auto pattern) {
      parallelFor(a.rows, kRowGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          std::fill(to + pattern.rowPtr[i], to + pattern.rowPtr[i + 1], static_cast<Row>(i));
      });
      copyIndices(*out.find("col"), pattern.col, a.nnz);
    });
  });
  return out;
}

llvm::Expected<Layout> cusparseSellLayout(const CsrView &a, const Plan &plan,
                                          const Problem &problem) {
  if (llvm::Error error = checkCusparsePlan(dimensionsOf(a), plan))
    return error;
  const int64_t slice = plan.get(key::kSliceRows);
  const std::vector<int64_t> order = rowsByLength(a, 1);
  const std::vector<int64_t> offsets = slicesOf(a, order, slice).start;
  if (llvm::Error error = checkElements(dimensionsOf(a), plan, offsets.back()))
    return error;
  Layout out;
  addFields(out, cusparseSellFields(plan, problem, sizeOf(a), offsets.back()));
  copyIndices(*out.find("sliceOffsets"), offsets.data(), std::ssize(offsets));
  out.slots = Slots(static_cast<size_t>(a.nnz));
  packSlices(a, order, slice, offsets, *out.find("col"), out.slots);
  return out;
}

// The columns of the blocks that a block row has entries in, ascending.
template <class I>
static std::vector<int64_t> blocksOf(const CsrPattern<I> &a, int64_t size, int64_t blockRow) {
  std::vector<int64_t> blocks;
  for (int64_t e = a.rowPtr[blockRow * size]; e < a.rowPtr[(blockRow + 1) * size]; ++e)
    blocks.push_back(a.col[e] / size);
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

static std::vector<int64_t> blockRowPtrOf(const CsrView &a, int64_t size) {
  std::vector<int64_t> rowPtr(static_cast<size_t>(a.rows / size) + 1);
  visitPattern(a, [&](const auto &pattern) {
    parallelFor(a.rows / size, kRowGrain / size, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        rowPtr[i + 1] = std::ssize(blocksOf(pattern, size, i));
    });
  });
  std::partial_sum(rowPtr.begin(), rowPtr.end(), rowPtr.begin());
  return rowPtr;
}

// Finds the slots of the entries of a block row. `first` is the number of its first block.
template <class I>
static void slotBlockRow(const CsrPattern<I> &a, int64_t size, int64_t blockRow,
                         const std::vector<int64_t> &blocks, int64_t first, Slots &slots) {
  for (int64_t r = 0; r < size; ++r)
    for (int64_t e = a.rowPtr[blockRow * size + r]; e < a.rowPtr[blockRow * size + r + 1]; ++e) {
      const auto found = std::lower_bound(blocks.begin(), blocks.end(), a.col[e] / size);
      const int64_t block = first + (found - blocks.begin());
      slots[e] = static_cast<uint32_t>((block * size + r) * size + a.col[e] % size);
    }
}

template <class I, class C>
static void packBlocks(const CsrPattern<I> &a, int64_t size, const std::vector<int64_t> &rowPtr,
                       C *col, Slots &slots) {
  parallelFor(a.rows / size, kRowGrain / size, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const std::vector<int64_t> blocks = blocksOf(a, size, i);
      std::copy(blocks.begin(), blocks.end(), col + rowPtr[i]);
      slotBlockRow(a, size, i, blocks, rowPtr[i], slots);
    }
  });
}

llvm::Expected<Layout> cusparseBsrLayout(const CsrView &a, const Plan &plan,
                                         const Problem &problem) {
  if (llvm::Error error = checkCusparsePlan(dimensionsOf(a), plan))
    return error;
  const int64_t size = plan.get(key::kBsrSize);
  if (a.rows % size != 0 || a.cols % size != 0)
    return fail(Status::notApplicable,
                "cusparse-bsr needs a matrix whose sides are multiples of the plan's bsr.size = "
                "{2}; this one is {0} x {1}",
                a.rows, a.cols, size);
  const std::vector<int64_t> rowPtr = blockRowPtrOf(a, size);
  const int64_t blocks = rowPtr.back(), elements = blocks * size * size;
  if (llvm::Error error = checkElements(dimensionsOf(a), plan, elements))
    return error;
  Layout out;
  addFields(out, cusparseBsrFields(plan, problem, sizeOf(a), blocks));
  copyIndices(*out.find("rowPtr"), rowPtr.data(), std::ssize(rowPtr));
  out.slots = Slots(static_cast<size_t>(a.nnz));
  out.slotsAreShared = true; // by repeated entries
  visitIntegers(*out.find("col"), [&](auto *col) {
    visitPattern(a, [&](const auto &p) { packBlocks(p, size, rowPtr, col, out.slots); });
  });
  return out;
}

} // namespace specmv
