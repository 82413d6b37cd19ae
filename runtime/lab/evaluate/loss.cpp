// Weights plans and their errors.
#include "runtime/lab/evaluate/loss.h"

#include "generator/format.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace specmv {

// A plan that could be chosen has weight 1, unless its time is mostly that of a launch.
static double weightOf(double us, double fastest) {
  const double slow = us / fastest;
  const double chance = slow < 2 ? 1 : slow < 4 ? 0.5 : 0.1;
  return fastest < 5 ? chance / 5 : chance;
}

static void addPlans(const Measured &measured, std::vector<FitPlan> &out) {
  const size_t first = out.size();
  const double fastest = fastestUs(measured);
  for (const auto &[plan, us] : measured.plans)
    if (const Format *format = findFormat(plan.format); format && !format->library)
      out.push_back({&measured, &plan, us, weightOf(us, fastest)});
  if (hasManyFormats(measured))
    return;
  for (size_t i = first; i < out.size(); ++i)
    out[i].weight *= 0.2;
}

// The weight of a family is the square root of its plans' sum.
std::vector<FitPlan> plansToFit(llvm::ArrayRef<const Measured *> all) {
  std::vector<FitPlan> out;
  for (const Measured *each : all)
    if (!isKeptFromFits(*each))
      addPlans(*each, out);
  std::map<std::string, double> ofFamily;
  for (const FitPlan &each : out)
    ofFamily[familyOf(each.measured->matrix)] += each.weight;
  double sum = 0;
  for (FitPlan &each : out)
    sum += each.weight /= std::sqrt(ofFamily[familyOf(each.measured->matrix)]);
  for (FitPlan &each : out)
    each.weight *= static_cast<double>(out.size()) / sum;
  return out;
}

constexpr double kLinear = 0.1;

double lossOf(double error) {
  const double size = std::abs(error);
  return size < kLinear ? size * size : kLinear * (2 * size - kLinear);
}

double squareWeightOf(double error) {
  const double size = std::abs(error);
  return size < kLinear ? 1 : kLinear / size;
}

} // namespace specmv
