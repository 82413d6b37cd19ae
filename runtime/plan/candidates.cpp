// Asks all formats for their plans, removes those that cannot be chosen on this machine or for this
// request, and ranks the rest.
#include "runtime/plan/candidates.h"

#include "generator/order/order.h"
#include "generator/rate_table.h"
#include "runtime/cusparse/cusparse.h"
#include "runtime/measure/stopwatch.h"
#include "runtime/plan/worth.h"
#include "llvm/ADT/STLExtras.h"

namespace specmv {

static Offer refused(const Offer &offer, Status status, std::string why) {
  return {.format = offer.format, .plans = {}, .why = std::move(why), .whyStatus = status};
}

// Returns the offers of the formats, or only the plan that the request gives.
static llvm::Expected<std::vector<Offer>> offersFor(const Request &request,
                                                    const PlanRequest &asked) {
  if (!request.plan)
    return offers(asked, request.formats);
  const Format &format = *findFormat(request.plan->format);
  if (llvm::Error error = format.check(*request.plan, request.problem))
    return error;
  return std::vector<Offer>{{.format = &format, .plans = {*request.plan}, .why = ""}};
}

// Returns the offer, or a refusal if its plans cannot be used for this request on this machine.
static Offer screened(Offer offer, const Request &request, const Machine &machine) {
  if (offer.plans.empty())
    return offer;
  const std::string why = request.namesFormats() ? "" : whyNotByItself(*offer.format);
  if (!why.empty())
    return refused(offer, Status::notApplicable, why);
  if (offer.format->library && !machine.gpu)
    return refused(
        offer, Status::noGpu,
        llvm::formatv("{0} runs only on a GPU: {1}", offer.format->name, machine.whyHost));
  return offer;
}

// Refuses plans that only defaults predict, if there are others.
static void preferMeasured(std::vector<Offer> &offers, const GpuModel &gpu) {
  const auto whyNot = [&](const Offer &offer) {
    return offer.plans.empty() ? "" : whyNotMeasured(*offer.format, gpu);
  };
  if (llvm::none_of(offers, [&](auto &o) { return !o.plans.empty() && whyNot(o).empty(); }))
    return;
  for (Offer &offer : offers)
    if (std::string why = whyNot(offer); !why.empty())
      offer = refused(offer, Status::notApplicable, std::move(why));
}

// Removes the plans of one format and records why in its offer.
static Ranked withoutFormat(Ranked from, const std::string &format, Status status,
                            const std::string &why) {
  for (Offer &offer : from.offers)
    if (offer.format->name == format)
      offer = refused(offer, status, why);
  llvm::erase_if(from.candidates, [&](const Candidate &c) { return c.plan.format == format; });
  return from;
}

Ranked withoutUnavailableCalls(Ranked ranked) {
  while (!ranked.candidates.empty()) {
    const std::string best = ranked.candidates.front().plan.format;
    if (!findFormat(best)->library)
      return ranked;
    llvm::Error error = cusparseHas(best);
    if (!error)
      return ranked;
    const auto [status, sentence] = describe(std::move(error));
    ranked = withoutFormat(std::move(ranked), best, status, best + ": " + sentence);
  }
  return ranked;
}

// Removes plans that store more than the request allows. Status::overMaxBytes if none is left.
static llvm::Error limitBytes(std::vector<Candidate> &candidates, int64_t most) {
  if (most == 0 || candidates.empty())
    return llvm::Error::success();
  const auto least = llvm::min_element(candidates, [](const Candidate &a, const Candidate &b) {
    return a.traffic.storedBytes < b.traffic.storedBytes;
  });
  if (least->traffic.storedBytes > most)
    return fail(Status::overMaxBytes,
                "the plan that stores least, {0}, needs {1} bytes, more than the limit, {2}; raise "
                "maxBytes",
                least->plan.format, least->traffic.storedBytes, most);
  llvm::erase_if(candidates, [&](const Candidate &c) { return c.traffic.storedBytes > most; });
  return llvm::Error::success();
}

// Less than this part of a product cannot decide between plans.
constexpr double kLeastSaved = 0.03;

bool mayPayToCode(const SetupSize &size, const Request &request, const Machine &machine) {
  if (!request.choosesCoding() || size.nnz == 0)
    return false;
  // At best no value is read. Looking at them and coding them takes at least as long.
  const SetupSize withoutValues{size.rows, size.cols, 0, size.valueBytes, size.indexBytes};
  const double leastUs = productUsAtLeast(size, machine.model),
               savedUs = leastUs - productUsAtLeast(withoutValues, machine.model);
  const double costUs = lookUs(machine.model) + 2 * savedUs;
  return savedUs > kLeastSaved * leastUs &&
         (!request.weighsSetup() ||
          static_cast<double>(request.expectedProducts) * savedUs > costUs);
}

// --- Columns

namespace {
struct ColumnsAsked {
  const Request &request;
  const FurtherFacts &facts;
};
} // namespace

// Each entry asks L2 to count it.
static double countingUs(const PlanRequest &asked) {
  return lookUs(asked.gpu) +
         static_cast<double>(32 * asked.profile.nnz) / asked.gpu.gatherGBs / 1000;
}

// Says why columns are not counted, as a clause; "" if they should be. `first` is the best plan
// that depends on the counts, with the least time that these could give it.
static std::string whyNotToCount(const Candidate &first, const std::vector<Candidate> &candidates,
                                 const PlanRequest &asked, const ColumnsAsked &by) {
  if (!by.facts.columns)
    return "the entries of the columns were not counted";
  const auto other = llvm::find_if(
      candidates, [&](const Candidate &c) { return !asksColumns(c.plan, asked.profile); });
  if (by.facts.countsAlways || by.request.namesFormats() || other == candidates.end())
    return "";
  if (other->cautiousUs() <= first.cautiousUs())
    return llvm::formatv("{0} takes less time, even if all entries were in hot columns",
                         other->plan.format);
  const double saved = other->comparedUs - first.comparedUs;
  if (by.request.weighsSetup() &&
      static_cast<double>(by.request.expectedProducts) * saved <= countingUs(asked))
    return llvm::formatv("{0} products are too few to count the entries of the columns for",
                         by.request.expectedProducts);
  return "";
}

// Replaces the prices of plans that depend on the columns by those with the counts, or removes the
// plans.
static llvm::Error priceByColumns(std::vector<Candidate> &candidates, std::vector<Offer> &offers,
                                  PlanRequest &asked, const ColumnsAsked &by) {
  const auto first = llvm::find_if(
      candidates, [&](const Candidate &c) { return asksColumns(c.plan, asked.profile); });
  if (first == candidates.end())
    return llvm::Error::success();
  std::string why = whyNotToCount(*first, candidates, asked, by);
  if (why.empty()) {
    auto counted = by.facts.columns();
    if (!counted)
      return counted.takeError();
    asked.columns = *counted;
  }
  if (asked.columns) {
    // A limit of the bytes has removed candidates.
    candidates = by.request.maxBytes > 0 ? rank(offers, asked)
                                         : rankedByColumns(std::move(candidates), offers, asked);
    return llvm::Error::success();
  }
  if (by.request.namesFormats())
    return llvm::Error::success();
  if (why.empty())
    why = "the kernels that count the entries of columns are not at hand";
  for (Offer &offer : offers)
    if (llvm::any_of(offer.plans,
                     [&](const Plan &plan) { return asksColumns(plan, asked.profile); }))
      offer = refused(offer, Status::notApplicable, offer.format->name + (": " + why));
  llvm::erase_if(candidates,
                 [&](const Candidate &c) { return asksColumns(c.plan, asked.profile); });
  return llvm::Error::success();
}

// Returns the offers of the formats, without plans that cannot be used.
static llvm::Expected<std::vector<Offer>>
usableOffers(const Request &request, const PlanRequest &asked, const Machine &machine) {
  auto offered = offersFor(request, asked);
  if (!offered)
    return offered;
  for (Offer &offer : *offered)
    offer = screened(std::move(offer), request, machine);
  if (!request.namesFormats())
    preferMeasured(*offered, machine.model);
  return offered;
}

// Adds the plans with codings that the values fit. Nobody samples blocks of the permuted matrix.
static llvm::Error addCodings(std::vector<Candidate> &candidates, const Request &request,
                              const PlanRequest &asked, const FurtherFacts &facts) {
  if (!facts.values || !request.choosesCoding() || candidates.empty())
    return llvm::Error::success();
  addCoded(candidates, asked, *facts.values);
  const double lookUsOfProduct =
      request.weighsSetup() ? lookUs(asked.gpu) / static_cast<double>(request.expectedProducts) : 0;
  if (!facts.blocks || !asked.order.empty())
    return llvm::Error::success();
  return addCodedBlocks(candidates, asked, facts.blocks, lookUsOfProduct);
}

// --- An order of rows and columns

// Adds the plans of the permuted matrix, if they could win.
static llvm::Error addInOrder(std::vector<Candidate> &candidates, const PlanRequest &asked,
                              const Request &request, const Machine &machine,
                              const FurtherFacts &facts) {
  if (!facts.inOrder || !mayPayToOrder(candidates, asked, request))
    return llvm::Error::success();
  auto profile = facts.inOrder();
  if (!profile || !*profile)
    return profile.takeError();
  const PlanRequest ordered{**profile,     asked.problem,  asked.gpu,
                            request.fixed, request.values, kBreadthFirst};
  auto offered = usableOffers(request, ordered, machine);
  if (!offered)
    return offered.takeError();
  std::vector<Candidate> more = rank(*offered, ordered);
  if (llvm::Error error = addCodings(more, request, ordered, facts))
    return error;
  llvm::erase_if(more, [&](const Candidate &c) { return asksColumns(c.plan, ordered.profile); });
  addOrdered(candidates, std::move(more));
  return llvm::Error::success();
}

llvm::Expected<Ranked> rankPlans(const Request &request, const SparsityProfile &profile,
                                 const Machine &machine, Look look, const FurtherFacts &facts) {
  const Stopwatch watch;
  auto seen = profileFor(request, profile, facts.inOrder);
  if (!seen)
    return seen.takeError();
  PlanRequest asked{**seen,
                    request.problem,
                    machine.model,
                    request.fixed,
                    request.plan ? request.plan->values : request.values,
                    request.orderOfAll()};
  asked.tellsReasons = facts.readsReasons;
  auto offered = usableOffers(request, asked, machine);
  if (!offered)
    return offered.takeError();
  std::vector<Offer> here = std::move(*offered);
  std::vector<Candidate> candidates = rank(here, asked);
  // Packing tells exactly what a given plan stores.
  const int64_t maxBytes = request.plan ? 0 : request.maxBytes;
  if (llvm::Error error = limitBytes(candidates, maxBytes))
    return error;
  if (llvm::Error error = priceByColumns(candidates, here, asked, {request, facts}))
    return error;
  if (llvm::Error error = addCodings(candidates, request, asked, facts))
    return error;
  if (llvm::Error error = addInOrder(candidates, asked, request, machine, facts))
    return error;
  if (llvm::Error error = limitBytes(candidates, maxBytes))
    return error;
  if (request.weighsSetup())
    rankByTotal(candidates, request, **seen, machine, look);
  Ranked ranked{std::move(here), std::move(candidates)};
  if (machine.kernels != KernelKind::atHand || cusparseIsOpen())
    ranked = withoutUnavailableCalls(std::move(ranked));
  if (ranked.candidates.empty() && !facts.readsReasons) {
    FurtherFacts withReasons = facts;
    withReasons.readsReasons = true;
    return rankPlans(request, profile, machine, look, withReasons);
  }
  ranked.ms = watch.milliseconds();
  return ranked;
}

} // namespace specmv
