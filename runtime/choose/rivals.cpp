// Chooses rivals among the ranked plans, and builds them.
#include "runtime/choose/rivals.h"

#include "generator/setup/packing.h"
#include "models/predict/traffic.h"
#include "runtime/kernels/compile_beside.h"
#include "llvm/ADT/STLExtras.h"

namespace specmv {

// Chosen: with the choice as many as a trial runs.
constexpr size_t kRivals = 2;
// A rival may be predicted to take this many times as long as the choice, with the caution of both.
// For 118 products of more than 9 us that were measured on an H200, the fastest of the plans that
// would be compared takes 1.0013 times as long as the fastest of all. With 1.3 it is the same, and
// comparing would take a third longer.
constexpr double kMaySurprise = 1.2;

static bool isWorthComparing(const Candidate &candidate, const Candidate &chosen,
                             const std::vector<std::string> &formats) {
  return candidate.cautiousUs() <= kMaySurprise * chosen.cautiousUs() &&
         !isLibraryCall(candidate.plan) && !llvm::is_contained(formats, candidate.plan.format) &&
         findFormat(candidate.plan.format)->packing;
}

// Launching and timing a product takes the host so many times as long as an empty launch: 7.5 to
// 9 us on an H100, whose period is 3 us. There, learning between 5 and 9 us chose plans that were a
// quarter slower.
constexpr double kPeriodOfProduct = 3;

// Returns true if the GPU would wait for a host that times turns, so that events would tell the
// host's times.
static bool isHiddenByLaunches(const Candidate &chosen, const GpuModel &gpu) {
  return predictReplayUs(chosen.traffic, gpu) <= kPeriodOfProduct * gpu.periodUs;
}

static bool learns(const Session &session, const BuiltChoice &made) {
  const Request &request = session.request;
  return request.rigor == Rigor::online && session.machine.gpu &&
         made.choice.by == ChosenBy::prediction && !isLibraryCall(made.built.plan) &&
         request.problem.vectors == 1 && !request.problem.isFused;
}

// Adds a rival. If it cannot be built, it is left out.
static llvm::Error addRival(Session &session, const Candidate &candidate, size_t index,
                            Rivals &out) {
  Proposal proposal{.plan = candidate.plan,
                    .predictedUs = candidate.predictedUs,
                    .choice = {.index = index, .by = ChosenBy::prediction}};
  auto built = build(session, proposal);
  if (!built) {
    out.areAll = false;
    session.warnings.push_back(candidate.plan.text() + " is not compared with the choice: " +
                               describe(built.takeError()).second);
    return unlessCancelled(session.machine);
  }
  session.times.build += built->ms;
  out.plans.push_back({.choice = proposal.choice,
                       .built = std::move(*built),
                       .predictedUs = candidate.predictedUs});
  return llvm::Error::success();
}

llvm::Expected<Rivals> rivalsToLearn(Session &session, const BuiltChoice &made) {
  Rivals out;
  if (!learns(session, made))
    return out;
  auto ranked = session.ranked();
  if (!ranked)
    return ranked.takeError();
  const std::vector<Candidate> &candidates = (*ranked)->candidates;
  const Candidate &chosen = candidates[made.choice.index];
  const Machine &machine = session.machine;
  if (isHiddenByLaunches(chosen, machine.model))
    return out;
  out.mayCompare = true;
  const Problem &problem = session.request.problem;
  const bool mayCompile = machine.kernels != KernelKind::atHand && !machine.onlyPacks;
  std::vector<std::string> formats = {chosen.plan.format};
  int64_t bytes = made.built.layout.storedBytes();
  for (size_t i = 0; i < candidates.size() && formats.size() <= kRivals; ++i) {
    const Candidate &candidate = candidates[i];
    if (!isWorthComparing(candidate, chosen, formats))
      continue;
    const int64_t with = bytes + candidate.traffic.storedBytes;
    if (session.request.maxBytes > 0 && with > session.request.maxBytes)
      continue;
    bytes = with;
    formats.push_back(candidate.plan.format);
    if (!mayCompile && !isWhollyReady(candidate.plan, problem, session.csrIndex(), machine)) {
      out.areAll = false;
      if (!machine.onlyPacks)
        compileForLater(candidate.plan.text(), problem, session.csrIndex(), machine);
    } else if (llvm::Error error = addRival(session, candidate, i, out))
      return error;
  }
  const auto isThere = [&](const BuiltChoice &rival) {
    return rival.built.plan.text() == made.choice.better->plan;
  };
  if (made.choice.better && llvm::none_of(out.plans, isThere))
    out.areAll = false; // the best prediction is missing
  return out;
}

} // namespace specmv
