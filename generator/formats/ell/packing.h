// The packing of ELL on the GPU.
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

extern const Packing kEllPacking;

} // namespace specmv
