// Orders the plans of a matrix by the time that the traffic model predicts.
#pragma once

#include "models/gpu.h"
#include "models/plan.h"

#include <vector>

namespace specmv {

struct Candidate {
  Plan plan;
  double predictedUs = 0;
  double measuredUs = 0; // 0: not measured
};

// By ascending prediction; plans that tie keep their order.
std::vector<Candidate> rank(std::vector<Plan> plans, const GpuModel &gpu);

} // namespace specmv
