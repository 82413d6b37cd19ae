// The packing of SELL on the GPU.
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

extern const Packing kSellPacking;

} // namespace specmv
