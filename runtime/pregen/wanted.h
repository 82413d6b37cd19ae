// The kernels that a pack should have: for each matrix those of its best plans, and those of the
// set-up.
#pragma once

#include "runtime/candidates.h"

namespace specmv {

struct Wanted {
  KernelSource source;
  std::string arch;
  std::string name; // the format, or "setup"
  std::string text; // what the manifest says: type, beta and plan
};

// The kernel of a plan and those of its set-up, for each of the architectures; none if the plan
// needs no kernel of ours.
std::vector<Wanted> kernelsOf(const Plan &plan, const Problem &problem,
                              llvm::ArrayRef<std::string> architectures);

// So many of a matrix's best plans get their kernel. One would not do: whether a plan fits, only
// the matrix itself can tell (choose.h, firstFit), and a signature comes without it; the prediction
// for a GPU that differs a little from the model may order close plans otherwise; and a GPU that
// times the best predicted plans asks for them.
constexpr size_t kPlansPerMatrix = 3;

// The kernels of a matrix's best plans for one request and each of the architectures.
// Status::notApplicable if no format fits.
llvm::Expected<std::vector<Wanted>> wantedKernels(const Request &request,
                                                  const SparsityProfile &profile,
                                                  const Machine &machine,
                                                  llvm::ArrayRef<std::string> architectures);

} // namespace specmv
