// Prices plans by the traffic that each format estimates, and weighs what a trial can gain.
#include "generator/rank.h"

#include "generator/coding/blocks.h"
#include "generator/formats/bcsr/layout.h"
#include "generator/order/order.h"
#include "generator/order/ordered_product.h"
#include "generator/shared/several.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace specmv {

// --- Rank ----------------------------------------------------------------------------------------

// Prices plans: each format estimates the traffic of its plans, and the traffic model turns that
// into time.

static void sortByTime(std::vector<Candidate> &candidates) {
  sortBy(candidates, [](const Candidate &candidate) { return candidate.cautiousUs(); });
}

// Keeps the fastest plans that have, in one of the varied numbers, a value that no faster plan has.
static void shorten(const Shortlist &list, std::vector<Candidate> &sorted) {
  std::map<std::string_view, std::set<int64_t>> seen;
  std::erase_if(sorted, [&](const Candidate &candidate) {
    bool isNew = list.varied.empty();
    for (const IntegerKey &key : list.varied)
      isNew |= seen[key.name].insert(candidate.plan.get(key)).second;
    return !isNew;
  });
  sorted.resize(std::min(sorted.size(), list.most));
}

// A fused step of a format whose kernels cannot run it: the product is stored, and another launch
// reads it. All else that a step reads and writes costs every format the same.
static Traffic withStepApart(const PlanRequest &in, Traffic out) {
  const int64_t bytes = in.profile.rows * vectorValueBytes(in.problem);
  out.usedBytes = (out.usedBytes ? out.usedBytes : out.storedBytes) + bytes;
  out.streamBytes += bytes;
  out.launches += 1;
  return out;
}

// A value from a table is known one load after its code, so that a pass over the entries of rows
// takes so many times as long: on an H100, products of SELL, JAD and QCSR within L2 took 1.1 to 1.5
// times as long with codes as with plain values, although they read fewer bytes. Codes of whole
// blocks are loaded a pass earlier.
constexpr double kPassWithTable = 1.5;

// The time by which a plan is ordered is not less; 0 if nothing is known. The coding of the values
// and a fused step only add to the traffic; an order and several vectors change it in other ways.
static double leastUs(const Format &format, const PlanRequest &request, const Plan &plan) {
  if (!format.leastTraffic || request.problem.vectors > 1 || !plan.order.empty())
    return 0;
  const std::optional<Traffic> least = format.leastTraffic(request, plan);
  constexpr double kRounding = 1e-9;
  return least ? (1 - kRounding) * predictBoth(*least, request.gpu).comparedUs() * least->caution
               : 0;
}

namespace {
// The times of the fastest plans so far, as many as a shortlist keeps.
class Fastest {
public:
  // The shortlist may keep slower plans if they vary in a number.
  explicit Fastest(const Shortlist &list) : most_(list.varied.empty() ? list.most : 0) {}
  void add(double us) {
    times_.insert(std::upper_bound(times_.begin(), times_.end(), us), us);
    if (times_.size() > most_)
      times_.pop_back();
  }
  // Returns the time that a plan on the shortlist has at most.
  double mostUs() const {
    return most_ > 0 && times_.size() == most_ ? times_.back()
                                               : std::numeric_limits<double>::infinity();
  }

private:
  size_t most_;
  llvm::SmallVector<double, 8> times_;
};
} // namespace

std::vector<Candidate> priced(const Offer &offer, const PlanRequest &request) {
  std::vector<Candidate> out;
  out.reserve(offer.plans.size());
  Fastest fastest(offer.format->shortlist);
  for (const Plan &plan : offer.plans) {
    const double mostUs = fastest.mostUs();
    if (std::isfinite(mostUs) && leastUs(*offer.format, request, plan) > mostUs)
      continue;
    Traffic one = offer.format->traffic(request, plan);
    if (const Coding &coding = codingOf(plan); coding.table && coding.mostBlocks == 0)
      one.pace.latency *= kPassWithTable;
    Traffic traffic = request.problem.vectors == 1 ? one : trafficOfSeveral(request, one);
    if (!plan.order.empty())
      traffic = trafficInOrder(traffic, plan, request);
    if (request.problem.isFused && offer.format->fusesFor(plan, request.problem) == Fuses::nothing)
      traffic = withStepApart(request, traffic);
    const BothTimes times = predictBoth(traffic, request.gpu);
    out.push_back({plan, traffic, times.us, times.comparedUs()});
    fastest.add(out.back().cautiousUs());
  }
  if (offer.format->shortlist.most > 0) {
    sortByTime(out);
    shorten(offer.format->shortlist, out);
  }
  return out;
}

bool asksColumns(const Plan &plan, const SparsityProfile &profile) {
  const Format &format = *findFormat(plan.format);
  return format.asksColumns && format.asksColumns(profile, plan);
}

