// The plan of a kernel: in templates/ a parameter of its type, in an emitted file a struct of
// constants.
#pragma once

#include "generator/source/constants.h"
#include "generator/source/declarations.h"

namespace specmv::source {

// `constexpr EllPlan plan() { return {.width = 5}; }` of a source.
struct PlanNumbers {
  std::string type, function;
  Numbers fields;
  std::map<std::string, std::string, std::less<>> lists; // the text between the braces
};

// Returns no numbers if the declaration is no plan.
std::optional<PlanNumbers> planNumbersOf(const Declaration &d);

// Takes the template parameter for the plan out of the declaration, and the arguments for it.
void putPlan(Declaration &d, const PlanNumbers &plan);

// Takes the plan out of a kernel's call: `f<plan()>` -> `f`.
void dropPlan(Tokens &tokens, const PlanNumbers &plan);

// Makes the struct of the plan's fields one of constants, which it returns.
Numbers putConstants(Declaration &d, const PlanNumbers &plan);

} // namespace specmv::source
