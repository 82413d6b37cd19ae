// Checks that a text names a format and gives all of its numbers.
#include "runtime/plan/given_plan.h"

#include "generator/format.h"
#include "generator/parameters.h"
#include "models/base/error.h"
#include "models/base/spelling.h"

namespace specmv {

static std::string whyNone(const std::optional<Plan> &plan) {
  if (!plan)
    return "it must be written as 'ell ell.width=27 block=256 offset=32 column=32'";
  const Format *format = findFormat(plan->format);
  return format
             ? describe(checkPlan(*plan, format->parameters)).second
             : "unknown format '" + plan->format + "'" + meantBy(plan->format, namesIn(formats()));
}

llvm::Expected<Plan> givenPlan(const std::string &text, const char *option) {
  auto plan = parsePlan(text);
  const Format *format = plan ? findFormat(plan->format) : nullptr;
  if (format && !llvm::errorToBool(checkPlan(*plan, format->parameters)))
    return std::move(*plan);
  return fail(Status::badCall, "{0} '{1}' is not the text of a plan: {2}", option, text,
              whyNone(plan));
}

} // namespace specmv
