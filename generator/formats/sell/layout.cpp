// Packs a matrix for SELL: rows sorted within windows, then slice by slice, column by column.
#include "generator/formats/sell/layout.h"

#include "generator/shared/padded.h"
#include "generator/shared/rows_by_length.h"
#include "generator/shared/typed_array.h"
#include "models/base/error.h"

namespace specmv {

std::string whyNoSell(const SellShape &shape) {
  if (shape.lanes > 1 && shape.slice * shape.lanes > 32)
    return llvm::formatv("sell.lanes = {0} for each of sell.slice = {1} rows is more than a warp",
                         shape.lanes, shape.slice);
  if (shape.sigma > 1 && shape.sigma < shape.slice)
    return llvm::formatv("sell.sigma = {0} is less than sell.slice = {1}: it would sort within a "
                         "slice",
                         shape.sigma, shape.slice);
  return "";
}

std::string whyTooManySlots(const SellShape &shape, int64_t slots, int64_t nnz,
                            int64_t longestRow) {
  const std::string what = llvm::formatv("sell with slices of {0} rows", shape.slice);
  if (slots > kMaxSlots)
    return llvm::formatv("{0} needs {1} slots, more than {2}", what, slots, kMaxSlots);
  return whyTooPadded(what, slots, nnz, shape.slice * longestRow);
}

Slices slicesOf(const CsrView &a, const std::vector<int64_t> &order, int64_t slice) {
  return visitPattern(a, [&](auto p) {
    Slices out;
    for (int64_t first = 0; first < p.rows; first += slice) {
      int64_t longest = 0;
      for (int64_t place = first; place < std::min(first + slice, p.rows); ++place) {
        const int64_t row = order[static_cast<size_t>(place)];
        longest = std::max<int64_t>(longest, p.rowPtr[row + 1] - p.rowPtr[row]);
      }
      out.start.push_back(out.start.back() + slice * longest);
      out.longestRow = std::max(out.longestRow, longest);
    }
    return out;
  });
}

void packSlices(const CsrView &a, const std::vector<int64_t> &order, int64_t slice,
                const std::vector<int64_t> &start, LayoutArray &col, Slots &slots) {
  packPadded(
      a, a.nnz, col, slots, [&](int64_t place) { return order[static_cast<size_t>(place)]; },
      [&](int64_t place, int64_t k) {
        return start[static_cast<size_t>(place / slice)] + k * slice + place % slice;
      });
}

namespace {

llvm::Error check(const CsrView &a, const Plan &plan, const SellShape &shape,
                  const Slices &slices) {
  const int64_t slots = slices.start.back();
  if (const std::string why = whyTooManySlots(shape, slots, a.nnz, slices.longestRow); !why.empty())
    return fail(Status::notApplicable, "{0}", why);
  return checkIndexTypes(plan, a.rows, a.cols, slots);
}

llvm::Error checkShape(const Plan &plan, const SellShape &shape) {
  if (llvm::Error error = checkNumbers(plan, kSellNumbers))
    return error;
  if (const std::string why = whyNoSell(shape); !why.empty())
    return fail(Status::notApplicable, "{0}", why);
  // A block has a slice at least, and an SM no more than 2,048 threads.
  const int64_t least = std::max<int64_t>(32, shape.slice * shape.lanes);
  if (llvm::Error error = checkNumbers(plan, {{"block", least, 512, /*isPowerOfTwo=*/true}}))
    return error;
  return checkNumbers(plan, {{"blocksPerSm", 0, 2048 / plan.get("block")}});
}

// The row of each place within its window.
void fillPerm(const std::vector<int64_t> &order, int64_t sigma, LayoutArray &perm) {
  auto *out = perm.as<uint16_t>();
  for (size_t place = 0; place < order.size(); ++place)
    out[place] = static_cast<uint16_t>(order[place] % sigma);
}

Layout arraysOf(const CsrView &a, const Plan &plan, ElementType value,
                const std::vector<int64_t> &order, const std::vector<int64_t> &start) {
  const auto [offset, column] = indexTypesOf(plan);
  const int64_t slice = plan.get("sell.slice"), sigma = plan.get("sell.sigma");
  Layout out;
  out.add("sliceStart", offset, static_cast<int64_t>(start.size()));
  copyIndices(*out.find("sliceStart"), start.data(), static_cast<int64_t>(start.size()));
  if (sigma > 1) {
    out.add("perm", kSellPermType, a.rows);
    fillPerm(order, sigma, *out.find("perm"));
  }
  out.add("col", column, start.back());
  out.add("val", value, start.back());
  out.slots = Slots(static_cast<size_t>(a.nnz));
  packSlices(a, order, slice, start, *out.find("col"), out.slots);
  out.integers = {{"rows", a.rows}};
  return out;
}

} // namespace

llvm::Expected<Layout> sellLayout(const CsrView &a, const Plan &plan, const Problem &problem) {
  const SellShape shape{plan.get("sell.slice"), plan.get("sell.sigma"), plan.get("sell.lanes")};
  if (llvm::Error error = checkShape(plan, shape))
    return error;
  const std::vector<int64_t> order = rowsByLength(a, shape.sigma);
  const Slices slices = slicesOf(a, order, shape.slice);
  if (llvm::Error error = check(a, plan, shape, slices))
    return error;
  Layout out = arraysOf(a, plan, elementOf(problem.type), order, slices.start);
  storeValues(out, a);
  return out;
}

} // namespace specmv
