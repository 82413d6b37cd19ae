// The packing of CSR-vector and CSR-scalar on the GPU, which reads no number of lanes.
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

extern const Packing kCsrPacking;

} // namespace specmv
