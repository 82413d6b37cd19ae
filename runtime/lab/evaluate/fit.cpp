// Implements the method of Levenberg and Marquardt over the logarithms of the numbers.
#include "runtime/lab/evaluate/fit.h"

#include "generator/rate_table.h"

#include "runtime/lab/evaluate/cautions.h"
#include "runtime/lab/evaluate/predictions.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace specmv {

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
