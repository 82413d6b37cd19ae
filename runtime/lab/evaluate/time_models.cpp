// Maps our plans to the kernels of the papers' models, and predicts plans on all cores.
#include "runtime/lab/evaluate/time_models.h"

#include "generator/shared/kept.h"
#include "models/base/parallel.h"
#include "runtime/lab/evaluate/predictions.h"

#include <cmath>
#include <map>
#include <numeric>

namespace specmv {

// --- Time models ---------------------------------------------------------------------------------

// Lists the models, and maps our plans to the kernels that a paper's model covers.

template <double predict(const Traffic &, const GpuModel &)>
static std::optional<double> trafficUs(const PlanRequest &request, const Plan &plan,
                                       const StripsReading & /*reading*/) {
  const Format *format = findFormat(plan.format);
  return format ? std::optional(predict(format->traffic(request, plan), request.gpu))
                : std::nullopt;
}

static double trafficCompared(const PlanRequest &request, const Plan &plan) {
  return predictBoth(findFormat(plan.format)->traffic(request, plan), request.gpu).comparedUs();
}

static double trafficCaution(const PlanRequest &request, const Plan &plan) {
  return findFormat(plan.format)->traffic(request, plan).caution;
}

PmfVariant pmfVariantOf(const StripsReading &reading) {
  return reading.variant == StripsVariant::asPrinted ? PmfVariant::asPrinted
                                                     : PmfVariant::corrected;
}

// The paper's CSR gives each row to a thread, as COO, ELL and HYB do what our formats of these
// names do. The matrix is on the device, so only CT counts.
static std::optional<double> pmfUs(const PlanRequest &request, const Plan &plan,
                                   const StripsReading &reading) {
  const PmfInput in{request.profile.lengths, request.profile.rows, request.profile.cols,
                    request.problem.type};
  const PmfVariant variant = pmfVariantOf(reading);
  if (plan.format == "coo")
    return pmfCoo(in, request.gpu, variant).ct;
  if (plan.format == "csr-scalar")
    return pmfCsr(in, request.gpu, variant).ct;
  if (plan.format == "ell")
    return pmfEll(in, request.gpu, variant).ct;
  if (plan.format == "hyb")
    return pmfHyb(in, request.gpu, variant, plan.get(key::kHybK)).ct;
  return std::nullopt;
}

// Means of the absolute errors over Table 3, for times including the copies to and from the GPU.
constexpr PublishedError kPmfErrors[] = {
    {"coo", 15.0, "with copies; GT 645M, 10 matrices, Table 3"},
    {"csr-scalar", 14.9, "with copies; GT 645M, 10 matrices, Table 3"},
    {"ell", 12.9, "with copies; GT 645M, 10 matrices, Table 3"}};

static StripsTarget targetOf(const PlanRequest &request, int64_t /*number*/) {
  return stripsTarget(request.profile);
}

static StripsPrediction byStrips(const PlanRequest &request, const Plan &plan,
                                 const StripsReading &reading) {
  return stripsPrediction(plan, kept<targetOf>(request), request.gpu, request.problem.type,
                          reading);
}
static std::optional<double> stripsTimeUs(const PlanRequest &request, const Plan &plan,
                                          const StripsReading &reading) {
  return byStrips(request, plan, {reading.variant}).strips;
}
static std::optional<double> statisticsTimeUs(const PlanRequest &request, const Plan &plan,
                                              const StripsReading &reading) {
  return byStrips(request, plan, reading).statistics;
}

constexpr PublishedError kStripsErrors[] = {{"csr-vector", 4.2, "C2050, 8 matrices, figure 15"},
                                            {"ell", 5.2, "C2050, 8 matrices, figure 15"},
                                            {"coo", 1.0, "C2050, 8 matrices, figure 15"},
                                            {"hyb", 5.7, "C2050, 8 matrices, figure 15"}};
constexpr const char *kFigures[] = {
    "GTX 540M, 30 matrices, figure 7", "GTX 540M, 30 matrices, figure 8",
    "GTX 540M, 30 matrices, figure 9", "GTX 540M, 30 matrices, figure 10"};
// The errors of figures 7 to 10 by law; the paper has no Poisson lengths.
struct StatisticsErrors {
  PublishedError of[4];
};
constexpr StatisticsErrors statisticsErrors(double csrV, double csrS, double ell, double jad) {
  return {{{"csr-vector", csrV, kFigures[0]},
           {"csr-scalar", csrS, kFigures[1]},
           {"ell", ell, kFigures[2]},
           {"jad", jad, kFigures[3]}}};
}
constexpr StatisticsErrors kFixedErrors = statisticsErrors(5.05, 5.44, 5.79, 5.97),
                           kNormalErrors = statisticsErrors(2.42, 3.52, 3.26, 3.94),
                           kUniformErrors = statisticsErrors(2.56, 3.21, 3.53, 4.28),
                           // uniform for CSR-S, normal for the others, as the kernels' own laws are
    kOwnErrors = statisticsErrors(2.42, 3.21, 3.26, 3.94);

static llvm::ArrayRef<PublishedError> publishedOf(std::optional<RowLaw> law) {
  if (!law)
    return kOwnErrors.of;
  switch (*law) {
  case RowLaw::fixed:
    return kFixedErrors.of;
  case RowLaw::normal:
    return kNormalErrors.of;
  case RowLaw::uniform:
    return kUniformErrors.of;
  case RowLaw::poisson:
    break;
  }
  return {};
}

constexpr TimeModel kTraffic{"traffic", trafficUs<predictUs>, {}, trafficCompared, trafficCaution};
constexpr TimeModel kReplayModel{
    "replays", trafficUs<predictReplayUs>, {}, trafficCompared, trafficCaution};

std::vector<TimeModel> timeModels(const StripsReading &reading) {
  std::vector<TimeModel> out{{"pmf", pmfUs, kPmfErrors},
                             {"strips", stripsTimeUs, kStripsErrors},
                             {"statistics", statisticsTimeUs, publishedOf(reading.law)}};
  for (TimeModel &model : out)
    model.reading = reading;
  out.push_back(kTraffic);
  return out;
}
const TimeModel &trafficModel() { return kTraffic; }
const TimeModel &replayModel() { return kReplayModel; }

// --- Predictions ---------------------------------------------------------------------------------

// Predicts plans on all cores.

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
