// The rates that QCSR's traffic depends on, and the paces of its kernels.
#pragma once

#include "generator/shared/walk.h"

namespace specmv {

// Paces of the paper's layout, of slices that stage x in shared memory, and of slices that do not.
constexpr PaceRates kQcsrTilesPace("qcsr-tiles"), kQcsrStagedPace("qcsr-staged"),
    kQcsrSlicesPace("qcsr-slices");
constexpr const PaceRates *kQcsrPaces[] = {&kQcsrTilesPace, &kQcsrStagedPace, &kQcsrSlicesPace};

// Costs in passes of CSR-vector's loop. The loop of the paper's layout has half as many loads in
// flight, and a stream begins with two loads of which the second waits for the first.
constexpr Rate kQcsrTilePasses{
    "qcsr.tilePasses",
    "passes of CSR-vector's loop that a tile or segment of the paper's layout costs, with its "
    "descriptors, its sum over lanes and a barrier",
    8};
constexpr Rate kQcsrStagePasses{"qcsr.stagePasses",
                                "passes of CSR-vector's loop that staging x costs", 8, kNoFit};
constexpr Rate kQcsrLoopPasses{
    "qcsr.loopPasses",
    "passes of CSR-vector's loop that a pass of the loop of the paper's layout costs", 3};
constexpr Rate kQcsrLinePasses{
    "qcsr.linePasses", "passes of CSR-vector's loop that a line of a slice costs", 0.6, kNoFit};
constexpr Rate kQcsrStreamPasses{
    "qcsr.streamPasses", "passes of CSR-vector's loop that the begin of a stream costs", 5, kNoFit};
constexpr Rate kQcsrSlicePasses{
    "qcsr.slicePasses",
    "passes of CSR-vector's loop that the end of a slice costs, a sum in shared memory", 0.5,
    kNoFit};
constexpr Rate kQcsrStaged[] = {
    {"qcsr-tiles.staged",
     "time of a staged byte of x in the paper's layout, in multiples of the time at l2GBs", 1.5},
    {"qcsr-staged.staged",
     "time of a staged byte of x in slices, in multiples of the time at l2GBs", 0.31}};
constexpr Rate kQcsrStepUs{"qcsr-staged.stepUs",
                           "microseconds that a block waits for x to be staged", 1.9};
constexpr Rate kQcsrCautionSeveral{
    "qcsr-staged.cautionSeveral",
    "further factor on the predicted time, where plans are compared, if chunks stage several tiles",
    1.07, kCautionFit};
constexpr Rate kQcsrCautionCut{
    "qcsr-slices.cautionSeveral",
    "further factor on the predicted time, where plans are compared, if tiles cut rows in several "
    "parts that are not staged",
    1.1, kCautionFit};
constexpr Rate kQcsrRates[] = {kQcsrTilePasses,     kQcsrStagePasses,  kQcsrLoopPasses,
                               kQcsrLinePasses,     kQcsrStreamPasses, kQcsrSlicePasses,
                               kQcsrStaged[0],      kQcsrStaged[1],    kQcsrStepUs,
                               kQcsrCautionSeveral, kQcsrCautionCut};

} // namespace specmv
