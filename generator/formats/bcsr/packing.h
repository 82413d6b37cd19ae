// The packing of BCSR on the GPU.
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

extern const Packing kBcsrPacking;

} // namespace specmv
