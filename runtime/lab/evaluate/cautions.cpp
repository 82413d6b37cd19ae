// Finds cautions kind by kind: those of a whole format first, then those of only some of its plans.
#include "runtime/lab/evaluate/cautions.h"

#include "generator/rate_table.h"
#include "runtime/lab/evaluate/measured.h"
#include "runtime/lab/evaluate/time_models.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace specmv {

static std::vector<Rate> cautionRates(const std::vector<std::string> &left) {
  std::vector<Rate> out;
  for (const Rate &rate : allRates())
    if (rate.fit.by == FittedBy::caution && !llvm::is_contained(left, rate.name))
      out.push_back(rate);
  return out;
}

static std::vector<double> cautionsOf(llvm::ArrayRef<FitPlan> plans, const GpuModel &gpu) {
  const Fixed nothing;
  std::vector<double> out;
  out.reserve(plans.size());
  for (size_t i = 0; i < plans.size();) {
    const Measured &measured = *plans[i].measured;
    const Problem problem{.type = measured.type};
    const PlanRequest request{measured.profile, problem, gpu, nothing};
    for (; i < plans.size() && plans[i].measured == &measured; ++i)
      out.push_back(trafficModel().caution(request, *plans[i].plan));
  }
  return out;
}

Cautions::Cautions(llvm::ArrayRef<FitPlan> plans, const GpuModel &start,
                   const std::vector<std::string> &left)
    : plans_(plans) {
  GpuModel gpu = start;
  const std::vector<double> before = cautionsOf(plans, gpu);
  std::map<std::string, std::vector<size_t>> readers;
  for (const Rate &rate : cautionRates(left)) {
    gpu.rates.set(rate.name, 2 * start.rates[rate]);
    const std::vector<double> changed = cautionsOf(plans, gpu);
    gpu.rates.set(rate.name, start.rates[rate]);
    for (size_t i = 0; i < plans.size(); ++i)
      if (changed[i] != before[i])
        readers[rate.name].push_back(i);
  }
  for (const auto &[name, of] : readers)
    names_.push_back(name);
  std::stable_sort(names_.begin(), names_.end(), [&](const std::string &a, const std::string &b) {
    return readers[a].size() > readers[b].size();
  });
  read_.resize(plans.size());
  for (size_t i = 0; i < names_.size(); ++i) {
    start_.push_back(start.rates[*findRate(names_[i])]);
    for (const size_t plan : readers[names_[i]])
      read_[plan] |= uint64_t{1} << i;
  }
}

namespace {
struct Sum {
  double plans = 0, squares = 0;
};
} // namespace

// Sums over plans that are predicted near the best of their matrix, by the cautions that they read.
// Plans are ordered by their times by launches, so replays do not count.
static std::map<uint64_t, Sum> sumsOf(llvm::ArrayRef<FitPlan> plans,
                                      const std::vector<uint64_t> &read,
                                      const std::vector<double> &errors,
                                      const std::string &withoutFamily) {
  constexpr double kNear = 1.5, kShortUs = 5;
  constexpr double kMostError = 0.7; // twice as long: longer times were disturbed
  std::map<uint64_t, Sum> out;
  for (size_t begin = 0, end = 0; begin < plans.size(); begin = end) {
    double fastest = plans[begin].us, best = HUGE_VAL;
    for (; end < plans.size() && plans[end].measured == plans[begin].measured; ++end) {
      if (plans[end].isReplay)
        continue;
      fastest = std::min(fastest, plans[end].us);
      best = std::min(best, plans[end].us * std::exp(errors[end]));
    }
    if (fastest < kShortUs || !hasManyFormats(*plans[begin].measured) ||
        (!withoutFamily.empty() && familyOf(plans[begin].measured->matrix) == withoutFamily))
      continue;
    for (size_t i = begin; i < end; ++i)
      if (!plans[i].isReplay && plans[i].us * std::exp(errors[i]) < kNear * best) {
        Sum &sum = out[read[i]];
        sum.plans += 1;
        const double longer = std::clamp(-errors[i], 0.0, kMostError);
        sum.squares += longer * longer;
      }
  }
  return out;
}

void Cautions::set(GpuModel &gpu, const std::vector<double> &errors,
                   const std::string &withoutFamily) const {
  constexpr double kFactor = 6, kPlansOfStart = 10;
  const std::map<uint64_t, Sum> sums = sumsOf(plans_, read_, errors, withoutFamily);
  std::vector<double> logs(names_.size());
  uint64_t found = 0;
  for (size_t i = 0; i < names_.size(); ++i) {
    found |= uint64_t{1} << i;
    const double start = std::log(start_[i]);
    double plans = kPlansOfStart, sum = kPlansOfStart * start;
    for (const auto &[read, of] : sums)
      if ((read >> i & 1) && !(read & ~found)) {
        double others = 0; // known cautions of these plans
        for (size_t k = 0; k < i; ++k)
          others += (read >> k & 1) ? logs[k] : 0;
        plans += of.plans;
        sum += kFactor * of.squares - of.plans * others;
      }
    logs[i] = std::max(0.0, sum / plans);
    gpu.rates.set(names_[i], std::exp(logs[i]));
  }
}

} // namespace specmv
