// The packing of COO on the GPU.
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

extern const Packing kCooPacking;

} // namespace specmv
