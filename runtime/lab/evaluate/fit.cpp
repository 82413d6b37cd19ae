// The method of Levenberg and Marquardt over the logarithms of the knobs.
#include "runtime/lab/evaluate/fit.h"

#include "generator/format.h"
#include "generator/rate_table.h"
#include "runtime/lab/evaluate/cautions.h"
#include "runtime/lab/evaluate/predictions.h"
#include "runtime/lab/evaluate/score.h"
#include "runtime/lab/evaluate/time_models.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace specmv {

// --- Knobs ---------------------------------------------------------------------------------------

// Takes the bounds of rates from their table.

constexpr std::pair<const char *, double GpuModel::*> kMembers[] = {
    {"l2GBs", &GpuModel::l2GBs},       {"gatherGBs", &GpuModel::gatherGBs},
    {"launchUs", &GpuModel::launchUs}, {"periodUs", &GpuModel::periodUs},
    {"loadNs", &GpuModel::loadNs},     {"chainNs", &GpuModel::chainNs},
    {"waveNs", &GpuModel::waveNs},     {"dramDelay", &GpuModel::dramDelay}};

llvm::ArrayRef<std::pair<const char *, double GpuModel::*>> fittedMembers() { return kMembers; }

void Knob::set(GpuModel &gpu, double moved) const {
  const double value = start * std::exp(moved);
  if (member)
    gpu.*member = value;
  else
    gpu.rates.set(name, value);
}

// The GPU's own rates are known more precisely than those of kernels.
constexpr RateFit kMemberFit{.sigma = 0.2};

static Knob knobOf(std::string name, double GpuModel::*member, double start, const RateFit &fit) {
  const double far = std::log(fit.factor);
  return {std::move(name),
          member,
          start,
          -std::min(far, std::log(std::max(1.0, start / fit.least))),
          std::min(far, std::log(std::max(1.0, fit.most / start))),
          fit.sigma};
}

std::vector<Knob> knobsOf(const GpuModel &gpu, const std::vector<std::string> &left) {
  std::vector<Knob> out;
  for (const auto &[name, member] : kMembers)
    out.push_back(knobOf(name, member, gpu.*member, kMemberFit));
  for (const Rate &rate : allRates())
    if (rate.fit.by == FittedBy::slope)
      out.push_back(knobOf(rate.name, nullptr, gpu.rates[rate], rate.fit));
  llvm::erase_if(out, [&](const Knob &knob) { // 0 has no logarithm
    return knob.start <= 0 || llvm::is_contained(left, knob.name);
  });
  return out;
}

GpuModel movedBy(GpuModel start, llvm::ArrayRef<Knob> knobs, llvm::ArrayRef<double> moved) {
  for (size_t i = 0; i < knobs.size(); ++i)
    if (moved[i] != 0)
      knobs[i].set(start, moved[i]);
  return start;
}

// --- Loss ----------------------------------------------------------------------------------------

// Weights plans and their errors.

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

// --- Least squares -------------------------------------------------------------------------------

// Sums normal equations over sparse rows, and factorizes them by Cholesky's method.

void NormalEquations::add(const SparseRow &slopes, double error, double weight) {
  for (size_t a = 0; a < slopes.size(); ++a) {
    const auto [unknown, slope] = slopes[a];
    gradient_[unknown] += weight * slope * error;
    for (size_t b = 0; b <= a; ++b)
      at(unknown, slopes[b].first) += weight * slope * slopes[b].second;
  }
}

void NormalEquations::add(size_t unknown, double error, double weight) {
  gradient_[unknown] += weight * error;
  at(unknown, unknown) += weight;
}

void NormalEquations::hold(size_t unknown) {
  for (size_t i = 0; i < gradient_.size(); ++i)
    at(std::max(i, unknown), std::min(i, unknown)) = i == unknown ? 1 : 0;
  gradient_[unknown] = 0;
}

