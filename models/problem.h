// The properties of a kernel for y = alpha A x + beta y that do not depend on the matrix: types,
// use of beta, place of the result, and number of vectors multiplied at once.
#pragma once

#include "models/csr.h"

namespace specmv {

struct Fusion;

struct Problem {
  ValueType type = ValueType::f64; // type of A, and of vectors and scalars unless vectorsAreDouble
  // False promises that beta is 0 in every product; the kernel then has no code that reads y.
  bool betaCanBeNonZero = true;
  // 2, 4, 8 or 16: there are also kernels that multiply this many vectors at once.
  int vectors = 1;
  // Kernels read alpha and beta from GPU memory, where they may change until a product runs.
  bool scalarsAreOnGpu = false;
  // Kernels for one vector compute z = alpha A x + beta y, where z may be y. So one kernel serves
  // both; only a product into working memory of ours has no other addend.
  bool resultIsApart = true;
  // A is stored in f32; x, y, alpha, beta and the sums are f64.
  bool vectorsAreDouble = false;
  // x and y are in the order of the plan (Plan::order), so that products permute nothing.
  bool vectorsAreOrdered = false;
  // Kernels store row i of the result at row rowAt[i] of y, or of z (templates/shared/placed.cuh).
  // Nobody asks for that: plans with an order do.
  bool resultIsPlaced = false;
  // Products run in fused steps: prices count what a step costs beside the product of a format
  // whose kernels cannot run it.
  bool isFused = false;
  // If not null, kernels for one vector run this step for each row, in place of storing y; it
  // outlives the problem.
  const Fusion *fusion = nullptr;

  bool operator==(const Problem &) const = default;
};

// The type of x, y, alpha and beta, and of the sums.
constexpr ValueType vectorTypeOf(const Problem &problem) {
  return problem.vectorsAreDouble ? ValueType::f64 : problem.type;
}
constexpr const char *nameOfTypes(const Problem &problem) {
  return problem.type == vectorTypeOf(problem) ? nameOf(problem.type) : "f32 with f64 vectors";
}
constexpr int64_t vectorValueBytes(const Problem &problem) {
  return static_cast<int64_t>(sizeOf(vectorTypeOf(problem)));
}

} // namespace specmv
