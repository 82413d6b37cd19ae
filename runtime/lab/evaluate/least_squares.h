// The step of Levenberg and Marquardt: a minimum of weighted squares, as far as slopes tell.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <utility>
#include <vector>

namespace specmv {

// Slopes that are not 0, by ascending number of the unknown.
using SparseRow = std::vector<std::pair<size_t, double>>;

// The loss near a point: gradient and curvature, halved.
class NormalEquations {
public:
  explicit NormalEquations(size_t unknowns)
      : gradient_(unknowns), curvature_(unknowns * unknowns) {}

  // A weighted square of `error`.
  void add(const SparseRow &slopes, double error, double weight);
  void add(size_t unknown, double error, double weight); // whose only slope is 1
  // The unknown does not move.
  void hold(size_t unknown);

  double gradient(size_t unknown) const { return gradient_[unknown]; }

  // Where the gradient is 0 if the diagonal is 1 + damping times itself; nullopt if the curvature
  // is not positive in all directions.
  std::optional<std::vector<double>> step(double damping) const;

private:
  double &at(size_t i, size_t j) { return curvature_[i * gradient_.size() + j]; }

  std::vector<double> gradient_;
  std::vector<double> curvature_; // the lower triangle
};

} // namespace specmv
