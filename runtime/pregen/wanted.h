// Determines the kernels that a pack should have: those of each matrix's best plans and of the
// set-up.
#pragma once

#include "runtime/plan/candidates.h"

#include <functional>

namespace specmv {

struct Wanted {
  KernelSource source;
  std::string arch;
  std::string name; // the format, or "setup"
  std::string text; // for the manifest: type, beta and plan
};

// Returns the kernel of a plan and those of its set-up, for each of the architectures; none if the
// plan needs no specmv kernel.
std::vector<Wanted> kernelsOf(const Plan &plan, const Problem &problem,
                              llvm::ArrayRef<std::string> architectures);

// Number of a matrix's best plans that get their kernel, and also of its best plans with plain
// values. One is not enough. Only the matrix itself tells whether a plan fits (realize.h,
// firstFit), and a signature does not contain it. The prediction for a slightly different GPU may
// order close plans differently. And a GPU that times the best predicted plans needs all of them.
constexpr size_t kPlansPerMatrix = 3;

// Returns true if the plan can be packed for the matrix; empty: nobody knows the matrix.
using FitsMatrix = std::function<bool(const Plan &)>;

// Returns the plans that programs may ask for: the best that fit, and the best with plain values,
// for programs whose values change. A plan with coded values comes with its plain one, to which it
// changes if new values do not fit the coding. If the request may choose a coding, but the values
// are not known (a signature has none), then for each coding the best plan that would win with it.
// Calls of a library are left out. Status::notApplicable if no format fits.
llvm::Expected<std::vector<Plan>>
wantedPlans(const Request &request, const SparsityProfile &profile, const Machine &machine,
            const FurtherFacts &facts = {}, const FitsMatrix &fits = {});

// Returns the kernels of these plans for the machine's architecture.
llvm::Expected<std::vector<Wanted>>
wantedKernels(const Request &request, const SparsityProfile &profile, const Machine &machine,
              const FurtherFacts &facts = {}, const FitsMatrix &fits = {});

} // namespace specmv
