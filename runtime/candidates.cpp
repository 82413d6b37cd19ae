// Asks all formats for their plans, leaves out what cannot be the choice here, and ranks the rest.
#include "runtime/candidates.h"

#include "runtime/cusparse/cusparse.h"
#include "runtime/measure/stopwatch.h"
#include "llvm/ADT/STLExtras.h"

namespace specmv {

static void refuse(Offer &offer, Status status, std::string why) {
  offer.plans.clear();
  offer.whyStatus = status;
  offer.why = std::move(why);
}

static void leaveOut(const Request &request, const Machine &machine, Offer &offer) {
  const std::string why = request.formats.empty() ? whyNotByItself(*offer.format) : "";
  if (offer.plans.empty())
    return;
  if (!why.empty())
    refuse(offer, Status::notApplicable, why);
  else if (offer.format->library && !machine.gpu)
    refuse(offer, Status::missing,
           llvm::formatv("{0} runs on a GPU: {1}", offer.format->name, machine.whyHost));
}

// Drops library calls from the front that this machine's library lacks. Opening it takes 10 ms and
// more, so the others are left until one of them is built.
static void dropMissing(Specialized &s) {
  while (!s.candidates.empty()) {
    const std::string best = s.candidates.front().plan.format;
    if (!findFormat(best)->library)
      return;
    llvm::Error error = cusparseHas(best);
    if (!error)
      return;
    auto [status, sentence] = describe(std::move(error));
    for (Offer &offer : s.offers)
      if (offer.format->name == best)
        refuse(offer, status, best + ": " + sentence);
    llvm::erase_if(s.candidates, [&](const Candidate &c) { return c.plan.format == best; });
  }
}

llvm::Error findCandidates(const Request &request, const Machine &machine, Specialized &s) {
  return timed(s.setup.predict, [&]() -> llvm::Error {
    const PlanRequest asked{s.profile, request.problem, machine.model, request.fixed};
    auto offered = offers(asked, request.formats);
    if (!offered)
      return offered.takeError();
    s.offers = std::move(*offered);
    for (Offer &offer : s.offers)
      leaveOut(request, machine, offer);
    s.candidates = rank(s.offers, asked);
    dropMissing(s);
    return llvm::Error::success();
  });
}

} // namespace specmv
