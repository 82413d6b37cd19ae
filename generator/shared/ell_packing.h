// Packs an ELL array on the GPU (templates/pack/ell.cuh), shared by ELL and the ELL part of HYB.
#pragma once

#include "generator/setup/filling.h"

namespace specmv {

constexpr const char *kEllPackHeader = "pack/ell.cuh";

// Fills `width` columns of `col` and `val`.
SetupLaunch ellFilling(const DeviceCsr &csr, const Types &types, int64_t width);

} // namespace specmv
