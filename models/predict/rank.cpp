// Orders plans by the time that the traffic model predicts for them.
#include "models/predict/rank.h"

#include "models/predict/traffic.h"

#include <algorithm>

namespace specmv {

std::vector<Candidate> rank(std::vector<Plan> plans, const GpuModel &gpu) {
  std::vector<Candidate> out;
  out.reserve(plans.size());
  for (Plan &plan : plans) {
    const double us = predictUs(plan.traffic, gpu);
    out.push_back({std::move(plan), us});
  }
  std::stable_sort(out.begin(), out.end(), [](const Candidate &a, const Candidate &b) {
    return a.predictedUs < b.predictedUs;
  });
  return out;
}

} // namespace specmv
