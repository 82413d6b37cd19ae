// Profiles a matrix, asks all formats for their plans, removes those that cannot be chosen on this
// machine or for this request, and ranks the rest.
#include "runtime/candidates.h"

#include "generator/setup/profile.h"
#include "generator/setup/value_facts.h"
#include "models/csr_check.h"
#include "models/signature/signature.h"
#include "runtime/cusparse/cusparse.h"
#include "runtime/kernels/setup_kernels.h"
#include "runtime/measure/stopwatch.h"
#include "llvm/ADT/STLExtras.h"

namespace specmv {

static Profiled profiled(SparsityProfile seen, const Stopwatch &watch) {
  std::string signature = signatureId(seen);
  std::string pattern = patternId({seen.rows, seen.cols, seen.nnz}, seen.fingerprint);
  return {std::move(seen), std::move(signature), std::move(pattern), watch.milliseconds()};
}

llvm::Expected<Profiled> profileMatrix(const CsrView &a) {
  const Stopwatch watch;
  if (llvm::Error error = checkCsr(a))
    return error;
  return profiled(profile(a), watch);
}

// Runs `look` on the GPU. nullopt if the host must do it: the matrix requires it, or the kernels
// are not available.
template <class F> static auto onGpu(const SourceMatrix &a, Machine &machine, const F &look) {
  using Result = decltype(look(std::declval<Workspace &>()));
  auto workspace = workspaceOf(a, machine);
  if (!workspace)
    return Result(workspace.takeError());
  return unlessKernelsLack(**workspace, look(**workspace));
}

static llvm::Expected<std::optional<SparsityProfile>> profileIn(Workspace &workspace,
                                                                const Identified *identified) {
  if (identified)
    return profileOn(workspace, identified->hash);
  auto hash = fingerprintOn(workspace);
  if (!hash)
    return hash.takeError();
  if (!*hash)
    return std::nullopt;
  return profileOn(workspace, **hash);
}

llvm::Expected<Profiled> profileMatrix(const SourceMatrix &a, Machine &machine,
                                       const Identified *identified) {
  if (machine.gpu) {
    const Stopwatch watch;
    auto seen = onGpu(a, machine, [&](Workspace &w) { return profileIn(w, identified); });
    if (!seen)
      return seen.takeError();
    if (*seen)
      return profiled(std::move(**seen), watch);
  }
  if (llvm::Error error = unlessCancelled(machine))
    return error;
  auto onHost = a.onHost();
  if (!onHost)
    return onHost.takeError();
  return profileMatrix(*onHost);
}

static llvm::Expected<std::optional<ValueFacts>> factsIn(Workspace &workspace,
                                                         std::optional<int64_t> diagonals) {
  auto facts = valueFactsOn(workspace, diagonals);
  if (!facts)
    return facts.takeError();
  return std::move(*facts);
}

llvm::Expected<ValueFacts> valueFactsOf(const SourceMatrix &a, Machine &machine,
                                        std::optional<int64_t> diagonals) {
  if (a.given().nnz > 0 && !a.given().val)
    return fail(Status::badInput,
                "the matrix has {0} entries and no values; give it values to look at",
                a.given().nnz);
  if (machine.gpu) {
    auto facts = onGpu(a, machine, [&](Workspace &w) { return factsIn(w, diagonals); });
    if (!facts)
      return facts.takeError();
    if (*facts)
      return std::move(**facts);
  }
  if (llvm::Error error = unlessCancelled(machine))
    return error;
  auto onHost = a.onHost();
  if (!onHost)
    return onHost.takeError();
  return valueFacts(*onHost, diagonals);
}

llvm::Expected<std::optional<Identified>> identify(const SourceMatrix &a, Machine &machine) {
  const Stopwatch watch;
  PatternHash hash;
  if (machine.gpu) {
    auto seen = onGpu(a, machine, [](Workspace &w) { return fingerprintOn(w); });
    if (!seen)
      return seen.takeError();
    if (!*seen)
      return std::nullopt;
    hash = **seen;
  } else {
    auto onHost = a.onHost();
    if (!onHost)
      return onHost.takeError();
    if (llvm::Error error = checkCsr(*onHost))
      return error;
    hash.fingerprint = fingerprintOf(*onHost);
  }
  return Identified{patternId(dimensionsOf(a.given()), hash.fingerprint), hash,
                    watch.milliseconds()};
}

static Offer refused(const Offer &offer, Status status, std::string why) {
  return {.format = offer.format, .plans = {}, .why = std::move(why), .whyStatus = status};
}

// Returns the offer, or a refusal if its plans cannot be used for this request on this machine.
static Offer screened(Offer offer, const Request &request, const Machine &machine) {
  if (offer.plans.empty())
    return offer;
  const std::string why = request.formats.empty() ? whyNotByItself(*offer.format) : "";
  if (!why.empty())
    return refused(offer, Status::notApplicable, why);
  if (offer.format->library && !machine.gpu)
    return refused(
        offer, Status::noGpu,
        llvm::formatv("{0} runs only on a GPU: {1}", offer.format->name, machine.whyHost));
  return offer;
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

llvm::Expected<Ranked> rankPlans(const Request &request, const SparsityProfile &profile,
                                 const Machine &machine, Look look) {
  const Stopwatch watch;
  const PlanRequest asked{profile, request.problem, machine.model, request.fixed, request.values};
  auto offered = offers(asked, request.formats);
  if (!offered)
    return offered.takeError();
  std::vector<Offer> here;
  for (Offer &offer : *offered)
    here.push_back(screened(std::move(offer), request, machine));
  std::vector<Candidate> candidates = rank(here, asked);
  if (llvm::Error error = limitBytes(candidates, request.maxBytes))
    return error;
  if (request.weighsSetup())
    rankByTotal(candidates, request, profile, machine, look);
  Ranked ranked{std::move(here), std::move(candidates)};
  if (machine.kernels != KernelKind::atHand || cusparseIsOpen())
    ranked = withoutUnavailableCalls(std::move(ranked));
  ranked.ms = watch.milliseconds();
  return ranked;
}

} // namespace specmv
