// Packs the first entries of each row as ELL, on the host and on a GPU, and describes the kernel
// that multiplies them.
#include "generator/formats/ell/part.h"

#include "generator/shared/gathers.h"
#include "templates/pack/slots.cuh"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

static std::string whyNotEll(const llvm::formatv_object_base &what, const SparsityProfile &p,
                             const Share &share) {
  const int64_t width = share.width(), slots = width > 0 ? ellStride(p.rows) : 0;
  if (width > 0 && slots > kMaxSlots / width)
    return llvm::formatv("{0} needs {1} x {2} slots; the limit is {3}", what.str(), width, slots,
                         kMaxSlots);
  return whyTooPadded(what, slots * width, p.nnz, 32 * width);
}

static int64_t ellPartSlots(const Share &share) { return ellSlots(share.rows, share.width()); }

// `col` is width x stride, column by column, and -1 where a row has no more entries.
static Fields ellFields(const Plan &plan, const Problem &problem, const Share &share) {
  const auto [offset, column] = indexTypesOf(plan);
  const int64_t slots = ellPartSlots(share);
  return joined(
      {{array("col", column, slots, share.col)},
       valueFields(plan, problem, slots),
       vectors(problem),
       {number("rows", offset, share.rows), number("stride", offset, ellStride(share.rows)),
        ifGeneral(share.hasWidthAsArgument(), number("width", offset, share.width()))}});
}

static PlanConstant ellConstant(const Plan &plan, const Problem &problem, const Share &share) {
  return {kPlanName,
          "EllPlan",
          {{"blockThreads", plan.get(key::kBlock)},
           {"width", share.width()},
           {"readsY", problem.betaCanBeNonZero}}};
}

static std::vector<Kernel> ellKernels(const Plan &plan, const Problem &problem,
                                      const Share &share) {
  Kernel kernel = mainKernel("ell", "EllArgs", plan, problem, ellFields(plan, problem, share));
  // With the registers of two blocks less, the code of most widths has as many loads in flight as
  // that of a kernel of its own; the compiler would take fewer (1.2 to 1.4 times as long, H200).
  // Narrow rows do not need them, and would miss the threads (1.1 times as long at a width of 11).
  if (share.hasWidthAsArgument() && !problem.fusion)
    kernel.blocksPerSm = share.width() == kAsNarrowArgument ? kFullSm : kMostOfSm;
  return {std::move(kernel)};
}

static void addEllSteps(Steps &out, const Plan &plan, const Problem &problem, const Layout &layout,
                        const Share &share) {
  if (const int64_t blocks = ceilDiv(layout.integer("rows"), plan.get(key::kBlock)))
    out.push_back(launchOf(ellKernels(plan, problem, share)[0], blocks));
}

static void packEllPart(const CsrView &a, const Plan & /*plan*/, const Share &share, Layout &out) {
  const int64_t stride = ellStride(a.rows);
  packPadded(
      a, share.width(), *out.find(share.col), out.slots, [](int64_t row) { return row; },
      [=](int64_t row, int64_t k) { return ellSlot(row, k, stride); });
}

static std::vector<SetupLaunch> ellFillings(const DeviceCsr &csr, const Plan &plan,
                                            const Problem &problem, const Share &share) {
  const Types types = typesOf(plan, problem);
  const int64_t stride = ellStride(csr.rows), parts = ceilDiv(share.width(), kPadColumns);
  return {
      {setupKernel("ellFill", "EllFillArgs", {elementOf(csr.indexType), types.column, types.value},
                   joined({csrArraysOf(csr),
                           {filled("col", types.column, share.col), wideNumber("rows", csr.rows),
                            wideNumber("stride", stride), wideNumber("width", share.width()),
                            wideNumber("parts", parts)}})),
       ceilDiv(stride, kSetupBlock) * parts}};
}

static void addEllTraffic(Traffic &t, const PlanRequest &in, const Plan &plan, const Share &share) {
  const int64_t width = share.width(), stride = ellStride(share.rows);
  const int64_t bytes = storedBytesOf(ellFields(plan, in.problem, share));
  t.storedBytes += bytes;
  t.slots += ellPartSlots(share);
  t.streamBytes += bytes + share.rows * vectorValueBytes(in.problem);
  t.gatherBytes += gatherBytesOf(in, share.entries);
  t.threads += stride;
  const int64_t passes = paddedPasses(
      width, in.gpu.rates[width <= kUnrollFully ? kPassesPerKnownBatch : kPassesPerBatch]);
  t.steps += stride * passes;
  t.longestChain += passes;
}

constexpr PartPacking kEllPartPacking{"pack/ell.cuh", ellFillings};
const Part kEllPart{.header = "ell.cuh",
                    .slots = ellPartSlots,
                    .whyNot = whyNotEll,
                    .fields = ellFields,
                    .constant = ellConstant,
                    .kernels = ellKernels,
                    .addSteps = addEllSteps,
                    .pack = packEllPart,
                    .addTraffic = addEllTraffic,
                    .packing = &kEllPartPacking};

} // namespace specmv
