// Says which plan was predicted to be better than the choice, for lack of its kernel.
#include "runtime/explain/better.h"

#include "models/base/units.h"

#include "llvm/Support/FormatVariadic.h"

namespace specmv {

// Returns "ell" for "ell ell.width=27 block=256".
static std::string formatOf(const BetterPlan &plan) {
  return llvm::StringRef(plan.plan).split(' ').first.str();
}

// The coding of values may be all that distinguishes the two plans.
std::string replacedText(const BetterPlan &better) {
  const auto [plan, coding] = llvm::StringRef(better.plan).split(" values=");
  const std::string values =
      coding.empty() ? "" : (" with values=" + coding.split(' ').first).str();
  return formatOf(better) + values + ", predicted " + shortTime(better.predictedUs) + ",";
}

// The order of plans counts set-ups, and how large errors of predictions are (cautiousUs()).
static const char *slowerText(const Explanation &e) {
  if (e.choice.better->predictedUs <= e.chosen.predictedUs)
    return "";
  return e.products > 0 ? ", but ranks before it, since set-ups count too"
                        : ", but ranks before it, since its prediction is more reliable";
}

std::string atHandText(const Explanation &e) {
  const std::string other = formatOf(*e.choice.better);
  return llvm::formatv("chosen because its kernel is available; {0}{1} is predicted {2}{3}: ",
                       other == e.chosen.plan.format ? "another plan of " : "", other,
                       shortTime(e.choice.better->predictedUs), slowerText(e));
}

} // namespace specmv
