// Coordinate descent over the logarithms of the rates. A rate of a format changes the predictions
// of few plans only; those are found once and predicted anew at each step.
#include "runtime/evaluate/fit.h"

#include "models/base/parallel.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

namespace specmv {

namespace {
// A number of the model that may move.
struct Knob {
  std::string name;
  double GpuModel::*member; // null: a rate
  double start = 0;
  double step = 0.2;                 // of the logarithm
  double most = 3;                   // in times of the start
  std::vector<size_t> affected = {}; // plans

  double get(const GpuModel &gpu) const { return member ? gpu.*member : gpu.rates[name]; }
  void set(GpuModel &gpu, double value) const {
    if (member)
      gpu.*member = value;
    else
      gpu.rates.set(name, value);
  }
};

// A plan with what its prediction needs.
struct Case {
  const Measured *measured;
  const Plan *plan;
  double us, weight;
};
} // namespace

constexpr std::pair<const char *, double GpuModel::*> kMembers[] = {
    {"l2GBs", &GpuModel::l2GBs},       {"gatherGBs", &GpuModel::gatherGBs},
    {"launchUs", &GpuModel::launchUs}, {"periodUs", &GpuModel::periodUs},
    {"loadNs", &GpuModel::loadNs},     {"chainNs", &GpuModel::chainNs},
    {"waveNs", &GpuModel::waveNs},     {"dramDelay", &GpuModel::dramDelay}};

llvm::ArrayRef<std::pair<const char *, double GpuModel::*>> fittedMembers() { return kMembers; }

static std::vector<Knob> knobsOf(const GpuModel &gpu, const std::vector<std::string> &left) {
  std::vector<Knob> out;
  for (const auto &[name, member] : kMembers)
    out.push_back({name, member, gpu.*member});
  for (const auto &[name, value] : gpu.rates.all()) {
    // No kernel reaches more than the rate of a copy by much.
    const bool isShare = name.find("fficiency") != std::string::npos;
    out.push_back({name, nullptr, value, 0.2, isShare ? std::min(3.0, 1.1 / value) : 3.0});
  }
  std::erase_if(out, [&](const Knob &knob) { return llvm::is_contained(left, knob.name); });
  return out;
}

// How much a plan counts: one that could be chosen as 1, where its time is more than a launch's.
static double weightOf(double us, double fastest) {
  const double slow = us / fastest;
  const double chance = slow < 1.5 ? 1 : slow < 4 ? 0.3 : 0.05;
  return fastest < 5 ? chance / 5 : chance;
}

static std::vector<Case> casesOf(llvm::ArrayRef<const Measured *> all) {
  std::vector<Case> out;
  std::map<std::string, double> ofFamily;
  for (const Measured *m : all)
    for (const auto &[plan, us] : m->plans)
      if (const Format *format = findFormat(plan.format); format && !format->library) {
        out.push_back({m, &plan, us, weightOf(us, fastestUs(*m))});
        ofFamily[familyOf(m->matrix)] += out.back().weight;
      }
  double sum = 0;
  for (Case &each : out)
    sum += each.weight /= std::sqrt(ofFamily[familyOf(each.measured->matrix)]);
  for (Case &each : out)
    each.weight /= sum;
  return out;
}

static double lossOf(double predictedUs, double us) {
  constexpr double kLinear = 0.15;
  const double error = std::abs(std::log(predictedUs / us));
  return error < kLinear ? error * error : kLinear * (2 * error - kLinear);
}

namespace {
// The predictions of all plans by the model as it stands.
class Fitting {
public:
  Fitting(llvm::ArrayRef<const Measured *> all, const GpuModel &start, const FitOptions &options)
      : options_(options), gpu_(start), cases_(casesOf(all)), knobs_(knobsOf(start, options.left)) {
    for (size_t i = 0; i < cases_.size(); ++i)
      every_.push_back(i);
    losses_ = lossesOf(every_);
    for (Knob &knob : knobs_)
      findAffected(knob);
    std::erase_if(knobs_, [](const Knob &knob) { return knob.affected.empty(); });
  }

  double loss() const {
    double sum = 0;
    for (const double each : losses_)
      sum += each;
    for (const Knob &knob : knobs_)
      sum += pullOf(knob, knob.get(gpu_));
    return sum;
  }

  // False if no number moved by half a percent.
  bool round() {
    const GpuModel before = gpu_;
    bool moved = false;
    for (Knob &knob : knobs_) {
      const bool better = tryStep(knob, knob.step) || tryStep(knob, -knob.step);
      knob.step *= better ? 1.5 : 0.4;
      knob.step = std::clamp(knob.step, 0.002, 0.5);
      moved |= better && knob.step > 0.005;
    }
    if (moved)
      goOnFrom(before);
    return moved || std::any_of(knobs_.begin(), knobs_.end(),
                                [](const Knob &knob) { return knob.step > 0.005; });
  }

