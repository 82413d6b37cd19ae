// Computes errors and regrets of a model, and their range over other matrices of the same kinds.
#include "runtime/lab/evaluate/score.h"

#include "generator/trial.h"
#include "models/base/random.h"
#include "models/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace specmv {

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

} // namespace specmv