// Replaces the lower triangle by the factor L of L L^T; false if there is none.
static bool factorize(std::vector<double> &a, size_t n) {
  for (size_t j = 0; j < n; ++j)
    for (size_t i = j; i < n; ++i) {
      double rest = a[i * n + j];
      for (size_t k = 0; k < j; ++k)
        rest -= a[i * n + k] * a[j * n + k];
      if (i > j)
        a[i * n + j] = rest / a[j * n + j];
      else if (rest > 0)
        a[j * n + j] = std::sqrt(rest);
      else
        return false;
    }
  return true;
}

std::optional<std::vector<double>> NormalEquations::step(double damping) const {
  const size_t n = gradient_.size();
  std::vector<double> l = curvature_, x = gradient_;
  for (size_t i = 0; i < n; ++i)
    l[i * n + i] *= 1 + damping;
  if (!factorize(l, n))
    return std::nullopt;
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k)
      x[i] -= l[i * n + k] * x[k];
    x[i] /= l[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; ++k)
      x[i] -= l[k * n + i] * x[k];
    x[i] /= l[i * n + i];
  }
  for (double &each : x)
    each = -each;
  return x;
}

// --- Fit -----------------------------------------------------------------------------------------

// Implements the method of Levenberg and Marquardt over the logarithms of the numbers.

namespace {
// The current state of a fit.
struct Point {
  std::vector<double> moved, errors;
  double loss = 0;
  double damping = 1e-2;
};

// The function to minimize, over the plans that take part.
class Objective {
public:
  Objective(const Predictions &predictions, double pull) : predictions_(predictions), pull_(pull) {
    for (const FitPlan &plan : predictions.plans())
      weights_.push_back(plan.weight);
  }

  // Returns the objective of the same plans without those of a family.
  Objective without(const std::string &family) const {
    Objective out = *this;
    for (size_t i = 0; i < weights_.size(); ++i)
      if (familyOf(predictions_.plans()[i].measured->matrix) == family)
        out.weights_[i] = 0;
    return out;
  }

  Point at(std::vector<double> moved) const {
    Point out{std::move(moved), {}};
    out.errors = predictions_.errors(out.moved);
    out.loss = lossAt(out);
    return out;
  }

  // Returns the same predictions with the loss of these plans.
  Point from(Point point) const {
    point.loss = lossAt(point);
    return point;
  }

  // Moves to a better point, by slopes at this point or near it; false if there is none.
  bool step(Point &point, const std::vector<SparseRow> &slopes) const {
    constexpr int kTries = 6;
    const NormalEquations equations = linearized(point, slopes);
    for (int i = 0; i < kTries; ++i, point.damping *= 5) {
      const auto by = equations.step(point.damping);
      if (!by)
        continue;
      Point next = at(moved(point.moved, *by));
      if (!(next.loss < point.loss))
        continue;
      next.damping = std::max(point.damping / 5, 1e-5);
      point = std::move(next);
      return true;
    }
    return false;
  }

private:
  double lossAt(const Point &point) const {
    double sum = 0;
    for (size_t i = 0; i < weights_.size(); ++i)
      sum += weights_[i] * lossOf(point.errors[i]);
    for (size_t i = 0; i < point.moved.size(); ++i)
      sum += priceOf(i) * point.moved[i] * point.moved[i];
    return sum;
  }

  double priceOf(size_t knob) const {
    const double sigma = predictions_.knobs()[knob].sigma;
    return pull_ / (sigma * sigma);
  }

  NormalEquations linearized(const Point &point, const std::vector<SparseRow> &slopes) const {
    const std::vector<Knob> &knobs = predictions_.knobs();
    NormalEquations out(knobs.size());
    for (size_t i = 0; i < weights_.size(); ++i)
      if (weights_[i] > 0)
        out.add(slopes[i], point.errors[i], weights_[i] * squareWeightOf(point.errors[i]));
    for (size_t i = 0; i < knobs.size(); ++i) {
      out.add(i, point.moved[i], priceOf(i));
      const double down = out.gradient(i); // the direction in which the loss falls
      if (down > 0 ? point.moved[i] <= knobs[i].least : point.moved[i] >= knobs[i].most)
        out.hold(i);
    }
    return out;
  }

