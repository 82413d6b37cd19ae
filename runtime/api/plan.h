// What a plan handle of the C API holds, and how it is made.
#pragma once

#include "runtime/api/staged_product.h"
#include "runtime/include/specmv.h"
#include "runtime/specialize.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace specmv {

struct ApiPlan {
  int64_t rows = 0, cols = 0;
  ValueType type = ValueType::f64;
  bool betaCanBeNonZero = true;
  std::string text;
  double setupMs = 0;
  std::optional<GpuProduct> gpu;
  StagedProduct staged;                 // for vectors on the host
  std::shared_ptr<const HostCopy> host; // set if products run on the host
};

// Specializes for `a`, whose arrays are on the host or on a GPU.
llvm::Error makePlan(ApiPlan &plan, const CsrView &a, const specmvPlanOptions_t &options);

} // namespace specmv
