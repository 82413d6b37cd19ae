// Times one plan of a matrix that is on the GPU.
#pragma once

#include "runtime/build.h"
#include "runtime/lab/bench/setup_time.h"

namespace specmv {

struct TimedPlan {
  double us = 0;       // one product, warm, by launches one after another; 0: not built, or wrong
  double usReplay = 0; // by replays of a CUDA graph; 0: not timed so, as where CSR is beyond L2
  double usMean = 0;   // as the strips and statistics papers time; 0: not timed so
  BuildTimes ms = {};
  bool isWrong = false;
  std::string why = {}; // why there is no time; empty if there is one
};

// Checks one product of the bed and times it. `fastestUs` is the least time of another one, 0 for
// none: much slower products are timed with a few runs only.
llvm::Expected<TimedPlan> timeProduct(const SetupBed &bed,
                                      const std::function<llvm::Error(StreamHandle)> &productOn,
                                      double fastestUs, bool timesMean = false);

// Builds the plan from the bed's arrays, checks one product and times it. Plans that the host packs
// share the copy of `a`, which is the bed's source.
llvm::Expected<TimedPlan> timePlan(const SetupBed &bed, const SourceMatrix &a, const Plan &plan,
                                   const Problem &problem, Machine &machine, double fastestUs,
                                   bool timesMean = false);

} // namespace specmv
