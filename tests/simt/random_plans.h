// Plans picked at random, after the tests of FFTW's estimator: any format with any parameters that
// apply, so that paths are taken which no prediction would choose. simt_emit compiles their
// kernels, random_test runs them. The environment sets, for both: SPECMV_RANDOM_SEED (0) and
// SPECMV_RANDOM_PLANS (48), which ask for a new build, and SPECMV_RANDOM_MATRICES (60), how many
// matrices each plan is tried on.
#pragma once

#include "tests/simt/cases.h"

#include <cstdint>
#include <string>
#include <vector>

namespace specmv::simt {

// A number of the environment; what is no number ends the program.
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

// As many plans as SPECMV_RANDOM_PLANS says, the same ones in every program.
std::vector<RandomPlan> randomPlans();

} // namespace specmv::simt
