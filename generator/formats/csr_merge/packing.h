// The packing of merge-path CSR on the GPU.
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

extern const Packing kCsrMergePacking;

} // namespace specmv
