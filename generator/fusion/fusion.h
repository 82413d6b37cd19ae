// A fused step of a solver: statements that run for each row of a product, with sums over all rows,
// and what the product multiplies. templates/shared/fused.cuh tells how kernels run it.
#pragma once

#include "generator/steps.h"
#include "models/problem.h"
#include "templates/shared/constants.cuh"
#include "llvm/Support/Error.h"

#include <array>
#include <set>
#include <string>
#include <vector>

namespace specmv {

// Stands for x in a step whose kernels read it as a vector that another step computes.
constexpr const char *kComputedX = "specmvX";

struct Fusion {
  // The multiplied vector: a vector's name, or an expression of vectors and scalars at column j;
  // "" if the step has no product.
  std::string x;
  // Statements in CUDA C++ for row i. They name ax, which is row i of A x, and all below.
  std::string statements;
  std::vector<std::string> vectors = {};
  std::vector<std::string> written = {};    // those of the vectors that the statements change
  std::vector<std::string> scalars = {};    // numbers of each call
  std::vector<std::string> gpuScalars = {}; // numbers in GPU memory, read when the step runs
  std::vector<std::string> sums = {}; // 0 at the beginning of each row, and added over all rows

  bool operator==(const Fusion &) const = default;
  bool hasProduct() const { return !x.empty(); }
  // The position of the vector that x names; -1 if x is an expression or "".
  int multiplied() const;
  bool hasExpression() const { return hasProduct() && multiplied() < 0 && x != kComputedX; }
  bool writes(const std::string &vector) const;
};

// The operands of a run of a step: addresses of vectors and sums on the GPU, and scalars, as bits
// of the vectors' type or, for those that kernels read on the GPU, as addresses.
struct StepOperands {
  std::array<uint64_t, kStepVectors> vectors{};
  std::array<uint64_t, kStepScalars> scalars{};
  std::array<uint64_t, kStepSums> sums{};
};

// Fails with Status::badCall, and says at which place of which text, if the names or texts of a
// step are not allowed for vectors of that type.
llvm::Error checkFusion(const Fusion &fusion, ValueType vectors);

// Returns true if the first thing that statements do with a vector is to assign to it, so that it
// is not read.
bool isAssignedFirst(const std::string &statements, const std::string &name);

// All identifiers of a text, without those in comments.
std::set<std::string> identifiersOf(const std::string &text);

} // namespace specmv
