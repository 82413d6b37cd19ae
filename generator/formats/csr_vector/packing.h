// The packing of CSR-vector and CSR-scalar on the GPU. It is equal for all numbers of lanes.
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

extern const Packing kCsrPacking;

} // namespace specmv