  FitResult result(double before) const {
    FitResult out{.model = gpu_, .lossBefore = before, .lossAfter = loss()};
    for (const Knob &knob : knobs_)
      if (knob.get(gpu_) != knob.start)
        out.moved.push_back(knob.name);
    return out;
  }

private:
  // Each plan's weighted loss. Plans of one matrix stand together and share a request.
  std::vector<double> lossesOf(const std::vector<size_t> &plans) const {
    std::vector<double> out;
    out.reserve(plans.size());
    const Measured *last = nullptr;
    Problem problem;
    std::unique_ptr<PlanRequest> request;
    for (const size_t i : plans) {
      const Case &each = cases_[i];
      if (each.measured != last) {
        last = each.measured;
        problem = {.type = last->type};
        request =
            std::make_unique<PlanRequest>(PlanRequest{last->profile, problem, gpu_, nothing_});
      }
      const double us = *trafficModel().predictUs(*request, *each.plan);
      out.push_back(each.weight * lossOf(us, each.us));
    }
    return out;
  }

  // Numbers that only together make the loss less move slowly one after another. So what a round
  // moved is moved on, all at once, as long as that helps (the pattern moves of Hooke and Jeeves).
  void goOnFrom(const GpuModel &before) {
    const GpuModel here = gpu_;
    for (double times = 2; times <= 32; times *= 2) {
      const GpuModel kept = gpu_;
      const double loss = this->loss();
      for (const Knob &knob : knobs_) {
        const double factor = std::pow(knob.get(here) / knob.get(before), times - 1);
        knob.set(gpu_, std::clamp(knob.get(here) * factor, knob.start / 3, knob.start * knob.most));
      }
      std::vector<double> losses = lossesOf(every_);
      losses.swap(losses_);
      if (this->loss() < loss)
        continue;
      losses.swap(losses_);
      gpu_ = kept;
      return;
    }
  }

  void findAffected(Knob &knob) {
    for (const double factor : {0.6, 1.5}) {
      knob.set(gpu_, knob.start * std::min(factor, knob.most));
      const std::vector<double> changed = lossesOf(every_);
      for (size_t i = 0; i < changed.size(); ++i)
        if (changed[i] != losses_[i])
          knob.affected.push_back(i);
    }
    knob.set(gpu_, knob.start);
    std::sort(knob.affected.begin(), knob.affected.end());
    knob.affected.erase(std::unique(knob.affected.begin(), knob.affected.end()),
                        knob.affected.end());
  }

  double pullOf(const Knob &knob, double value) const {
    const double moved = std::log(value / knob.start);
    return options_.pull * moved * moved;
  }

  // Keeps the step if it makes the loss less.
  bool tryStep(Knob &knob, double step) {
    const double old = knob.get(gpu_), next = old * std::exp(step);
    if (next > knob.start * knob.most || next < knob.start / 3)
      return false;
    knob.set(gpu_, next);
    const std::vector<double> losses = lossesOf(knob.affected);
    double change = pullOf(knob, next) - pullOf(knob, old);
    for (size_t i = 0; i < losses.size(); ++i)
      change += losses[i] - losses_[knob.affected[i]];
    if (change > -1e-9) {
      knob.set(gpu_, old);
      return false;
    }
    for (size_t i = 0; i < losses.size(); ++i)
      losses_[knob.affected[i]] = losses[i];
    return true;
  }

  FitOptions options_;
  Fixed nothing_;
  GpuModel gpu_;
  std::vector<Case> cases_;
  std::vector<Knob> knobs_;
  std::vector<size_t> every_;  // the numbers of all plans
  std::vector<double> losses_; // of each plan
};
} // namespace

FitResult fit(llvm::ArrayRef<const Measured *> all, const GpuModel &start,
              const FitOptions &options) {
  Fitting fitting(all, start, options);
  const double before = fitting.loss();
  for (int i = 0; i < options.rounds && fitting.round(); ++i)
    ;
  return fitting.result(before);
}

std::vector<Judged> judgeLeftOut(llvm::ArrayRef<Measured> all, const GpuModel &start,
                                 Candidates candidates, const FitOptions &options) {
  std::map<std::string, GpuModel> withoutFamily;
  for (const Measured &each : all)
    withoutFamily[familyOf(each.matrix)] = {};
  std::vector<std::pair<const std::string, GpuModel> *> families;
  families.reserve(withoutFamily.size());
  for (auto &each : withoutFamily)
    families.push_back(&each);
  parallelFor(static_cast<int64_t>(families.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      auto &[family, model] = *families[static_cast<size_t>(i)];
      std::vector<const Measured *> others;
      for (const Measured &each : all)
        if (familyOf(each.matrix) != family)
          others.push_back(&each);
      model = fit(others, start, options).model;
    }
  });
  std::vector<Judged> out;
  for (const Measured &each : all)
    out.push_back(judge(each, trafficModel(), withoutFamily.at(familyOf(each.matrix)), candidates));
  return out;
}

} // namespace specmv
