// Packs a matrix for SELL: rows sorted within windows, then slice by slice, column by column.
#include "generator/formats/sell/layout.h"

#include "generator/shared/padded.h"
#include "generator/shared/rows_by_length.h"
#include "generator/shared/typed_array.h"
#include "models/base/error.h"
#include "templates/pack/slots.cuh"

namespace specmv {

SellShape sellShapeOf(const Plan &plan) {
  return {plan.get(key::kSellSlice), plan.get(key::kSellSigma), plan.get(key::kSellLanes)};
}

Fields sellFields(const Plan &plan, const Problem &problem, const SellCounts &counts) {
  const auto [offset, column] = indexTypesOf(plan);
  Fields always =
      joined({{array("sliceStart", offset, counts.slices + 1), array("col", column, counts.slots)},
              valueFields(plan, problem, counts.slots),
              vectors(problem),
              {number("rows", offset, counts.rows)}});
  const int64_t sigma = plan.get(key::kSellSigma);
  if (sigma == 1)
    return always;
  return joined({always,
                 {array("perm", kSellPermType, counts.rows),
                  ifGeneral(sigma == kAsArgument, number("sigma", ElementType::i32, sigma))}});
}

// Whether the lanes of a slice are more than a warp has.
static bool isTooBroad(const SellShape &shape) {
  return shape.lanes > 1 && shape.slice * shape.lanes > 32;
}

// Whether the window in which rows are sorted is smaller than a slice.
static bool isTooShort(const SellShape &shape) {
  return shape.sigma > 1 && shape.sigma < shape.slice;
}

bool isSell(const SellShape &shape) { return !isTooBroad(shape) && !isTooShort(shape); }

std::string whyNoSell(const SellShape &shape) {
  if (isTooBroad(shape))
    return llvm::formatv("sell.lanes = {0} times sell.slice = {1} is {2}, more than the 32 lanes "
                         "of a warp; set one of them smaller",
                         shape.lanes, shape.slice, shape.lanes * shape.slice);
  if (isTooShort(shape))
    return llvm::formatv("sell.sigma = {0} is less than sell.slice = {1}; it must be 1 (no "
                         "sorting) or at least sell.slice",
                         shape.sigma, shape.slice);
  return "";
}

std::string whyTooManySlots(const SellShape &shape, int64_t slots, int64_t nnz,
                            int64_t longestRow) {
  const auto what = llvm::formatv("sell with slices of {0} rows", shape.slice);
  if (slots > kMaxSlots)
    return llvm::formatv("{0} needs {1} slots; the limit is {2}", what.str(), slots, kMaxSlots);
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
        return sellSlot(start[static_cast<size_t>(place / slice)], place, k, slice);
      });
}

llvm::Error checkSellSize(const Plan &plan, const MatrixSize &a, int64_t longestRow,
                          int64_t slots) {
  const std::string why = whyTooManySlots(sellShapeOf(plan), slots, a.nnz, longestRow);
  if (!why.empty())
    return fail(Status::notApplicable, "{0}", why);
  return checkIndexTypes(plan, a.rows, a.cols, slots);
}

llvm::Error checkSellShape(const Plan &plan) {
  const SellShape shape = sellShapeOf(plan);
  if (const std::string why = whyNoSell(shape); !why.empty())
    return failWith(Status::notApplicable, why);
  const int64_t block = plan.get(key::kBlock), group = shape.slice * shape.lanes;
  if (block < group)
    return fail(Status::notApplicable,
                "the plan's block = {0} is less than sell.slice x sell.lanes = {1}", block, group);
  if (const int64_t most = 2048 / block; plan.get(key::kSellBlocksPerSm) > most)
    return fail(
        Status::notApplicable,
        "the plan's blocksPerSm = {0} is more than the {1} blocks of {2} threads that an SM "
        "holds",
        plan.get(key::kSellBlocksPerSm), most, block);
  return llvm::Error::success();
}

// Stores the row of each place, counted from the first row of the window.
static void fillPerm(const std::vector<int64_t> &order, int64_t sigma, LayoutArray &perm) {
  auto *out = perm.as<uint16_t>();
  for (size_t place = 0; place < order.size(); ++place)
    out[place] = static_cast<uint16_t>(order[place] % sigma);
}

static void fillSell(const CsrView &a, const SellShape &shape, const std::vector<int64_t> &order,
                     const std::vector<int64_t> &start, Layout &out) {
  copyIndices(*out.find("sliceStart"), start.data(), static_cast<int64_t>(start.size()));
  if (shape.sigma > 1)
    fillPerm(order, shape.sigma, *out.find("perm"));
  out.slots = Slots(static_cast<size_t>(a.nnz));
  packSlices(a, order, shape.slice, start, *out.find("col"), out.slots);
}

llvm::Expected<Layout> sellLayout(const CsrView &a, const Plan &plan, const Problem &problem) {
  const SellShape shape = sellShapeOf(plan);
  if (llvm::Error error = checkSellShape(plan))
    return error;
  const std::vector<int64_t> order = rowsByLength(a, shape.sigma);
  const Slices slices = slicesOf(a, order, shape.slice);
  if (llvm::Error error =
          checkSellSize(plan, dimensionsOf(a), slices.longestRow, slices.start.back()))
    return error;
  const SellCounts counts{a.rows, std::ssize(slices.start) - 1, slices.start.back()};
  Layout out;
  addFields(out, sellFields(plan, problem, counts));
  fillSell(a, shape, order, slices.start, out);
  return out;
}

} // namespace specmv
