// The steps of specmv_fused.h.
#pragma once

#include "specmv.h"
#include "specmv_fused.h"

#include <vector>

namespace apitest {

inline const std::vector<specmvFusion_t> &readyFusions() {
#define READY_MADE(name) SPECMV_FUSED_##name,
  static const std::vector<specmvFusion_t> all = {
#include "tests/generator/ready_made_steps.def"
  };
#undef READY_MADE
  return all;
}

} // namespace apitest