std::vector<Candidate> rankedByColumns(std::vector<Candidate> ranked, llvm::ArrayRef<Offer> offers,
                                       const PlanRequest &request) {
  std::vector<Candidate> out;
  out.reserve(ranked.size());
  for (const Offer &offer : offers)
    if (offer.format->asksColumns)
      for (Candidate &candidate : priced(offer, request))
        out.push_back(std::move(candidate));
    else
      for (Candidate &candidate : ranked)
        if (candidate.plan.format == offer.format->name)
          out.push_back(std::move(candidate));
  sortByTime(out);
  return out;
}

std::vector<Candidate> rank(llvm::ArrayRef<Offer> offers, const PlanRequest &request) {
  std::vector<Candidate> out;
  size_t count = 0;
  for (const Offer &offer : offers)
    count += offer.plans.size();
  out.reserve(count);
  for (const Offer &offer : offers)
    for (Candidate &candidate : priced(offer, request))
      out.push_back(std::move(candidate));
  sortByTime(out);
  return out;
}

// Without values a plan moves at best a third of the bytes, so that no slower plan can win. So many
// plans are more than tie with the best.
constexpr double kMostSlower = 3;
constexpr size_t kMostCoded = 24;

void addCoded(std::vector<Candidate> &ranked, const PlanRequest &request, const ValueFacts &facts) {
  std::vector<Candidate> coded;
  for (const Candidate &plain : ranked) {
    const Format &format = *findFormat(plain.plan.format);
    if (coded.size() == kMostCoded || plain.comparedUs > kMostSlower * ranked.front().comparedUs)
      break;
    const Coding *coding = format.library ? nullptr : codingThatFits(plain.plan, facts);
    // Nobody has compared values along the diagonals of the permuted matrix.
    if (!coding || needsFactsInOrder(*coding, plain.plan.order))
      continue;
    Offer offer{&format, {plain.plan}, ""};
    offer.plans.front().values = coding->name;
    for (Candidate &candidate : priced(offer, request)) {
      candidate.traffic.caution /= kWorthCoding;
      coded.push_back(std::move(candidate));
    }
  }
  if (coded.empty())
    return;
  ranked.insert(ranked.end(), coded.begin(), coded.end());
  sortByTime(ranked);
}

// The plan with a coding of whole blocks, at the price of so many different ones.
static Candidate withBlocks(const Candidate &plain, const Coding &coding,
                            const PlanRequest &request, double differentBlocks) {
  PlanRequest asked = request;
  asked.differentBlocks = differentBlocks;
  Offer offer{findFormat(plain.plan.format), {plain.plan}, ""};
  offer.plans.front().values = coding.name;
  Candidate out = std::move(priced(offer, asked).front());
  out.traffic.caution /= kWorthCoding;
  return out;
}

llvm::Error addCodedBlocks(std::vector<Candidate> &ranked, const PlanRequest &request,
                           const BlockSampler &sample, double leastSavedUs) {
  const double most = ranked.front().cautiousUs() - leastSavedUs;
  std::vector<Candidate> coded;
  for (const Candidate &plain : ranked)
    for (const Coding *coding : codings()) { // those with the shortest codes first
      if (coding->mostBlocks == 0 || plain.plan.format != coding->format ||
          !plain.plan.values.empty() || !plain.plan.order.empty() ||
          withBlocks(plain, *coding, request, 0).cautiousUs() >= most)
        continue; // it could not win
      auto seen = sample(plain.plan.get(key::kBcsrR), plain.plan.get(key::kBcsrC));
      if (!seen)
        return seen.takeError();
      if (*seen && mayNumber(*coding, **seen, request.problem.type)) {
        coded.push_back(withBlocks(plain, *coding, request, (**seen).estimated()));
        break;
      }
    }
  if (coded.empty())
    return llvm::Error::success();
  ranked.insert(ranked.end(), coded.begin(), coded.end());
  sortByTime(ranked);
  return llvm::Error::success();
}

void addOrdered(std::vector<Candidate> &ranked, std::vector<Candidate> ordered) {
  for (Candidate &candidate : ordered) {
    candidate.traffic.caution /= kWorthOrdering;
    ranked.push_back(std::move(candidate));
  }
  sortByTime(ranked);
}

double leastOrderedUs(const Candidate &candidate, const PlanRequest &request) {
  Plan plan = candidate.plan;
  plan.order = kBreadthFirst;
  Traffic traffic = candidate.traffic;
  const int64_t ofX = request.profile.cols * vectorValueBytes(request.problem);
  traffic.gatherBytes = std::min(traffic.gatherBytes, ofX);
  traffic.scatteredBytes = 0;
  return predictBoth(trafficInOrder(traffic, plan, request), request.gpu).comparedUs();
}

// --- Trial ---------------------------------------------------------------------------------------

// Weighs what a trial of a plan can gain against what it costs.

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
