// Packs rows for ELL and for the ELL part of HYB, and estimates what that costs.
#include "generator/shared/ell_part.h"

#include "generator/shared/gathers.h"
#include "templates/pack/slots.cuh"
#include "templates/shared/constants.cuh"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

std::string whyNotEll(const char *format, const SparsityProfile &p, int64_t width) {
  const int64_t slots = width > 0 ? ellStride(p.rows) : 0;
  if (width > 0 && slots > kMaxSlots / width)
    return llvm::formatv("{0} of width {1} needs {1} x {2} slots; the limit is {3}", format, width,
                         slots, kMaxSlots);
  return whyTooPadded(llvm::formatv("{0} of width {1}", format, width), slots * width, p.nnz,
                      32 * width);
}

std::string whyAllEll(const char *format, int64_t k) {
  return llvm::formatv("no row has more than hyb.k = {1} entries, so {0} would be the same as ell; "
                       "use ell, or a smaller hyb.k",
                       format, k);
}

void packEll(const CsrView &a, int64_t width, LayoutArray &col, Slots &slots) {
  const int64_t stride = ellStride(a.rows);
  packPadded(
      a, width, col, slots, [](int64_t row) { return row; },
      [=](int64_t row, int64_t k) { return ellSlot(row, k, stride); });
}

Plan withWidthAsArgument(Plan plan, IntegerKey width) {
  plan.set(width, kAsArgument);
  return plan;
}

static bool hasWidthAsArgument(const Plan &plan) {
  return plan.get(key::kEllWidth, plan.get(key::kHybK, 0)) == kAsArgument;
}

Fields ellFields(const Plan &plan, const Problem &problem, int64_t rows, int64_t width) {
  const auto [offset, column] = indexTypesOf(plan);
  const int64_t slots = ellSlots(rows, width);
  return joined({{array("col", column, slots)},
                 valueFields(plan, problem, slots),
                 vectors(problem),
                 {number("rows", offset, rows), number("stride", offset, ellStride(rows)),
                  ifGeneral(hasWidthAsArgument(plan), number("width", offset, width))}});
}

Kernel ellKernel(const Plan &plan, const Problem &problem) {
  return mainKernel("ell", "EllArgs", plan, problem, ellFields(plan, problem, 0, 0));
}

PlanConstant ellConstant(const Plan &plan, const Problem &problem, int64_t width) {
  return {kPlanName,
          "EllPlan",
          {{"blockThreads", plan.get(key::kBlock)},
           {"width", width},
           {"readsY", problem.betaCanBeNonZero}}};
}

void addEllLaunch(Steps &out, const Plan &plan, const Problem &problem, const Layout &layout) {
  if (const int64_t blocks = ceilDiv(layout.integer("rows"), plan.get(key::kBlock)))
    out.push_back(launchOf(ellKernel(plan, problem), blocks));
}

Traffic ellTraffic(const PlanRequest &in, const Plan &plan, int64_t width, int64_t entries) {
  const SparsityProfile &p = in.profile;
  const int64_t v = vectorValueBytes(in.problem);
  Traffic t;
  t.storedBytes = storedBytesOf(ellFields(plan, in.problem, p.rows, width));
  t.slots = ellSlots(p.rows, width);
  t.streamBytes = t.storedBytes + p.rows * v;
  t.gatherBytes = gatherBytesOf(in, entries);
  t.threads = ellStride(p.rows);
  const int64_t passes = paddedPasses(
      width, in.gpu.rates[width <= kUnrollFully ? kPassesPerKnownBatch : kPassesPerBatch]);
  t.steps = ellStride(p.rows) * passes;
  t.longestChain = passes;
  return t;
}

} // namespace specmv
