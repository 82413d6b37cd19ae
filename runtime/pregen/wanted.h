// Determines the kernels that a pack should have: those of each matrix's best plans and of the
// set-up.
#pragma once

#include "runtime/plan/candidates.h"

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

// Number of a matrix's best plans that get their kernel. One is not enough. Only the matrix itself
// tells whether a plan fits (realize.h, firstFit), and a signature does not contain it. The
// prediction for a slightly different GPU may order close plans differently. And a GPU that times
// the best predicted plans needs all of them.
constexpr size_t kPlansPerMatrix = 3;

// Returns the kernels of a matrix's best plans for one request and each of the architectures.
// Status::notApplicable if no format fits.
llvm::Expected<std::vector<Wanted>>
wantedKernels(const Request &request, const SparsityProfile &profile, const Machine &machine,
              llvm::ArrayRef<std::string> architectures, const FurtherFacts &facts = {});

} // namespace specmv
