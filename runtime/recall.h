// Earlier choices: followed where the wisdom remembers one, remembered where one was made.
#pragma once

#include "runtime/choose.h"
#include "runtime/store/wisdom.h"

#include <optional>
#include <string>

namespace specmv {

// The plan of what the wisdom knows, for a request that prescribes no format; none where it is not
// as good as the rigor wants (predicted, but to be measured), or of a format that must not be
// chosen by itself: a pack may come from anywhere.
std::optional<Plan> planToFollow(const Wisdom &known, Rigor rigor);

// An earlier choice: the only candidate, and built.
struct Recalled {
  Ranked ranked;
  BuiltChoice chosen;
};
// Builds the plan that the wisdom knows for this signature, GPU and problem; none where it knows
// none to follow, where formats or numbers are prescribed or where the plan does not fit this
// matrix after all.
std::optional<Recalled> recallChoice(const CsrView &a, const Request &request,
                                     const std::string &signature, Machine &machine);

// Keeps the choice in the wisdom, unless formats or numbers were prescribed, it is a fallback, or
// this machine has no GPU and the wisdom already knows a plan, maybe of one that has.
void rememberChoice(const Request &request, const std::string &signature, const Ranked &ranked,
                    const BuiltChoice &chosen, Machine &machine);

} // namespace specmv
