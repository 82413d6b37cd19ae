// Checks that a text names a format and gives all of its numbers.
#include "runtime/plan/given_plan.h"

#include "generator/format.h"
#include "generator/order/order.h"
#include "generator/parameters.h"
#include "models/base/error.h"
#include "models/base/in_turn.h"
#include "models/base/spelling.h"
#include "llvm/ADT/StringSet.h"

namespace specmv {

// The text of a plan without a list is shorter than this.
constexpr size_t kMostShown = 200;

static std::string shortened(llvm::StringRef text) {
  return text.take_front(kMostShown).str() + (text.size() > kMostShown ? "..." : "");
}

// Names the first word that no plan can have, such as the "(predicted)" that the tool prints behind
// a plan, or that the text has already, or that stands before words that belong before it; "" if
// all words can be read, but not together.
static std::string unreadIn(llvm::StringRef text) {
  llvm::StringSet<> names;
  std::string real; // the first word with a number that is no integer
  for (size_t blank = text.find(' '); blank != llvm::StringRef::npos;
       blank = text.find(' ', blank + 1)) {
    const llvm::StringRef word = text.drop_front(blank + 1).split(' ').first;
    const std::optional<Plan> alone = parsePlan("ell " + word.str());
    if (!alone)
      return word.empty() ? "it has a blank too many; "
                          : "'" + shortened(word) + "' cannot be read; ";
    if (!real.empty() && !alone->integers.empty())
      return "'" + shortened(real) + "' is no integer, and integers stand before such numbers; ";
    if (real.empty() && !alone->reals.empty())
      real = word.str();
    const llvm::StringRef name = word.split('=').first;
    if (!names.insert(name).second)
      return "it has " + shortened(name) + " twice; ";
  }
  return "";
}

// Shows how a plan is written, with the places of the two words that few plans have if the text has
// one of them.
static std::string formOfPlan(llvm::StringRef text) {
  const bool hasMore = text.contains(" values=") || text.contains(" order=");
  return std::string("it must be written as 'ell ell.width=27 block=256 offset=32 column=32'") +
         (hasMore ? ", then values=..., then order=..." : "");
}

// A plan's own text names neither plain values nor the order of the matrix, but messages advise
// values=plain and order=none.
static std::optional<Plan> readPlan(llvm::StringRef text) {
  text.consume_back(" order=none");
  const bool isPlain = text.consume_back(" values=plain");
  std::optional<Plan> plan = parsePlan(text.str());
  return isPlain && plan && !plan->values.empty() ? std::nullopt : plan;
}

// Returns "" if the text is that of a plan.
static std::string whyNone(const std::string &text, const std::optional<Plan> &plan) {
  const llvm::StringRef name = llvm::StringRef(text).split(' ').first;
  const Format *format = findFormat(name.str());
  if (!format && !name.empty())
    return ("unknown format '" + shortened(name) + "'") + meantBy(name, namesIn(formats()));
  if (!plan && text.find(",...") != std::string::npos)
    return "one of its lists was shortened for display (',...'); the whole text is in the comment "
           "'plan' of a source of 'specmv emit', in chosen.text of 'specmv run --json', and in "
           "what "
           "specmvGetPlanText() returns";
  if (!plan)
    return unreadIn(text) + formOfPlan(text);
  const std::string why = describe(checkPlan(*plan, format->parameters)).second;
  return why.empty() ? describe(inTurn([&] { return checkValues(plan->values); },
                                       [&] { return checkOrder(plan->order); }))
                           .second
                     : why;
}

llvm::Expected<Plan> givenPlan(const std::string &text, const char *option) {
  std::optional<Plan> plan = readPlan(text);
  const std::string why = whyNone(text, plan);
  if (why.empty())
    return std::move(*plan);
  return fail(Status::badCall, "{0} '{1}' is not the text of a plan: {2}", option, shortened(text),
              why);
}

} // namespace specmv
