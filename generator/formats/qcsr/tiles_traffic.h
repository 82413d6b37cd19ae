// Estimates the traffic of QCSR in the paper's layout, and what both layouts move alike.
#pragma once

#include "generator/formats/qcsr/qcsr.h"

namespace specmv {

inline int64_t qcsrInteger(double x) { return static_cast<int64_t>(x); }

// Sets the bytes of x that a product gathers, or that its blocks stage. `pairs` are pairs (chunk,
// tile) that have an entry.
void setQcsrBytesOfX(const PlanRequest &in, const Plan &plan, const QcsrTiles &tiles, double pairs,
                     Traffic &t);
// Microseconds to copy x to shared memory.
double qcsrStagedUs(const Traffic &t, const PlanRequest &in, const Rate &rate);

QcsrTileCounts qcsrTileCounts(const PlanRequest &in, const Plan &plan, const QcsrTiles &tiles);
Traffic qcsrTilesTraffic(const PlanRequest &in, const Plan &plan, const QcsrTiles &tiles);

} // namespace specmv
