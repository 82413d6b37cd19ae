// Plans chosen at random, after the tests of FFTW's estimator: any format with any applicable
// parameters, so that paths are covered which no prediction would choose. simt_emit compiles their
// kernels, random_test runs them. The environment sets for both: SPECMV_RANDOM_SEED (0) and
// SPECMV_RANDOM_PLANS (48), which require a new build, and SPECMV_RANDOM_MATRICES (60), the number
// of matrices on which each plan is tried.
#pragma once

#include "tests/simt/cases.h"

#include <cstdint>
#include <string>
#include <vector>

namespace specmv::simt {

// Reads a number from the environment; an invalid number ends the program.
uint64_t randomSetting(const char *name, uint64_t otherwise);

// A matrix of up to 400 rows and columns, its row lengths from one of several distributions.
TestMatrix randomMatrix(uint64_t seed);

struct RandomPlan {
  const Format *format;
  Problem problem;
  Plan plan;
  std::string source;
  uint64_t matrixSeed; // of the matrix that it was made for
};

// Returns SPECMV_RANDOM_PLANS plans, the same ones in every program.
std::vector<RandomPlan> randomPlans();

} // namespace specmv::simt
