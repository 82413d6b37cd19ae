// Weighs what a trial of a plan can gain against what it costs.
#include "generator/trial.h"

#include <limits>
#include <map>

namespace specmv {

double possibleGainUs(const Foreseen &first, const Foreseen &other, int64_t products) {
  return products > 0
             ? static_cast<double>(products) * ((1 + kNear) * first.productUs - other.productUs)
             : std::numeric_limits<double>::infinity();
}

std::vector<size_t> plansToTry(llvm::ArrayRef<Foreseen> ranked, int64_t products,
                               llvm::function_ref<double(size_t)> costUs) {
  std::vector<size_t> out;
  std::map<llvm::StringRef, size_t> ofAFormat;
  // If there is no second plan, the first need not be timed.
  const auto isWorthIt = [&](size_t i) {
    return possibleGainUs(ranked[0], ranked[i], products) >
           costUs(i) + (out.size() == 1 ? costUs(0) : 0);
  };
  for (size_t i = 0; i < ranked.size() && out.size() < kTriedPlans; ++i) {
    const bool isNear = ranked[i].productUs <= (1 + kNear) * ranked[0].productUs;
    size_t &taken = ofAFormat[ranked[i].format];
    if (!isNear || taken == kTriedOfAFormat || (i > 0 && !isWorthIt(i)))
      continue;
    ++taken;
    out.push_back(i);
  }
  return out;
}

} // namespace specmv
