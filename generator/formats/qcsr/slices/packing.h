// The packing of QCSR on the GPU: of slices only.
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

extern const Packing kQcsrPacking;

} // namespace specmv
