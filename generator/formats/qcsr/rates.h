// The rates that QCSR's traffic depends on, and the paces of its kernels.
#pragma once

#include "generator/shared/pace.h"

namespace specmv {

// Paces of the paper's layout, of slices that stage x in shared memory, and of slices that do not.
constexpr PaceRates kQcsrTilesPace("qcsr-tiles"), kQcsrStagedPace("qcsr-staged"),
    kQcsrSlicesPace("qcsr-slices");
constexpr const PaceRates *kQcsrPaces[] = {&kQcsrTilesPace, &kQcsrStagedPace, &kQcsrSlicesPace};

// Costs in passes of CSR-vector's loop. The loop of the paper's layout has half as many loads in
// flight, and a stream begins with two loads of which the second waits for the first.
constexpr Rate kQcsrTilePasses{"qcsr.tilePasses",
                               "passes of a tile or segment of the paper's layout, with its "
                               "descriptors, its sum over lanes and a barrier",
                               8, kNoFit};
constexpr Rate kQcsrStagePasses{"qcsr.stagePasses", "passes of staging x", 8, kNoFit};
constexpr Rate kQcsrLoopPasses{"qcsr.loopPasses", "passes of one of the paper's layout", 3, kNoFit};
constexpr Rate kQcsrLinePasses{"qcsr.linePasses", "passes of a line of a slice", 0.6, kNoFit};
constexpr Rate kQcsrStreamPasses{"qcsr.streamPasses", "passes of beginning a stream", 5, kNoFit};
constexpr Rate kQcsrSlicePasses{"qcsr.slicePasses",
                                "passes of ending a slice, a sum in shared memory", 0.5, kNoFit};
constexpr Rate kQcsrStaged[] = {
    {"qcsr-tiles.staged", "cost of a byte of x that is staged, in times of the rate of L2", 1.5},
    {"qcsr-staged.staged", "the same with slices", 0.31}};
constexpr Rate kQcsrStepUs{"qcsr-staged.stepUs",
                           "microseconds until a block goes on that waits for x to be staged", 1.9};
constexpr Rate kQcsrCautionSeveral{"qcsr-staged.cautionSeveral",
                                   "factor for chunks that stage several tiles, beside the caution "
                                   "of all that stage",
                                   1.07, kCautionFit};
constexpr Rate kQcsrRates[] = {
    kQcsrTilePasses,  kQcsrStagePasses, kQcsrLoopPasses, kQcsrLinePasses, kQcsrStreamPasses,
    kQcsrSlicePasses, kQcsrStaged[0],   kQcsrStaged[1],  kQcsrStepUs,     kQcsrCautionSeveral};

} // namespace specmv
