// The keys under which the wisdom has choices.
#pragma once

#include "runtime/plan/session.h"
#include "runtime/store/wisdom.h"

#include <string>
#include <vector>

namespace specmv {

// The key of the choice for a pattern, or, with facts, for values of the pattern with such facts.
CacheKey choiceKey(const Request &request, const std::string &pattern, const Machine &machine,
                   const ValueFacts *facts = nullptr);

// The keys under which a choice is stored. The first has the last choice, whatever the values were:
// it tells whether there is a choice at all, so that values of a new pattern are not looked at
// before its profile is known.
std::vector<CacheKey> keysToStore(const Session &session, const std::string &pattern);

} // namespace specmv
