// The packing of SELL with columns in bytes on the GPU.
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

extern const Packing kBytesPacking;

} // namespace specmv
