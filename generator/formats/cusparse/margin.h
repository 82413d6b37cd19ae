// The margin of cuSPARSE's formats. When plans are chosen, they are priced slower than measured, so
// that a format of ours is preferred unless it is clearly slower.
#pragma once

#include "generator/format.h"

namespace specmv {

// The ending of a margin's name. A format is priced with the measured launches times the margin,
// and with the measured share of the memory rate divided by it. Formats that were not measured have
// no margin.
constexpr llvm::StringLiteral kMarginEnding = ".margin";

// Whether these are the rates of a format that was measured. A margin is the third rate.
inline bool hasMargin(llvm::ArrayRef<Rate> rates) {
  return rates.size() > 2 && llvm::StringRef(rates[2].name).ends_with(kMarginEnding);
}

// The GPU model without margins, which predicts the times of cuSPARSE's formats. It must not be
// used to choose a plan.
GpuModel withoutMargins(GpuModel gpu);

} // namespace specmv
