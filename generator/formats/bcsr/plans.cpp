// The plans of BCSR: the shapes of block that store the fewest bytes by the profile's counts of
// blocks. A full r x c block stores its values and one column of 2 or 4 bytes, and reads c values
// of x. CSR stores a column and reads a value of x for each of the r c entries.
#include "generator/formats/bcsr/shapes.h"

#include "generator/coding/coding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <tuple>

namespace specmv {

static Plan planOf(const SparsityProfile &p, int64_t r, int64_t c, int64_t lanes, bool full) {
  Plan plan{.format = "bcsr",
            .integers = {{key::kBcsrR, r},
                         {key::kBcsrC, c},
                         {key::kBcsrLanes, lanes},
                         {key::kBcsrFull, full},
                         {key::kBcsrLocal, isBcsrLocal(p, r, c)},
                         {key::kBlock, kBlockThreads}}};
  // Offsets count steps, and 32 bits are enough for the steps of kMaxSlots slots.
  addIndexTypes(plan, p.rows, p.cols, 0);
  return plan;
}

// A second shape is offered if it stores at most this much more than the best.
constexpr double kNearlyBest = 1.05;
// If no side is fixed, a plan may store this much more than CSR, since it reads x less often.
constexpr double kMaxOverCsr = 1.1;

static bool hasFixedSide(const Fixed &fixed) {
  return isFixed(fixed, key::kBcsrR) || isFixed(fixed, key::kBcsrC);
}

// The shapes that are offered if no side is fixed. The standard pack has kernels for each of them.
// Other shapes stored up to a tenth less for some of 26 families with blocks, but the best
// predicted time was at most 1.05 times that of the best of all.
constexpr std::pair<int64_t, int64_t> kOfferedShapes[] = {{1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 7},
                                                          {1, 8}, {2, 2}, {2, 4}, {2, 5}, {3, 3},
                                                          {3, 6}, {4, 4}, {5, 5}, {7, 7}};

// Returns true if the shape agrees with the fixed sides or, if there are none, is offered.
static bool isAsked(const Fixed &fixed, int64_t r, int64_t c) {
  if (!hasFixedSide(fixed))
    return llvm::is_contained(kOfferedShapes, std::pair(r, c));
  return fixedOr(fixed, key::kBcsrR, r) == r && fixedOr(fixed, key::kBcsrC, c) == c;
}

// The shapes that are asked for, first the two with the fewest bytes.
static std::vector<BlockShape> shapesOf(const PlanRequest &in) {
  const double perSlot = bcsrBytesPerSlot(in);
  std::vector<BlockShape> shapes;
  for (int64_t r = 1; r <= kMaxBcsrSide; ++r)
    for (int64_t c = 1; c <= kMaxBcsrSide; ++c)
      if (isAsked(in.fixed, r, c))
        shapes.push_back(blockShapeOf(in, r, c, perSlot));
  const auto isBetter = [](const BlockShape &a, const BlockShape &b) {
    return std::tie(a.bytes, a.r, a.c) < std::tie(b.bytes, b.r, b.c);
  };
  std::partial_sort(shapes.begin(), shapes.begin() + std::min<ptrdiff_t>(2, std::ssize(shapes)),
                    shapes.end(), isBetter);
  return shapes;
}

// One lane for each block row. If block rows are few or long, also more lanes, up to the mean
// number of blocks of a block row.
static std::vector<int64_t> lanesOf(const PlanRequest &in, const BlockShape &shape) {
  if (isFixed(in.fixed, key::kBcsrLanes))
    return {fixedOr(in.fixed, key::kBcsrLanes, 1)};
  const double mean =
      shape.blocks / static_cast<double>(std::max<int64_t>(1, ceilDiv(in.profile.rows, shape.r)));
  std::vector<int64_t> lanes = {1};
  for (int64_t more : {4, 16, 32})
    if (static_cast<double>(more) <= mean)
      lanes.push_back(more);
  return lanes;
}

// The bytes of CSR with values in the same coding.
static int64_t csrBytesOf(const PlanRequest &in) {
  const SparsityProfile &p = in.profile;
  return bytesOfValues(in.values, in.problem.type, p.nnz) + p.nnz * 4 + (p.rows + 1) * 4;
}

// Returns true if a plan stores too many bytes to be offered if no side is fixed.
static bool isTooMuch(const PlanRequest &in, int64_t storedBytes) {
  return static_cast<double>(storedBytes) > kMaxOverCsr * static_cast<double>(csrBytesOf(in));
}

static std::string whyTooMuch(const PlanRequest &in, const BlockShape &shape, int64_t storedBytes) {
  const SparsityProfile &p = in.profile;
  const double places = shape.blocks * static_cast<double>(shape.r * shape.c);
  return llvm::formatv(
      "bcsr with its best blocks, {0} x {1} and full to {2:f2}, would store {3} bytes; the limit "
      "is {4:f2} times the {5} of CSR, unless bcsr.r or bcsr.c is set",
      shape.r, shape.c, static_cast<double>(p.nnz) / std::max(1.0, places), storedBytes,
      kMaxOverCsr, csrBytesOf(in));
}

// Adds the plans of a shape with this many lanes. If there are none, sets `why` to the reason,
// unless it has one already. If all sampled blocks are full, but not all blocks were sampled, adds
// a plan with masks as a second choice.
static void addBcsrPlans(const PlanRequest &in, const BlockShape &shape, int64_t lanes,
                         std::vector<Plan> &out, std::string &why) {
  const SparsityProfile &p = in.profile;
  const BcsrCounts counts = bcsrCountsOf(p, shape, lanes);
  if (std::string reason =
          whyNotBcsr(shape.r, shape.c, counts.steps, counts.slices, p.nnz, kMaxBcsrPadding);
      !reason.empty()) {
    if (why.empty())
      why = std::move(reason);
    return;
  }
  const bool isSampled = p.blockFill.sampledEntries < p.nnz;
  for (bool full : {true, false}) {
    if (full ? !shape.full : shape.full && !isSampled)
      continue;
    Plan plan = planOf(p, shape.r, shape.c, lanes, full);
    plan.values = in.values;
    const int64_t bytes = storedBytesOf(bcsrFields(plan, in.problem, counts));
    if (hasFixedSide(in.fixed) || !isTooMuch(in, bytes))
      out.push_back(std::move(plan));
    else if (why.empty())
      why = refusal(in, [&] { return whyTooMuch(in, shape, bytes); });
  }
}

std::string bcsrOffer(const PlanRequest &in, std::vector<Plan> &out) {
  std::vector<BlockShape> shapes = shapesOf(in);
  const bool hasSecond =
      !hasFixedSide(in.fixed) && shapes[1].bytes <= kNearlyBest * shapes[0].bytes;
  shapes.resize(hasSecond ? 2 : 1);
  std::string why;
  for (const BlockShape &shape : shapes)
    for (int64_t lanes : lanesOf(in, shape))
      addBcsrPlans(in, shape, lanes, out, why);
  return out.empty() ? why : "";
}

} // namespace specmv
