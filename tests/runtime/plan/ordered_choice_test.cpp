// Tests the choice of an order of rows and columns: it is made where it can pay, plans are priced
// by the permuted matrix, and requests with and without an order do not share a choice.
#include "runtime/plan/recall.h"
#include "runtime/plan/session.h"

#include "models/base/error.h"
#include "models/lab/families/families.h"
#include "tests/runtime/plan/specialize_testing.h"

using namespace specmv;
using namespace specmv::testing;

namespace {

constexpr const char *kRandomMesh = "fem2d:rows=200000,order=random";

CsrMatrix meshOf(const char *spec) { return llvm::cantFail(generateFamily(spec)); }

Request requestInF32() {
  Request request;
  request.problem.type = ValueType::f32;
  return request;
}

Request anyOrder() {
  Request request = requestInF32();
  request.mayOrder = true;
  return request;
}

// The ranked plans, and whether somebody was asked for the order.
struct Asked {
  Ranked ranked;
  bool isAsked = false;
};

Asked rankedPlans(const CsrMatrix &a, const Request &request) {
  const Machine machine = hostMachine("");
  const SparsityProfile seen = profile(a.view());
  std::optional<SparsityProfile> inOrder;
  Asked out;
  out.ranked =
      llvm::cantFail(rankPlans(request, seen, machine, Look::untilDecided, {.inOrder = [&] {
                                 out.isAsked = true;
                                 return orderOnce(inOrder, a.view(), request);
                               }}));
  return out;
}

} // namespace

TEST_CASE("a mesh in random order is multiplied in another one, if that may be chosen") {
  const CsrMatrix a = meshOf(kRandomMesh);
  const Asked chosen = rankedPlans(a, anyOrder()), none = rankedPlans(a, requestInF32());
  const Candidate &best = chosen.ranked.candidates.front();
  CHECK(best.plan.order == "bfs");
  CHECK(best.predictedUs < 0.9 * none.ranked.candidates.front().predictedUs);
  CHECK_FALSE(none.isAsked);
  for (const Candidate &each : none.ranked.candidates)
    CHECK(each.plan.order.empty());
}

TEST_CASE("nobody orders rows where that cannot pay") {
  const CsrMatrix random = meshOf(kRandomMesh);
  CHECK_FALSE(rankedPlans(meshOf("fem2d:rows=200000"), anyOrder()).isAsked);
  CHECK_FALSE(rankedPlans(meshOf("fem2d:rows=5000,order=random"), anyOrder()).isAsked);
  CHECK_FALSE(rankedPlans(meshOf("lp:rows=400,cols=90000"), anyOrder()).isAsked);
  Request request = anyOrder();
  request.expectedProducts = 10;
  CHECK_FALSE(rankedPlans(random, request).isAsked);
  request.expectedProducts = 1000000;
  CHECK(rankedPlans(random, request).isAsked);
  request = anyOrder();
  request.problem.vectors = 4;
  CHECK_FALSE(rankedPlans(random, request).isAsked);
}

TEST_CASE("a graph without far rows gets no plan with an order") {
  const Asked random = rankedPlans(meshOf("random:k=12,rows=200000"), anyOrder());
  CHECK(random.isAsked);
  for (const Candidate &each : random.ranked.candidates)
    CHECK(each.plan.order.empty());
}

TEST_CASE("an order that is named is that of all plans, or is refused") {
  Request request = requestInF32();
  request.order = "bfs";
  const Asked named = rankedPlans(meshOf("fem2d:rows=5000"), request);
  for (const Candidate &each : named.ranked.candidates) {
    CHECK(each.plan.order == "bfs");
    CHECK_FALSE(isLibraryCall(each.plan));
  }
  CHECK(named.ranked.candidates.size() > 10);
  const Machine machine = hostMachine("");
  const CsrMatrix wide = meshOf("lp:rows=40,cols=9000");
  auto refused = analyze(
      wide.view(),
      [] {
        Request wanted;
        wanted.order = "bfs";
        return wanted;
      }(),
      machine);
  REQUIRE_FALSE(static_cast<bool>(refused));
  const auto [status, sentence] = describe(refused.takeError());
  CHECK(status == Status::notApplicable);
  CHECK(sentence ==
        "order=bfs takes square matrices; this one has 40 rows and 9000 columns; use order=none");
  auto alone = rankPlans(request, profile(wide.view()), machine);
  REQUIRE_FALSE(static_cast<bool>(alone));
  CHECK(describe(alone.takeError()).second ==
        "order=bfs needs the matrix, of which only the profile is known");
}

TEST_CASE("requests with and without an order do not follow one another's choice") {
  const ScratchDirectory scratch;
  Machine machine = hostMachine(scratch.path());
  machine.hostKernels = HostKernels::none;
  forgetChoices();
  const CsrMatrix a = meshOf("fem2d:rows=3000,order=random");
  Request plain, ordered;
  ordered.order = "bfs";
  const auto made = [&](const Request &request) {
    return llvm::cantFail(specialize(a.view(), request, machine));
  };
  const Specialized first = made(ordered);
  CHECK(first.choice.by == ChosenBy::prediction);
  CHECK(first.built.plan.order == "bfs");
  const Specialized other = made(plain);
  CHECK(other.choice.by == ChosenBy::prediction);
  CHECK(other.built.plan.order.empty());
  const Specialized again = made(ordered);
  CHECK(again.choice.by == ChosenBy::wisdom);
  CHECK(again.built.plan == first.built.plan);
  CHECK(again.built.layout.slots == first.built.layout.slots);
  // The plan of another matrix is followed only in the order that is asked for.
  Request like = ordered;
  like.like = LikePlan{a.rows, a.cols, a.nnz(), ValueType::f64, other.built.plan.text()};
  CHECK(made(like).choice.by != ChosenBy::structure);
  like.like->text = first.built.plan.text();
  CHECK(made(like).choice.by == ChosenBy::structure);
}
