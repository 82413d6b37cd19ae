// What a fit makes small: the errors of plans, and how errors of plans that compete differ.
#pragma once

#include "runtime/evaluate/measured.h"

#include "llvm/ADT/ArrayRef.h"

#include <utility>
#include <vector>

namespace specmv {

// A plan of ours, with how much it counts.
struct FitPlan {
  const Measured *measured;
  const Plan *plan;
  double us;
  double weight; // 1 on average
};

// Plans of one matrix stand together.
std::vector<FitPlan> plansToFit(llvm::ArrayRef<const Measured *> all);

// A sum of errors of plans of one matrix.
struct FitTerm {
  std::vector<std::pair<size_t, double>> of; // plans, and in how many times each one counts
  const Measured *measured;
  double weight;
};

// The error of each plan; then, for each matrix, how much the errors of its fast plans differ from
// their mean: an error that all share leaves their order right.
std::vector<FitTerm> termsOf(llvm::ArrayRef<FitPlan> plans);

// Grows with the square of an error's logarithm while that is small, and linearly beyond 10
// percent.
double lossOf(double error);
// The weight with which the square has the slope of that (Huber, iteratively reweighted).
double squareWeightOf(double error);

} // namespace specmv
