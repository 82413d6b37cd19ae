// A handle of a fused step that destroys itself.
#pragma once

#include "tests/api/api_testing.h"

namespace apitest {

class FusedStep {
public:
  FusedStep(specmvPlan_t plan, const specmvFusion_t &fusion) {
    const specmvStatus_t status = specmvCreateFused(&handle_, plan, &fusion);
    REQUIRE_MESSAGE(status == SPECMV_STATUS_SUCCESS, detail());
  }
  FusedStep(const FusedStep &) = delete;
  FusedStep &operator=(const FusedStep &) = delete;
  ~FusedStep() { specmvDestroyFused(handle_); }
  operator specmvFused_t() const { return handle_; }

private:
  specmvFused_t handle_ = nullptr;
};

} // namespace apitest
