// Describes the set-up of a better plan, and decides whether there is one.
#include "runtime/api/improvement.h"

#include "llvm/ADT/STLExtras.h"

namespace specmv {

// Returns the candidate with this plan; null if the plan was not chosen among candidates.
static const Candidate *candidateOf(const PlanFacts &facts, const std::string &plan) {
  const auto found = llvm::find_if(facts.ranked.candidates,
                                   [&](const Candidate &c) { return c.plan.text() == plan; });
  return found == facts.ranked.candidates.end() ? nullptr : &*found;
}

// Plans whose predictions tie are as good as one another.
static bool isWorthIt(const PlanFacts &facts, const BetterPlan &better) {
  const std::vector<Candidate> &ranked = facts.ranked.candidates;
  if (facts.choice.index >= ranked.size())
    return true;
  const Candidate &taken = ranked[facts.choice.index];
  const Candidate *const best = candidateOf(facts, better.plan);
  return best ? !ties(taken, *best) : taken.predictedUs > better.predictedUs * (1 + kTie);
}

// Returns why the plan must stay; "" if it may be improved. With a limit of bytes, it was chosen
// among candidates, so that those of the better plan are known.
static std::string whyNot(const SetupTask &task, const PlanFacts &facts, int64_t stored) {
  if (task.request.problem.vectorsAreOrdered)
    return "vectors are in the order of the plan that runs (vectorsInPlanOrder)";
  const Candidate *const best = candidateOf(facts, facts.choice.better->plan);
  const int64_t most = task.request.maxBytes, all = stored + (best ? best->traffic.storedBytes : 0);
  return most == 0 || all <= most
             ? ""
             : llvm::formatv("the plans together would store {0} bytes, more than the limit, "
                             "maxBytes = {1}",
                             all, most)
                   .str();
}

static bool hasBetter(const SetupTask &task, const PlanFacts &facts) {
  return task.improves && facts.choice.better && isWorthIt(facts, *facts.choice.better);
}

bool willImprove(const SetupTask &task, const PlanFacts &facts, int64_t stored) {
  return hasBetter(task, facts) && whyNot(task, facts, stored).empty();
}

// Returns the set-up of the better plan, as if the caller had given its text.
static SetupTask taskOf(const SetupTask &task, const PlanFacts &facts, int64_t stored,
                        bool isCompared, Plan better) {
  SetupTask out = task;
  out.improves = false;
  out.where.kernels = KernelKind::specialized; // they are compiled before it begins
  out.improved = std::make_shared<const PlanFacts>(facts);
  out.isCompared = isCompared;
  out.request.plan = std::move(better);
  out.request.like.reset();
  if (out.request.maxBytes > 0)
    out.request.maxBytes -= stored;
  return out;
}

std::shared_ptr<Improvement> improvementOf(const PlanProducts &products, const PlanFacts &facts,
                                           int64_t stored, const SetupTask &task,
                                           const SourceMatrix &a, const Machine &machine) {
  const std::optional<BetterPlan> &better = facts.choice.better;
  auto plan = better && task.isSpecializedLater ? parsePlan(better->plan) : std::nullopt;
  if (!plan)
    return nullptr;
  auto kernels = compileForLater(better->plan, task.request.problem, a.setupCsr().indexType,
                                 machine, willImprove(task, facts, stored));
  if (!hasBetter(task, facts))
    return nullptr;
  std::shared_ptr<Improvement> out(new Improvement{
      *better, products.text,
      Successor(taskOf(task, facts, stored, products.isCompared, std::move(*plan)),
                a.withoutCopies(), products.gpu->gpu().shared_from_this(), std::move(kernels))});
  if (const std::string why = whyNot(task, facts, stored); !why.empty())
    out->next.drop(why);
  return out;
}

PlanFacts factsOfBetter(const PlanFacts &before, Specialized &made) {
  PlanFacts out = before;
  const std::string text = made.built.plan.text();
  const Candidate *const known = candidateOf(before, text);
  if (known)
    out.choice = {.index = static_cast<size_t>(known - before.ranked.candidates.data()),
                  .by = before.choice.by};
  else { // as for any plan that is known from before
    out.choice = {.by = before.choice.by};
    out.ranked.candidates.assign(1, {.plan = made.built.plan,
                                     .predictedUs = before.choice.better->predictedUs,
                                     .comparedUs = before.choice.better->predictedUs});
  }
  addBuilt(out, made.built);
  out.warnings = std::move(made.warnings);
  return out;
}

std::string Improvement::report() const {
  if (next.isRunning())
    return "; the better plan '" + plan.plan + "' is being made";
  return next.isOver() || next.wasCancelled()
             ? ""
             : "; the better plan '" + plan.plan + "' is not taken: " + next.error();
}

JsonMembers Improvement::json() const {
  return {{"state", next.stateName()},
          {"before", before},
          {"plan", plan.plan},
          {"predictedUs", plan.predictedUs},
          {"why", next.hasFailed() ? JsonText(next.error()) : nullptr}};
}

} // namespace specmv
