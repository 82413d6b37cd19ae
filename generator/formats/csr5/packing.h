// The packing of CSR5 on the GPU.
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

extern const Packing kCsr5Packing;

} // namespace specmv
