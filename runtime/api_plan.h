// What a plan handle of the C API holds, and how it is made.
#pragma once

#include "runtime/specialize.h"
#include "runtime/specmv.h"
#include "runtime/staged_product.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace specmv {

// A matrix's own arrays on the host.
struct HostCopy {
  CsrView view;
  std::vector<std::byte> rowPtr, col, val;
};

struct ApiPlan {
  int64_t rows = 0, cols = 0;
  ValueType type = ValueType::f64;
  bool betaCanBeNonZero = true;
  std::string text;
  double setupMs = 0;
  std::optional<GpuProduct> gpu;
  StagedProduct staged; // for vectors of the host
  HostCopy host;        // where products run on the host
};

// Specializes for `a`, whose arrays are on the host or on a GPU.
llvm::Error makePlan(ApiPlan &plan, const CsrView &a, const specmvPlanOptions_t &options);

} // namespace specmv
