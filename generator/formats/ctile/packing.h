// The packing of column tiles on the GPU.
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

extern const Packing kCtilePacking;

} // namespace specmv
