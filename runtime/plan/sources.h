// Proposals of plans and their sources, one of which is a plan's text that a user gives.
#pragma once

#include "generator/rank.h"
#include "models/plan.h"
#include "runtime/plan/proposal.h"
#include "runtime/plan/realize.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace specmv {

// --- Given plan ----------------------------------------------------------------------------------

// Reads the text of a plan that a user gives in place of a choice.

// Status::badCall with the text at fault if Plan::text() of no plan of this version can have
// written it; `option` names where it was given. Whether the plan fits a matrix is not checked.
llvm::Expected<Plan> givenPlan(const std::string &text, const char *option);

// --- Sources -------------------------------------------------------------------------------------

// The sources of plans. Each may propose plans for the matrix of a session; they are asked in the
// order of the table.

struct Source {
  const char *name;                 // for readers
  bool (*isAsked)(const Request &); // returns true if it may know a plan for the request
  llvm::Expected<Proposals> (*propose)(Session &);
  // The part of SetupTimes to which the time of propose() is added, but for steps that have a part
  // of their own; `choose` marks a source that chooses among ranked plans.
  double SetupTimes::*time;
};

// The last source is asked for every request. If all other sources propose nothing, it proposes a
// plan or returns an error.
llvm::ArrayRef<Source> sources();
// The sources that choose among ranked plans.
llvm::ArrayRef<Source> choosingSources();

// Returns specmv's own plans that multiply by CSR in place; they depend on the size alone.
std::vector<Plan> plansAsItIs(const DeviceCsr &a, const Machine &machine);

// Returns the one of these plans whose kernels for a copy of the matrix are available without
// compiling. It is used when too few products are expected to pay for a profile.
std::optional<Plan> planWithoutProfile(const DeviceCsr &a, const Request &request,
                                       const Machine &machine);

// Proposes products that can be launched at once, by the CSR arrays in place on the GPU, without
// reading the matrix. They use csr-merge if its kernels are loaded or cached, so that nothing has
// to be compiled, otherwise cuSPARSE's default algorithm.
Proposals plansToStartWith(const Session &session);

} // namespace specmv
