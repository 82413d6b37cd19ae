// Compares our set-ups with those of cuSPARSE from the same side.
#include "runtime/lab/bench/setup_figures.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

namespace specmv {

// Each of the others gives a lower or an upper bound of the number of products.
std::optional<double> paidAfter(const CostLine &ours, llvm::ArrayRef<CostLine> others) {
  double least = 1, most = std::numeric_limits<double>::infinity();
  for (const CostLine &other : others) {
    const double price = ours.setupUs - other.setupUs, gain = other.productUs - ours.productUs;
    if (gain > 0)
      least = std::max(least, std::floor(price / gain) + 1);
    else if (gain < 0)
      most = std::min(most, std::ceil(price / gain) - 1);
    else if (price >= 0)
      return std::nullopt;
  }
  return !others.empty() && least <= most ? std::optional(least) : std::nullopt;
}

static bool isOurs(const SetupTime &time) { return time.contender == kOwnContender; }

// Returns cuSPARSE's contenders from that side with right products.
static std::vector<const SetupTime *> rivalsFrom(llvm::ArrayRef<SetupTime> times, Side side) {
  std::vector<const SetupTime *> out;
  for (const SetupTime &time : times)
    if (!isOurs(time) && time.verified && time.from == side)
      out.push_back(&time);
  return out;
}

// Returns infinity if none has a total for that many products.
static double leastTotal(llvm::ArrayRef<const SetupTime *> rivals, int64_t n) {
  double least = std::numeric_limits<double>::infinity();
  for (const SetupTime *rival : rivals)
    for (const TotalTime &total : rival->totals)
      if (total.n == n)
        least = std::min(least, total.us);
  return least;
}

static SetupFigure figureOf(const SetupTime &ours, llvm::ArrayRef<const SetupTime *> rivals) {
  SetupFigure out{.state = ours.state,
                  .from = ours.from,
                  .products = ours.products,
                  .setupUs = ours.setupUs,
                  .productUs = ours.productUs};
  if (rivals.empty())
    return out;
  std::vector<CostLine> lines;
  double fastest = std::numeric_limits<double>::infinity();
  for (const SetupTime *rival : rivals) {
    lines.push_back({rival->setupUs, rival->productUs});
    fastest = std::min(fastest, rival->productUs);
  }
  out.ratio = fastest / ours.productUs;
  out.breakEven = paidAfter({ours.setupUs, ours.productUs}, lines);
  for (const TotalTime &total : ours.totals) {
    const double best = leastTotal(rivals, total.n);
    out.isBelow.push_back(total.us < best);
    if (ours.products > 0)
      out.overBest = total.us / best;
  }
  return out;
}

std::vector<SetupFigure> figuresOf(llvm::ArrayRef<SetupTime> times) {
  std::vector<SetupFigure> out;
  for (const SetupTime &time : times)
    if (isOurs(time) && time.verified)
      out.push_back(figureOf(time, rivalsFrom(times, time.from)));
  return out;
}

const SetupTime *wrongSetup(llvm::ArrayRef<SetupTime> times) {
  const auto *found = llvm::find_if(
      times, [](const SetupTime &time) { return time.why.empty() && !time.verified; });
  return found == times.end() ? nullptr : found;
}

} // namespace specmv
