// Computes a step of Levenberg and Marquardt: the minimum of weighted squares, by their slopes.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <utility>
#include <vector>

namespace specmv {

// Non-zero slopes, in ascending order of the unknowns.
using SparseRow = std::vector<std::pair<size_t, double>>;

// The loss near a point: half of the gradient and half of the curvature.
class NormalEquations {
public:
  explicit NormalEquations(size_t unknowns)
      : gradient_(unknowns), curvature_(unknowns * unknowns) {}

  // Adds a weighted square of `error`.
  void add(const SparseRow &slopes, double error, double weight);
  void add(size_t unknown, double error, double weight); // the unknown's slope is 1, others are 0
  // Fixes the unknown.
  void hold(size_t unknown);

  double gradient(size_t unknown) const { return gradient_[unknown]; }

  // Solves for a zero gradient, with the diagonal multiplied by 1 + damping; nullopt if the
  // curvature is not positive in all directions.
  std::optional<std::vector<double>> step(double damping) const;

private:
  double &at(size_t i, size_t j) { return curvature_[i * gradient_.size() + j]; }

  std::vector<double> gradient_;
  std::vector<double> curvature_; // the lower triangle
};

} // namespace specmv
