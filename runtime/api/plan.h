// What a plan handle of the C API holds, and how it is made.
#pragma once

#include "runtime/api/staged_product.h"
#include "runtime/api/value_update.h"
#include "runtime/include/specmv.h"
#include "runtime/specialize.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace specmv {

struct ApiPlan {
  int64_t rows = 0, cols = 0, nnz = 0;
  ValueType type = ValueType::f64;
  bool betaCanBeNonZero = true;
  std::string text;
  double setupMs = 0;
  std::optional<GpuProduct> gpu;
  StagedProduct staged;              // for vectors on the host
  std::optional<ValueUpdate> update; // of a plan on the GPU; set if it can take new values
  std::shared_ptr<HostCopy> host;    // set if products run on the host

  // The memory that it holds where its products run.
  int64_t bytes() const {
    return gpu ? gpu->deviceBytes() + (update ? update->deviceBytes() : 0) : host->bytes();
  }
};

// Specializes for `a`, whose arrays are on the host or on a GPU; in the way of `like`, unless that
// is null or does not fit.
llvm::Error makePlan(ApiPlan &plan, const CsrView &a, const specmvPlanOptions_t &options,
                     const ApiPlan *like);

// Replaces the values, which are on the host or on a GPU; on the stream if products run there.
llvm::Error updateValues(ApiPlan &plan, const void *val, void *stream);

} // namespace specmv
