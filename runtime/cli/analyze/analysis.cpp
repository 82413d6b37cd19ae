// Finds what the verbs analyze and report say of a matrix.
#include "runtime/cli/analyze/analysis.h"

#include "models/profile/diagonals.h"
#include "runtime/kernels/at_hand.h"

namespace specmv::cli {

// Returns the first candidate that fits and whose kernel is in a pack, as realize() takes it.
static llvm::Expected<Fit> firstInPacks(const CsrView &a, const Request &request,
                                        const Machine &machine,
                                        llvm::ArrayRef<Candidate> candidates, Layout *packed) {
  Fit fit;
  for (const Candidate &candidate : candidates) {
    if (!isReady(candidate.plan, request.problem, machine)) {
      fit.whyNot.emplace_back("no pack has its kernel");
    } else {
      auto other = firstThatPacks(a, request.problem, candidate, packed);
      if (other)
        return fit;
      fit.whyNot.push_back(describe(other.takeError()).second);
    }
    ++fit.index;
  }
  return notInPacks(candidates.front().plan, request.problem, machine);
}

static llvm::Expected<Fit> firstToUse(const CsrView &a, const Request &request,
                                      const Machine &machine, llvm::ArrayRef<Candidate> candidates,
                                      Layout *packed) {
  return machine.onlyPacks ? firstInPacks(a, request, machine, candidates, packed)
                           : firstThatPacks(a, request.problem, candidates, packed);
}

llvm::Expected<PlansFound> findPlans(const CsrView &a, const Request &request,
                                     const Machine &machine, Layout *packed) {
  return andThen(analyze(a, request, machine), [&](Analyzed seen) -> llvm::Expected<PlansFound> {
    PlansFound found{std::move(seen), {}};
    const std::vector<Candidate> &candidates = found.seen.ranked.candidates;
    if (candidates.empty())
      return found;
    return andThen(firstToUse(a, request, machine, candidates, packed), [&](Fit fit) {
      found.fit = std::move(fit);
      return std::move(found);
    });
  });
}

Analysis analysisOf(const CsrMatrix &matrix, const CsrView &a, const Request &request,
                    const Machine &machine, const PlansFound &found) {
  const SparsityProfile &profile = found.seen.profiled.profile;
  const PmfInput pmf{profile.lengths, profile.rows, profile.cols, request.problem.type};
  return {matrix,
          request,
          machine,
          found.seen,
          found.fit,
          rowStatistics(profile),
          valueFacts(a, profile.occupiedDiagonals),
          countDiagonals(matrix.view()),
          pmfEstimate(pmf, machine.model, PmfVariant::asPrinted),
          pmfEstimate(pmf, machine.model, PmfVariant::corrected),
          stripsTarget(profile),
          pmfHybKOnDevice(pmf, machine.model)};
}

int64_t movedBytes(const Traffic &traffic) {
  return traffic.streamBytes + traffic.gatherBytes + traffic.stagedBytes;
}

} // namespace specmv::cli
