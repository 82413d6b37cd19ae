// Uses earlier choices, which are stored in the cache as wisdom, and stores new ones.
#pragma once

#include "runtime/choose/choose.h"
#include "runtime/store/wisdom.h"

#include <optional>
#include <string>

namespace specmv {

// The plan of an entry of the wisdom, for a request that prescribes no format. An estimate follows
// every choice, a trial one that a trial or a measurement made, and only the latter is followed by
// a request to measure; else nullopt, and also if its format must not be chosen without
// being named, or if no kernel can be emitted for the plan and the problem. These are checked
// because a pack, a read-only cache directory, may come from anybody.
std::optional<Plan> planToFollow(const Wisdom &known, const Problem &problem, Rigor rigor);

// An earlier choice, built. It is the only candidate in `ranked`.
struct Recalled {
  std::string signature;
  Ranked ranked;
  BuiltChoice chosen;
};
// Whether an earlier choice can be of use: the request prescribes no formats or numbers, and does
// not ask to measure all plans again.
bool mayRecall(const Request &request);
// Builds the plan that the wisdom has for this pattern, GPU and problem; the host in place of the
// GPU has its own. nullopt if there is no plan to follow, if mayRecall() says no, or if the plan
// does not fit this matrix: two matrices can have the same id.
// A request that weighs set-ups has wisdom of its own for each power of ten of the products. With
// its ranked plans, an earlier choice is followed if it still has the least total; without, if it
// was made for the same number of products, its kernels are loaded, and those of other plans, if
// they were too, could not save more than a look at these plans takes.
std::optional<Recalled> recallChoice(const SourceMatrix &a, const Request &request,
                                     const std::string &pattern, Machine &machine,
                                     const Ranked *ranked = nullptr);

// Choices are kept in memory, so that the next set-up of a pattern need not read the wisdom; this
// forgets them. What other processes store later is not seen without it.
void forgetChoices();

// Whether a choice still has the least total of the ranked plans. What its set-up took corrects the
// model's times without kernels, those of all plans alike, and a measured product the predicted
// one. The product of a choice by trial counts as kNear shorter: predictions near it were not
// believed.
bool isStillLeast(const Wisdom &known, int64_t products, const Ranked &ranked);

// Stores the choice in the wisdom, unless the request prescribes formats or numbers or the choice
// is a fallback. One that was taken because its kernel is at hand is known to this process alone,
// until the kernel of the better plan is at hand too. `profileMs` is set if the set-up was one on a
// GPU that loaded no kernels: then what it took is stored, too.
void rememberChoice(const Request &request, const Profiled &profiled, const Ranked &ranked,
                    const BuiltChoice &chosen, std::optional<double> profileMs, Machine &machine);

} // namespace specmv
