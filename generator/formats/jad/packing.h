// The packing of JAD on the GPU.
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

extern const Packing kJadPacking;

} // namespace specmv
