// The cases for the tests of the PMF model: its variants, the types and the paper's GPU.
#pragma once

#include "models/predict/pmf/formulas.h"

namespace specmv {

inline constexpr ValueType kPmfTypes[] = {ValueType::f32, ValueType::f64};

inline GpuModel gt645m() { return llvm::cantFail(loadGpuModel("gt645m")); }
inline GpuModel gt645m(int64_t cores) {
  GpuModel gpu = gt645m();
  gpu.cores = cores;
  return gpu;
}

} // namespace specmv
