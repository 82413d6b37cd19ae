// Tells the story of a set-up: the sources propose plans, and the first that can be realized is
// remembered and returned.
#include "runtime/plan/specialize.h"

#include "runtime/measure/stopwatch.h"
#include "runtime/plan/recall.h"
#include "runtime/plan/sources.h"

namespace specmv {

// Counts the time that no step counted as that of the source.
static llvm::Expected<std::optional<BuiltChoice>> timedRealized(Session &session,
                                                                const Source &source) {
  const double before = session.times.total();
  double ms = 0;
  auto made = timed(ms, [&] {
    return andThen(source.propose(session),
                   [&](const Proposals &proposals) { return realize(session, proposals); });
  });
  session.times.*source.time += ms - (session.times.total() - before);
  return made;
}

static Specialized resultOf(Session &session, BuiltChoice chosen) {
  Specialized out{.signature = std::move(session.signature),
                  .profile = {},
                  .ranked = {},
                  .choice = chosen.choice,
                  .built = std::move(chosen.built),
                  .setup = session.times,
                  .warnings = std::move(session.warnings),
                  .whyNotFollowed = std::move(session.whyNotFollowed)};
  if (chosen.choice.by == ChosenBy::wisdom) // it is the only candidate and compared with none
    out.ranked.candidates.push_back({.plan = out.built.plan,
                                     .predictedUs = chosen.predictedUs,
                                     .comparedUs = chosen.predictedUs});
  else
    out.ranked = session.takeRanked();
  if (auto profiled = session.takeProfiled())
    out.profile = std::move(profiled->profile);
  return out;
}

static llvm::Expected<BuiltChoice> firstRealized(llvm::ArrayRef<Source> sources, Session &session) {
  for (const Source &source : sources) {
    if (!source.isAsked(session.request))
      continue;
    if (auto made = timedRealized(session, source); !made || *made)
      return made ? llvm::Expected<BuiltChoice>(std::move(**made)) : made.takeError();
  }
  return fail(Status::internal, "no source proposed a plan");
}

llvm::Expected<BuiltChoice> choose(Session &session) {
  return firstRealized(choosingSources(), session);
}

llvm::Expected<Specialized> specialize(const SourceMatrix &a, const Request &asked,
                                       Machine &machine) {
  Session session(a, asked, machine);
  return andThen(firstRealized(sources(), session),
                 [&](BuiltChoice made) -> llvm::Expected<Specialized> {
                   auto rivals = rivalsToLearn(session, made);
                   if (!rivals)
                     return rivals.takeError();
                   LearnedKeeper keeper;
                   timed(session.times.keep, [&] {
                     rememberChoice(session, made);
                     keeper = keeperOfLearned(session, made, *rivals);
                   });
                   Specialized out = resultOf(session, std::move(made));
                   out.mayBeCompared = rivals->mayCompare;
                   out.rivals = std::move(rivals->plans);
                   out.keepLearned = std::move(keeper);
                   return out;
                 });
}

llvm::Expected<std::optional<FirstProduct>> firstProduct(const SourceMatrix &a,
                                                         const Problem &problem, Machine &machine) {
  Request request;
  request.problem = problem;
  Session session(a, std::move(request), machine);
  const auto productOf = [&](std::optional<BuiltChoice> made) -> std::optional<FirstProduct> {
    if (!made)
      return std::nullopt;
    return FirstProduct{std::move(made->built.plan), std::move(*made->built.product), a};
  };
  return andThen(realize(session, plansToStartWith(session)), productOf);
}

const ColumnDegrees *countOnce(std::optional<ColumnDegrees> &columns, const CsrView &a) {
  if (!columns)
    columns = columnDegrees(a);
  return &*columns;
}

llvm::Expected<const SparsityProfile *> orderOnce(std::optional<SparsityProfile> &inOrder,
                                                  const CsrView &a, const Request &request) {
  if (inOrder)
    return &*inOrder;
  return andThen(orderOf(a), [&](const Order &order) -> const SparsityProfile * {
    if (request.orderOfAll().empty() && !bringsTogether(order))
      return nullptr;
    return &inOrder.emplace(profile(permuted(a, order).view));
  });
}

BlockSampler samplesOf(std::vector<RepeatedBlocks> &blocks, const CsrView &a) {
  return [&blocks, a](int64_t r, int64_t c) {
    return sampledOnce(blocks, r, c,
                       [&]() -> llvm::Expected<RepeatedBlocks> { return repeatedBlocks(a, r, c); });
  };
}

llvm::Expected<Analyzed> analyze(const CsrView &a, const Request &request, const Machine &machine) {
  auto profiled = profileMatrix(a);
  if (!profiled)
    return profiled.takeError();
  std::optional<ValueFacts> facts;
  if (a.val && mayPayToCode(sizeOf(profiled->profile, a.valueType), request, machine))
    facts = valueFacts(a, profiled->profile.occupiedDiagonals);
  std::vector<RepeatedBlocks> blocks;
  std::optional<ColumnDegrees> columns;
  std::optional<SparsityProfile> inOrder;
  auto ranked = rankPlans(request, profiled->profile, machine, Look::atAll,
                          {.values = facts ? &*facts : nullptr,
                           .blocks = samplesOf(blocks, a),
                           .columns = [&] { return countOnce(columns, a); },
                           .countsAlways = true,
                           .inOrder = [&] { return orderOnce(inOrder, a, request); }});
  if (!ranked)
    return ranked.takeError();
  return Analyzed{std::move(*profiled), std::move(*ranked), std::move(facts),
                  std::move(blocks),    std::move(columns), std::move(inOrder)};
}

} // namespace specmv
