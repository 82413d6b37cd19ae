// Prices plans: each format estimates the traffic of its plans, and the traffic model turns that
// into time.
#include "generator/rank.h"

#include <algorithm>
#include <map>
#include <set>

namespace specmv {

static void sortByTime(std::vector<Candidate> &candidates) {
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Candidate &a, const Candidate &b) { return a.cautiousUs() < b.cautiousUs(); });
}

// Keeps the fastest plans that have, in one of the varied numbers, a value that no faster plan has.
static void shorten(const Shortlist &list, std::vector<Candidate> &sorted) {
  std::map<std::string, std::set<int64_t>> seen;
  std::erase_if(sorted, [&](const Candidate &candidate) {
    bool isNew = list.varied.empty();
    for (const char *name : list.varied)
      isNew |= seen[name].insert(candidate.plan.get(name)).second;
    return !isNew;
  });
  sorted.resize(std::min(sorted.size(), list.most));
}

std::vector<Candidate> priced(const Offer &offer, const PlanRequest &request) {
  std::vector<Candidate> out;
  out.reserve(offer.plans.size());
  for (const Plan &plan : offer.plans) {
    const Traffic traffic = offer.format->traffic(request, plan);
    out.push_back({plan, traffic, predictUs(traffic, request.gpu)});
  }
  if (offer.format->shortlist.most > 0) {
    sortByTime(out);
    shorten(offer.format->shortlist, out);
  }
  return out;
}

std::vector<Candidate> rank(llvm::ArrayRef<Offer> offers, const PlanRequest &request) {
  std::vector<Candidate> out;
  for (const Offer &offer : offers)
    for (Candidate &candidate : priced(offer, request))
      out.push_back(std::move(candidate));
  sortByTime(out);
  return out;
}

} // namespace specmv
