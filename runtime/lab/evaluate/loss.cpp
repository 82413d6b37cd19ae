// Weights plans and their errors.
#include "runtime/lab/evaluate/loss.h"

#include "generator/format.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace specmv {

// A plan that could be chosen has weight 1.
static double weightOf(double us, double fastest) {
  const double slow = us / fastest;
  return slow < 1.3 ? 1 : std::pow(1.3 / slow, 2);
}

// A product of less than 5 us takes mostly the time of its launch, which the host may delay, so it
// counts less. A replay has no such delay.
static double shareOfLaunches(double fastest) { return fastest < 5 ? 0.2 : 1; }

static void addPlan(const Measured &measured, const MeasuredPlan &plan, double fastest,
                    double fastestReplay, std::vector<FitPlan> &out) {
  const double ofEach = plan.usReplay > 0 ? 0.5 : 1;
  out.push_back({&measured, &plan.plan, plan.us,
                 ofEach * shareOfLaunches(fastest) * weightOf(plan.us, fastest)});
  if (plan.usReplay > 0)
    out.push_back({&measured, &plan.plan, plan.usReplay,
                   ofEach * weightOf(plan.usReplay, fastestReplay), /*isReplay=*/true});
}

static void addPlans(const Measured &measured, std::vector<FitPlan> &out) {
  const size_t first = out.size();
  const double fastest = fastestUs(measured), fastestReplay = fastestUs(replaysOf(measured));
  for (const MeasuredPlan &each : measured.plans)
    if (const Format *format = findFormat(each.plan.format);
        format && !format->library && !lacksCounts(measured, each.plan))
      addPlan(measured, each, fastest, fastestReplay, out);
  if (hasManyFormats(measured))
    return;
  for (size_t i = first; i < out.size(); ++i)
    out[i].weight *= 0.2;
}

// The weight of a matrix is the square root of its plans' sum.
std::vector<FitPlan> plansToFit(llvm::ArrayRef<const Measured *> all) {
  std::vector<FitPlan> out;
  for (const Measured *each : all)
    if (!isKeptFromFits(*each))
      addPlans(*each, out);
  std::map<std::string, double> ofMatrix;
  for (const FitPlan &each : out)
    ofMatrix[each.measured->matrix] += each.weight;
  double sum = 0;
  for (FitPlan &each : out)
    sum += each.weight /= std::sqrt(ofMatrix[each.measured->matrix]);
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
