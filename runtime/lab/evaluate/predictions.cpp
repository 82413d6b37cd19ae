// Predicts plans on all cores.
#include "runtime/lab/evaluate/predictions.h"

#include "models/base/parallel.h"
#include "runtime/lab/evaluate/time_models.h"

#include <cmath>
#include <map>
#include <numeric>

namespace specmv {

template <class Body> static void eachOnItsOwn(size_t count, const Body &body) {
  parallelFor(static_cast<int64_t>(count), 1,
              [&](int64_t begin, int64_t /*end*/) { body(static_cast<size_t>(begin)); });
}

static std::vector<size_t> numbersFrom(int64_t begin, int64_t end) {
  std::vector<size_t> out(static_cast<size_t>(end - begin));
  std::iota(out.begin(), out.end(), static_cast<size_t>(begin));
  return out;
}

Predictions::Predictions(std::vector<FitPlan> plans, GpuModel start, std::vector<Knob> knobs)
    : start_(std::move(start)), plans_(std::move(plans)), knobs_(std::move(knobs)) {
  findAffected();
}

std::vector<double> Predictions::errors(const std::vector<double> &moved) const {
  constexpr int64_t kGrain = 256;
  const GpuModel gpu = model(moved);
  std::vector<double> out(plans_.size());
  parallelFor(static_cast<int64_t>(out.size()), kGrain, [&](int64_t begin, int64_t end) {
    llvm::copy(errorsOf(numbersFrom(begin, end), gpu), out.begin() + begin);
  });
  return out;
}

std::vector<SparseRow> Predictions::slopes(const std::vector<double> &moved,
                                           const std::vector<double> &errors) const {
  // In the logarithm. Steeper slopes are steps of numbers that are rounded to whole ones.
  constexpr double kDifference = 1e-4, kSteepest = 4;
  std::vector<std::vector<double>> columns(knobs_.size());
  // At its upper limit a number is moved down: above it, it may have no effect.
  const auto differenceOf = [&](size_t knob) {
    return moved[knob] + kDifference > knobs_[knob].most ? -kDifference : kDifference;
  };
  eachOnItsOwn(knobs_.size(), [&](size_t knob) {
    GpuModel gpu = model(moved);
    knobs_[knob].set(gpu, moved[knob] + differenceOf(knob));
    columns[knob] = errorsOf(affected_[knob], gpu);
  });
  std::vector<SparseRow> out(plans_.size());
  for (size_t knob = 0; knob < knobs_.size(); ++knob)
    for (size_t i = 0; i < columns[knob].size(); ++i) {
      const size_t plan = affected_[knob][i];
      const double slope = (columns[knob][i] - errors[plan]) / differenceOf(knob);
      if (slope != 0 && std::abs(slope) < kSteepest)
        out[plan].emplace_back(knob, slope);
    }
  return out;
}

// Consecutive plans of one matrix share a request.
std::vector<double> Predictions::errorsOf(const std::vector<size_t> &plans,
                                          const GpuModel &gpu) const {
  const Fixed nothing;
  std::vector<double> out;
  out.reserve(plans.size());
  for (size_t i = 0; i < plans.size();) {
    const Measured &measured = *plans_[plans[i]].measured;
    const Problem problem{.type = measured.type};
    const PlanRequest request{measured.profile, problem, gpu, nothing};
    for (; i < plans.size() && plans_[plans[i]].measured == &measured; ++i) {
      const FitPlan &each = plans_[plans[i]];
      const TimeModel &model = each.isReplay ? replayModel() : trafficModel();
      out.push_back(std::log(*model.predictUs(request, *each.plan) / each.us));
    }
  }
  return out;
}

// Tests all rates of a group ("csr5.") at once: most plans that read one of them read the others.
void Predictions::findAffected() {
  std::map<std::string, std::vector<size_t>> byGroup;
  for (size_t i = 0; i < knobs_.size(); ++i)
    byGroup[knobs_[i].name.substr(0, knobs_[i].name.find('.'))].push_back(i);
  std::vector<const std::vector<size_t> *> groups;
  groups.reserve(byGroup.size());
  for (const auto &[name, knobs] : byGroup)
    groups.push_back(&knobs);
  const std::vector<double> before = errors(std::vector<double>(knobs_.size()));
  affected_.resize(knobs_.size());
  eachOnItsOwn(groups.size(), [&](size_t group) {
    const std::vector<size_t> plans = plansThatRead(*groups[group], before);
    for (const size_t knob : *groups[group])
      affected_[knob] = plans;
  });
}

// Returns the plans whose predictions change anywhere between the bounds. A rate may have no effect
// at the start and one farther away, where another part of the time is the longest.
std::vector<size_t> Predictions::plansThatRead(const std::vector<size_t> &knobs,
                                               const std::vector<double> &before) const {
  const std::vector<size_t> every = numbersFrom(0, static_cast<int64_t>(plans_.size()));
  std::vector<bool> reads(plans_.size());
  for (const auto bound : {&Knob::least, &Knob::most}) {
    GpuModel gpu = start_;
    for (const size_t knob : knobs)
      knobs_[knob].set(gpu, knobs_[knob].*bound);
    const std::vector<double> changed = errorsOf(every, gpu);
    for (const size_t plan : every)
      reads[plan] = reads[plan] || changed[plan] != before[plan];
  }
  std::vector<size_t> out;
  llvm::copy_if(every, std::back_inserter(out), [&](size_t plan) { return reads[plan]; });
  return out;
}

} // namespace specmv
