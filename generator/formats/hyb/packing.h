// The packing of HYB on the GPU.
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

extern const Packing kHybPacking;

} // namespace specmv
