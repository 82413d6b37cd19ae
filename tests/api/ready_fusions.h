// The steps of specmv_fused.h.
#pragma once

#include "specmv.h"
#include "specmv_fused.h"

#include <vector>

namespace apitest {

inline const std::vector<specmvFusion_t> &readyFusions() {
  static const std::vector<specmvFusion_t> all = {SPECMV_FUSED_CG_PRODUCT,
                                                  SPECMV_FUSED_CG_UPDATE,
                                                  SPECMV_FUSED_CG_END,
                                                  SPECMV_FUSED_JACOBI,
                                                  SPECMV_FUSED_CHEBYSHEV,
                                                  SPECMV_FUSED_BICGSTAB_DIRECTION,
                                                  SPECMV_FUSED_BICGSTAB_STABILIZE,
                                                  SPECMV_FUSED_BICGSTAB_UPDATE,
                                                  SPECMV_FUSED_PDHG_PRIMAL,
                                                  SPECMV_FUSED_PDHG_DUAL,
                                                  SPECMV_FUSED_PDHG_RESTART,
                                                  SPECMV_FUSED_PAGERANK};
  return all;
}

} // namespace apitest
