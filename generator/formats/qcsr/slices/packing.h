// The packing of QCSR in slices on the GPU.
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

extern const Packing kQcsrPacking;

} // namespace specmv
