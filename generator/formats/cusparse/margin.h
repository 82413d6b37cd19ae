// The margin of cuSPARSE's formats: where they compete with ours they are priced worse than
// measured, so that one of ours is preferred unless it is clearly slower.
#pragma once

#include "generator/format.h"

namespace specmv {

// The ending of the name of a rate: how many times as many launches as measured, and which part of
// the share of the memory rate, a format is priced with. Formats that nobody measured have none.
constexpr llvm::StringLiteral kMarginEnding = ".margin";

// Whether these are the rates of a format that was measured. A margin is the third rate.
inline bool hasMargin(llvm::ArrayRef<Rate> rates) {
  return rates.size() > 2 && llvm::StringRef(rates[2].name).ends_with(kMarginEnding);
}

// The same GPU with cuSPARSE's formats as fast as measured: to say what they take, not to choose.
GpuModel withoutMargins(GpuModel gpu);

} // namespace specmv
