// Chooses which of the ranked plans are tried, in which order, and by which measurements.
#pragma once

#include "runtime/measure/measure.h"
#include "runtime/plan/candidates.h"
#include "runtime/plan/proposal.h"
#include "runtime/plan/realize.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace specmv {

// --- Choose --------------------------------------------------------------------------------------

// Chooses which of the ranked plans are tried, and in which order.

// Plans whose predicted times differ by less than this fraction tie. Predictions are off by 7 to 9
// percent in the median (measured, H200), so they cannot tell such plans apart, and compiling a
// kernel takes as long as thousands of products. With 5 percent, a pack would have the kernel for
// hardly more choices (96 percent instead of 95).
constexpr double kTie = 0.03;
inline bool ties(const Candidate &candidate, const Candidate &best) {
  return candidate.cautiousUs() <= best.cautiousUs() * (1 + kTie);
}

// Returns the index of the candidate to use among those that tie with the best: the first whose
// kernel is ready, otherwise the best. Calls `isReady` in their order, only if there is a tie, and
// not after the first that is ready. A library call has no kernel, but opening the library takes
// time too, so it wins no tie.
size_t firstAmongTies(llvm::ArrayRef<Candidate> candidates,
                      llvm::function_ref<bool(const Plan &)> isReady);

// A set-up does not wait for the compiler if a plan with available kernels has a predicted product
// time of up to this many times the best plan's. The better plan's kernels are then compiled after
// the set-up, for the next one. NVRTC takes 50 to 300 ms for a kernel, and up to 2 s for packing
// kernels. Without this rule, six plans for 260 matrices in two types (H200) waited as long as
// 10,000 to 40,000 products take, although a plan 1.3 to 1.8 times as slow was available.
constexpr double kWorthNoWait = 2;

// Returns the index of the first candidate that is ready if its product is at most that much
// slower, otherwise of the best. A library call replaces none of specmv's own plans, and is ready
// if the library is open.
size_t firstWithoutWait(llvm::ArrayRef<Candidate> candidates,
                        llvm::function_ref<bool(const Plan &)> isReady);

// Returns the index of the candidate that an estimate tries first: among ties, one whose kernel is
// ready. If plans begin with available kernels (KernelKind::atHand), it is the first that needs no
// compiler and is fast enough. If set-ups are weighed, the totals already include making kernels
// ready. `csrIndex` is the type of the matrix's indices.
size_t firstToBuild(const Request &request, llvm::ArrayRef<Candidate> candidates,
                    IndexType csrIndex, const Machine &machine);

// Returns the indices of the candidates that the rigor measures: all, or the best of each format
// and the best few overall.
std::vector<size_t> plansToMeasure(Rigor rigor, llvm::ArrayRef<Candidate> candidates);
// Adds, for each format of which no plan to measure is ready, its best candidate that is. Its time
// tells what the format's other plans may take.
std::vector<size_t> withReadyOnes(std::vector<size_t> measured,
                                  llvm::ArrayRef<Candidate> candidates,
                                  llvm::function_ref<bool(const Plan &)> isReady);

// Returns the indices of the candidates that a trial runs, if an estimate would try the one at
// `first` first. Fewer than two: none is worth a trial.
std::vector<size_t> plansOfTrial(const SetupSize &size, const Request &request,
                                 llvm::ArrayRef<Candidate> candidates, size_t first,
                                 const Machine &machine);

// Returns the reasons why offers have no plan. A reason of several formats appears once, followed
// by the names of the other formats.
std::vector<std::string> reasonsOf(llvm::ArrayRef<Offer> offers);

// Makes the error with these reasons if no offer has a plan. Its status is a kind of missing if the
// machine lacks something, otherwise Status::notApplicable.
llvm::Error noPlan(const std::vector<Offer> &offers);

// --- Choose measured -----------------------------------------------------------------------------

// Chooses by measuring: builds plans one after another, times each, and keeps the fastest.

// Builds and times the proposals, and returns the fastest. The matrix is uploaded once, missing
// kernels are compiled beforehand on all cores, and memory holds two plans at a time: the fastest
// so far and the one being timed. With Proposals::compilesFew, plans are timed with kernels that
// are at hand, if need be with the general ones of their format; the others are compiled only where
// they may be faster, and the fastest gets its own kernels. A plan that cannot be built is a
// warning. Status::noGpu without a GPU, notInPacks if only packs are allowed and have none of the
// kernels; Status::notApplicable if no plan can be built.
llvm::Expected<BuiltChoice> fastestOf(Session &session, const Proposals &proposals);

} // namespace specmv
