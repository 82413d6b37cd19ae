// What a fit makes small: the errors of plans, by how much plans and errors count.
#pragma once

#include "runtime/lab/evaluate/measured.h"

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

// Grows with the square of an error's logarithm while that is small, and linearly beyond 10
// percent.
double lossOf(double error);
// The weight with which the square has the slope of that (Huber, iteratively reweighted).
double squareWeightOf(double error);

} // namespace specmv