  std::vector<double> moved(std::vector<double> from, const std::vector<double> &by) const {
    constexpr double kFarthest = 0.7; // slopes are not valid farther away
    for (size_t i = 0; i < from.size(); ++i) {
      const Knob &knob = predictions_.knobs()[i];
      from[i] =
          std::clamp(from[i] + std::clamp(by[i], -kFarthest, kFarthest), knob.least, knob.most);
    }
    return from;
  }

  const Predictions &predictions_;
  std::vector<double> weights_ = {}; // one per plan
  double pull_;
};

// A fit to all matrices, from which fits without some of them start.
struct WholeFit {
  Predictions predictions;
  Cautions cautions;
  Objective objective;
  double lossBefore = 0;
  Point point = {};

  WholeFit(llvm::ArrayRef<const Measured *> all, const GpuModel &start, const FitOptions &options)
      : predictions(plansToFit(all), start, knobsOf(start, options.left)),
        cautions(predictions.plans(), start, options.left), objective(predictions, options.pull),
        point(objective.at(std::vector<double>(predictions.knobs().size()))) {
    constexpr double kLeastGain = 3e-4;
    lossBefore = point.loss;
    for (int i = 0; i < options.rounds && !predictions.plans().empty(); ++i) {
      const double before = point.loss;
      if (!objective.step(point, slopes()) || before - point.loss < kLeastGain * before)
        break;
    }
  }

  GpuModel model(const Point &at, const std::string &withoutFamily = "") const {
    GpuModel out = predictions.model(at.moved);
    cautions.set(out, at.errors, withoutFamily);
    return out;
  }

  std::vector<SparseRow> slopes() const { return predictions.slopes(point.moved, point.errors); }
};
} // namespace

FitResult fit(llvm::ArrayRef<const Measured *> all, const GpuModel &start,
              const FitOptions &options) {
  const WholeFit whole(all, start, options);
  FitResult out{.model = whole.model(whole.point),
                .lossBefore = whole.lossBefore,
                .lossAfter = whole.point.loss};
  for (size_t i = 0; i < whole.point.moved.size(); ++i)
    if (whole.point.moved[i] != 0)
      out.moved.push_back(whole.predictions.knobs()[i].name);
  for (const std::string &name : whole.cautions.names())
    if (const Rate &rate = *findRate(name); out.model.rates[rate] != start.rates[rate])
      out.moved.push_back(name);
  return out;
}

static void improve(const Objective &objective, const std::vector<SparseRow> &slopes,
                    Point &point) {
  constexpr int kRounds = 4;
  constexpr double kLeastGain = 1e-3;
  for (int i = 0; i < kRounds; ++i) {
    const double before = point.loss;
    if (!objective.step(point, slopes) || before - point.loss < kLeastGain * before)
      return;
  }
}

// The best point without one family is near the best point of all, so the slopes there are good
// enough to start.
static GpuModel fittedWithout(const std::string &family, const WholeFit &whole,
                              const std::vector<SparseRow> &slopes) {
  const Objective others = whole.objective.without(family);
  Point point = others.from(whole.point);
  for (const bool anew : {false, true}) {
    point.damping = Point().damping;
    improve(others, anew ? whole.predictions.slopes(point.moved, point.errors) : slopes, point);
  }
  return whole.model(point, family);
}

std::vector<Judged> judgeLeftOut(llvm::ArrayRef<Measured> all, const GpuModel &start,
                                 Candidates candidates, const FitOptions &options) {
  std::vector<const Measured *> pointers;
  pointers.reserve(all.size());
  for (const Measured &each : all)
    pointers.push_back(&each);
  const WholeFit whole(pointers, start, options);
  const std::vector<SparseRow> slopes = whole.slopes();
  std::map<std::string, GpuModel> models;
  std::vector<Judged> out;
  for (const Measured &each : all) {
    const std::string family = familyOf(each.matrix);
    if (models.find(family) == models.end())
      models[family] = fittedWithout(family, whole, slopes);
    out.push_back(judge(each, trafficModel(), models[family], candidates));
  }
  return out;
}

} // namespace specmv
