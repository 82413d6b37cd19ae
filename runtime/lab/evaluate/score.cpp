// Computes errors and regrets of a model, and factors on the predictions of some kinds of plans.
#include "runtime/lab/evaluate/score.h"

#include "generator/rank.h"
#include "generator/rate_table.h"
#include "models/base/numbers.h"
#include "runtime/lab/evaluate/cautions.h"
#include "runtime/lab/evaluate/measured.h"
#include "runtime/lab/evaluate/time_models.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace specmv {

// --- Score ---------------------------------------------------------------------------------------

// Computes errors and regrets of a model, and their range over other matrices of the same kinds.

double Judged::error(size_t plan) const {
  const double us = measured->plans[plan].us;
  return std::abs(*predictedUs[plan] - us) / us;
}

static bool isCandidate(const Measured &measured, const Plan &plan, Candidates candidates) {
  const Format *format = findFormat(plan.format);
  return format && whyNotByItself(*format).empty() && !lacksCounts(measured, plan) &&
         (!format->library || candidates == Candidates::withLibrary);
}

// Returns the time by which the model orders the plan; 0 if it has no prediction.
static double orderedBy(const TimeModel &model, const PlanRequest &request, const Plan &plan,
                        std::optional<double> predictedUs) {
  if (!predictedUs)
    return 0;
  const double us = model.comparedUs ? model.comparedUs(request, plan) : *predictedUs;
  return us * (model.caution ? model.caution(request, plan) : 1);
}

Judged judge(const Measured &measured, const TimeModel &model, const GpuModel &gpu,
             Candidates candidates) {
  const Problem problem{.type = measured.type};
  const Fixed nothing;
  const PlanRequest request{measured.profile, problem, gpu, nothing};
  Judged out{.measured = &measured};
  for (size_t i = 0; i < measured.plans.size(); ++i) {
    const Plan &plan = measured.plans[i].plan;
    const double us = measured.plans[i].us;
    out.predictedUs.push_back(model.predictUs(request, plan));
    out.cautiousUs.push_back(orderedBy(model, request, plan, out.predictedUs[i]));
    if (!isCandidate(measured, plan, candidates))
      continue;
    out.fastestUs = out.fastestUs == 0 ? us : std::min(us, out.fastestUs);
    if (out.predictedUs[i])
      out.ranked.push_back(i);
  }
  std::stable_sort(out.ranked.begin(), out.ranked.end(),
                   [&](size_t a, size_t b) { return out.cautiousUs[a] < out.cautiousUs[b]; });
  if (!out.ranked.empty())
    out.choice = out.ranked.front();
  return out;
}

Judged afterTrial(Judged judged) {
  std::vector<Foreseen> foreseen;
  foreseen.reserve(judged.ranked.size());
  for (const size_t i : judged.ranked)
    foreseen.push_back({judged.measured->plans[i].plan.format, judged.cautiousUs[i]});
  for (const size_t at : plansToTry(foreseen, 0, [](size_t) { return 0.0; })) {
    const size_t i = judged.ranked[at];
    if (judged.measured->plans[i].us < judged.measured->plans[*judged.choice].us)
      judged.choice = i;
  }
  return judged;
}

static ErrorSummary summaryOf(std::vector<double> errors) {
  if (errors.empty())
    return {};
  std::sort(errors.begin(), errors.end());
  const double sum = std::accumulate(errors.begin(), errors.end(), 0.0);
  return {.plans = static_cast<int64_t>(errors.size()),
          .mean = sum / static_cast<double>(errors.size()),
          .median = percentile(errors, 0.5),
          .p90 = percentile(errors, 0.9)};
}

static bool isOf(const Measured &measured, const Plan &plan, llvm::StringRef format) {
  return format.empty() ? isCandidate(measured, plan, Candidates::ours) : plan.format == format;
}

ErrorSummary errorsOf(llvm::ArrayRef<Judged> judged, llvm::StringRef format) {
  std::vector<double> errors;
  for (const Judged &each : judged)
    for (size_t i = 0; i < each.predictedUs.size(); ++i)
      if (each.predictedUs[i] && isOf(*each.measured, each.measured->plans[i].plan, format))
        errors.push_back(each.error(i));
  return summaryOf(std::move(errors));
}

ErrorSummary errorsOfChoices(llvm::ArrayRef<Judged> judged) {
  std::vector<double> errors;
  for (const Judged &each : judged)
    if (each.choice)
      errors.push_back(each.error(*each.choice));
  return summaryOf(std::move(errors));
}

namespace {
// The regrets of one matrix in its types, which are not independent cases.
struct OfMatrix {
  double logs = 0;
  double cases = 0;
};
} // namespace

static double meanOf(const std::vector<OfMatrix> &drawn) {
  OfMatrix sum;
  for (const OfMatrix &each : drawn)
    sum.logs += each.logs, sum.cases += each.cases;
  return std::exp(sum.logs / sum.cases);
}

// Bootstraps: draws as many matrices as there are, with replacement, many times. The draws are the
// same on every call.
static std::vector<double> drawnMeans(const std::vector<OfMatrix> &matrices) {
  constexpr int kDraws = 1000;
  std::vector<double> means;
  std::vector<OfMatrix> drawn(matrices.size());
  for (int i = 0; i < kDraws; ++i) {
    Random random(1, Drawn::columns, i);
    for (OfMatrix &each : drawn)
      each = matrices[random.below(static_cast<int64_t>(matrices.size()))];
    means.push_back(meanOf(drawn));
  }
  std::sort(means.begin(), means.end());
  return means;
}

RegretSummary regretOf(llvm::ArrayRef<Judged> judged) {
  RegretSummary out;
  std::map<std::string, OfMatrix> byMatrix;
  std::vector<double> regrets;
  for (const Judged &each : judged) {
    if (!each.choice)
      continue;
    regrets.push_back(each.regret());
    OfMatrix &of = byMatrix[each.measured->matrix];
    of.logs += std::log(regrets.back()), of.cases += 1;
    if (regrets.back() > out.worst)
      out.worst = regrets.back(), out.worstMatrix = each.measured->matrix;
  }
  if (regrets.empty())
    return out;
  std::vector<OfMatrix> matrices;
  matrices.reserve(byMatrix.size());
  for (const auto &[name, of] : byMatrix)
    matrices.push_back(of);
  const std::vector<double> means = drawnMeans(matrices);
  std::sort(regrets.begin(), regrets.end());
  out.cases = static_cast<int64_t>(regrets.size());
  out.mean = meanOf(matrices);
  out.low = percentile(means, 0.025), out.high = percentile(means, 0.975);
  out.p95 = percentile(regrets, 0.95);
  return out;
}

// --- Cautions ------------------------------------------------------------------------------------

// Finds cautions kind by kind: those of a whole format first, then those of only some of its plans.

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
