// How much plans count, and the sums of their errors.
#include "runtime/evaluate/terms.h"

#include "generator/format.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace specmv {

// A plan that could be chosen counts 1, where its time is more than a launch's.
static double weightOf(double us, double fastest) {
  const double slow = us / fastest;
  const double chance = slow < 1.5 ? 1 : slow < 4 ? 0.3 : 0.05;
  return fastest < 5 ? chance / 5 : chance;
}

static void addPlans(const Measured &measured, std::vector<FitPlan> &out) {
  const size_t first = out.size();
  const double fastest = fastestUs(measured);
  std::set<std::string> ours;
  for (const auto &[plan, us] : measured.plans)
    if (const Format *format = findFormat(plan.format); format && !format->library) {
      out.push_back({&measured, &plan, us, weightOf(us, fastest)});
      ours.insert(plan.format);
    }
  // Matrices of which few formats were measured say little about choices.
  for (size_t i = first; i < out.size() && ours.size() < 4; ++i)
    out[i].weight *= 0.2;
}

// A family counts as much as the root of what its plans count.
std::vector<FitPlan> plansToFit(llvm::ArrayRef<const Measured *> all) {
  std::vector<FitPlan> out;
  for (const Measured *each : all)
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

// Of plans begin .. end, which are of one matrix.
static void addRanking(llvm::ArrayRef<FitPlan> plans, size_t begin, size_t end,
                       std::vector<FitTerm> &out) {
  constexpr double kShort = 5, kNear = 1.5, kNearer = 1.3, kTimes = 3;
  std::vector<std::pair<size_t, double>> near;
  double fastest = plans[begin].us, sum = 0;
  for (size_t i = begin; i < end; ++i)
    fastest = std::min(fastest, plans[i].us);
  for (size_t i = begin; i < end && fastest >= kShort; ++i)
    if (plans[i].us < kNear * fastest)
      near.emplace_back(i, plans[i].weight * (plans[i].us < kNearer * fastest ? 3 : 1));
  for (const auto &[plan, weight] : near)
    sum += weight;
  for (size_t a = 0; a < near.size() && near.size() > 1; ++a) {
    FitTerm term{near, plans[begin].measured, kTimes * near[a].second};
    for (auto &[plan, times] : term.of)
      times = (plan == near[a].first ? 1 : 0) - times / sum;
    out.push_back(std::move(term));
  }
}

std::vector<FitTerm> termsOf(llvm::ArrayRef<FitPlan> plans) {
  std::vector<FitTerm> out;
  for (size_t i = 0; i < plans.size(); ++i)
    out.push_back({{{i, 1.0}}, plans[i].measured, plans[i].weight});
  for (size_t begin = 0, end = 0; begin < plans.size(); begin = end) {
    while (end < plans.size() && plans[end].measured == plans[begin].measured)
      ++end;
    addRanking(plans, begin, end, out);
  }
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
