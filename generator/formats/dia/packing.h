// The packing of DIA on the GPU.
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

extern const Packing kDiaPacking;

} // namespace specmv
