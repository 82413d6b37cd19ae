// Describes the kernels of templates/curves.
#include "generator/setup/curves.h"

#include "generator/sources.h"
#include "templates/curves/sizes.cuh"

#include "llvm/Support/MathExtras.h"

namespace specmv {

static_assert(kStreamChunkBytes == kStreamChunkWords * 4 && kStreamBlock == int{kSetupBlock});
static_assert(kSharedGatherValues == int64_t{1} << kSharedValuesBits);

constexpr ElementType kCurveWord = ElementType::u32, kSumType = ElementType::u64;

ElementType gatheredElement(ValueType type) {
  return type == ValueType::f32 ? ElementType::u32 : ElementType::u64;
}

static Field curveData(const char *name, ElementType type) {
  return array(name, type, 0, kCurveData);
}

SetupLaunch fillLaunch(int64_t bytes) {
  const int64_t count = bytes / 4;
  return {setupKernel("fillWords", "FillArgs", {},
                      {filled("words", kCurveWord, kCurveData), wideNumber("count", count)}),
          std::min(kFewBlocks, ceilDiv(count, kSetupBlock))};
}

SetupLaunch streamLaunch(int64_t bytes, int64_t passes, int64_t blocks) {
  const int64_t chunks = bytes / kStreamChunkBytes;
  return {setupKernel("streamSum", "StreamArgs", {},
                      {curveData("words", kCurveWord), filled(kCurveSums, kSumType),
                       wideNumber("chunks", chunks), wideNumber("reads", chunks * passes)},
                      kStreamBlock),
          blocks};
}

static int64_t wholeBatches(int64_t count) { return roundUp(count, int64_t{kGatherTogether}); }

GatherLaunch gatherLaunch(ValueType type, int64_t bytes, int64_t together, int64_t count,
                          int64_t blocks) {
  const ElementType element = gatheredElement(type);
  const auto bits =
      static_cast<int64_t>(llvm::Log2_64(static_cast<uint64_t>(bytes / kSectorBytes)));
  const int64_t gathers = wholeBatches(count);
  return {{setupKernel("gatherSum", "GatherArgs", {element},
                       {curveData("values", element), filled(kCurveSums, kSumType),
                        narrowNumber("shift", 32 - bits), narrowNumber("together", together),
                        narrowNumber("count", gathers)}),
           blocks},
          blocks * kSetupBlock * gathers / together};
}

SharedGatherLaunch sharedGatherLaunch(ValueType type, int64_t count, int64_t blocks) {
  const ElementType element = gatheredElement(type);
  const int64_t gathers = wholeBatches(count);
  return {{setupKernel("sharedGatherSum", "SharedGatherArgs", {element},
                       {curveData("values", element), filled(kCurveSums, kSumType),
                        narrowNumber("count", gathers)}),
           blocks},
          blocks * kSetupBlock / 32 * gathers};
}

SetupLaunch chainLaunch(int64_t bytes) {
  const int64_t slots = bytes / kChainStride;
  return {setupKernel("makeChain", "ChainArgs", {},
                      {filled("chain", kCurveWord, kCurveData), narrowNumber("slots", slots)}),
          std::min(kFewBlocks, ceilDiv(slots, kSetupBlock))};
}

// Launches one warp; one of its threads follows the chain.
SetupLaunch chaseLaunch(int64_t steps) {
  return {setupKernel("chase", "ChaseArgs", {},
                      {curveData("chain", kCurveWord), filled(kCurveAt, kCurveWord),
                       narrowNumber("steps", steps)},
                      32),
          1};
}

SetupLaunch emptyLaunch() {
  return {setupKernel("doNothing", "NothingArgs", {}, {narrowNumber("nothing", 0)}), 1};
}

const KernelSource &curvesSource() {
  static const Lasting<KernelSource> source([] {
    return emitSetup("curves of a GPU", {"curves/stream.cuh", "curves/chase.cuh"},
                     kernelsOf({fillLaunch(4), streamLaunch(kStreamChunkBytes, 1, 1),
                                chainLaunch(kChainStride), chaseLaunch(1), emptyLaunch()}));
  });
  return *source;
}

static KernelSource emitGathers(ValueType type) {
  return emitSetup("gathers", {"curves/gather.cuh"},
                   kernelsOf({gatherLaunch(type, kSectorBytes, 1, 1, 1).launch,
                              sharedGatherLaunch(type, 1, 1).launch}));
}

const KernelSource &gatherSource(ValueType type) { return emittedOnce<emitGathers>(type); }

} // namespace specmv
