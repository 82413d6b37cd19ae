// Writes the results of run, for people and as JSON.
#pragma once

#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/explain/explain.h"
#include "runtime/lab/yardstick/yardstick.h"
#include "runtime/plan/specialize.h"

namespace specmv::cli {

// The product that could be launched before the set-up: its plan, and the time until then.
struct FirstLaunch {
  std::string plan;
  double ms = 0;
};
struct RunOutcome {
  int64_t vectors = 1;                   // per product
  std::optional<FirstLaunch> start = {}; // set with --start now
  double us = 0;
  ReplayTime replay = {}; // on a GPU
  Verification verification = {};
  Yardstick cusparse = {};
  std::optional<Explanation> why = {}; // nullopt: the plan was given
};
// `products` is the expected number; 0: unknown.
llvm::json::Object runJson(const TypedMatrix &a, const Machine &machine, const Specialized &s,
                           const RunOutcome &o, int64_t products);
std::string runText(const TypedMatrix &a, const Machine &machine, const Specialized &s,
                    const RunOutcome &o, int64_t products);

} // namespace specmv::cli
