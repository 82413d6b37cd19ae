// Tests of which plans are candidates: the limit of what one may store, and calls of cuSPARSE.
#include "runtime/plan/session.h"

#include "models/lab/families/families.h"
#include "models/predict/setup.h"
#include "models/predict/worth.h"
#include "runtime/build.h"
#include "runtime/cusparse/cusparse.h"
#include "runtime/kernels/compile_beside.h"
#include "tests/runtime/cuda/fake_driver.h"
#include "tests/runtime/host_machine.h"

#include <doctest/doctest.h>

#include <chrono>
#include <set>
#include <thread>

using namespace specmv;

TEST_CASE("plans that store more than the limit are no candidates") {
  const CsrMatrix a = llvm::cantFail(generateFamily("fem2d:rows=3000"));
  const Machine machine = specmv::testing::hostMachine("");
  const SparsityProfile seen = profile(a.view());
  Request request;
  request.formats = {"csr-vector", "ell"};
  const auto formatsWithin = [&](int64_t bytes) {
    request.maxBytes = bytes;
    std::set<std::string> out;
    for (const Candidate &each : llvm::cantFail(rankPlans(request, seen, machine)).candidates) {
      CHECK((bytes == 0 || each.traffic.storedBytes <= bytes));
      out.insert(each.plan.format);
    }
    return out;
  };
  CHECK(formatsWithin(0).size() == 2);
  CHECK(formatsWithin(12 * a.nnz() + 4 * 3001) == std::set<std::string>{"csr-vector"});
  request.maxBytes = 100;
  auto none = rankPlans(request, seen, machine);
  REQUIRE_FALSE(static_cast<bool>(none));
  const auto [status, sentence] = describe(none.takeError());
  CHECK(status == Status::overMaxBytes);
  CHECK(sentence.find("the plan that stores least, csr-vector, needs ") == 0);
  CHECK(sentence.find("more than the limit, 100") != std::string::npos);
}

TEST_CASE("reasons that nobody reads are told where no format has a plan") {
  const CsrMatrix a = llvm::cantFail(generateFamily("random:n=3000"));
  const Machine machine = specmv::testing::hostMachine("");
  const SparsityProfile seen = profile(a.view());
  Request request;
  const auto whyOf = [&](const char *format) {
    const Ranked ranked = llvm::cantFail(
        rankPlans(request, seen, machine, Look::untilDecided, {.readsReasons = false}));
    for (const Offer &offer : ranked.offers)
      if (offer.format->name == std::string(format))
        return offer.why;
    return std::string("no offer");
  };
  CHECK(whyOf("bcsr") == "not told");
  CHECK(whyOf("ell") == "");
  request.formats = {"bcsr"};
  CHECK(whyOf("bcsr").find("bcsr with its best blocks, ") == 0);
}

TEST_CASE("values are looked at where what they could save pays for the look") {
  Machine machine = specmv::testing::hostMachine("");
  const SetupSize large{3000000, 3000000, 20000000};
  Request request;
  CHECK_FALSE(mayPayToCode(large, request, machine)); // nobody asks for codings
  request.mayCode = true;
  CHECK(mayPayToCode(large, request, machine));
  CHECK_FALSE(mayPayToCode({1000, 1000, 0}, request, machine));
  CHECK_FALSE(mayPayToCode({1000, 1000, 5000}, request, machine)); // a launch takes nearly all
  // So many products make up for reading the values twice and for looking at the result.
  const double savedUs = productUsAtLeast(large, machine.model) -
                         productUsAtLeast({large.rows, large.cols, 0}, machine.model);
  const double even = 2 + lookUs(machine.model) / savedUs;
  REQUIRE(even > 2);
  request.expectedProducts = static_cast<int64_t>(even);
  CHECK_FALSE(mayPayToCode(large, request, machine));
  request.expectedProducts += 1;
  CHECK(mayPayToCode(large, request, machine));
  request.takesNewValues = true;
  CHECK_FALSE(mayPayToCode(large, request, machine));
}

TEST_CASE("facts about values on a machine without a GPU, and of a matrix without values") {
  const CsrMatrix a = llvm::cantFail(generateFamily("stencil5:n=30"));
  Machine machine = specmv::testing::hostMachine("");
  const ValueFacts facts = llvm::cantFail(valueFactsOf(a.view(), machine));
  CHECK(facts == valueFacts(a.view()));
  Session profiled(a.view(), {}, machine);
  llvm::cantFail(profiled.profiled());
  CHECK(facts == *llvm::cantFail(profiled.valueFacts()));
  CsrView pattern = a.view();
  pattern.val = nullptr;
  auto none = valueFactsOf(pattern, machine);
  REQUIRE_FALSE(static_cast<bool>(none));
  const auto [status, sentence] = describe(none.takeError());
  CHECK(status == Status::badInput);
  CHECK(sentence == "the matrix has 4380 entries and no values; give it values to look at");
}

TEST_CASE("child: cuSPARSE is opened behind" * doctest::skip()) {
  const CsrMatrix a = llvm::cantFail(generateFamily("fem2d:rows=300"));
  Machine machine =
      llvm::cantFail(Machine::find({.target = Target::gpu, .kernels = KernelKind::atHand}));
  Request request;
  request.formats = {"cusparse-csr"};
  const Plan call =
      llvm::cantFail(rankPlans(request, profile(a.view()), machine)).candidates.at(0).plan;
  const auto isAtHand = [&] {
    return isWhollyReady(call, request.problem, IndexType::i32, machine);
  };
  CHECK_FALSE(cusparseIsOpen());
  CHECK_FALSE(isAtHand());
  // Runs on another thread; nothing is compiled. The limit of minutes is for slow machines.
  std::thread([&] {
    compileForLater(call.text(), request.problem, IndexType::i32, machine);
  }).join();
  for (int i = 0; i < 12000 && !isAtHand(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(isAtHand());
}

// Opening cuSPARSE took 10 to 170 ms of a first plan, just to find that one of its calls is the
// best.
TEST_CASE("to rank its calls opens no cuSPARSE where plans begin with what is at hand") {
  passesWithFakeGpu("child: cuSPARSE is opened behind",
                    {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT}, {"SPECMV_FAKE_CUSPARSE", "1"}});
}

TEST_CASE("child: cuSPARSE is opened to rank" * doctest::skip()) {
  const CsrMatrix a = llvm::cantFail(generateFamily("fem2d:rows=300"));
  const Machine machine = llvm::cantFail(Machine::find({.target = Target::gpu}));
  Request request;
  request.formats = {"cusparse-csr"};
  CHECK_FALSE(llvm::cantFail(rankPlans(request, profile(a.view()), machine)).candidates.empty());
  CHECK(cusparseIsOpen());
}

TEST_CASE("elsewhere it is opened, so that what it lacks is no candidate") {
  passesWithFakeGpu("child: cuSPARSE is opened to rank",
                    {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT}, {"SPECMV_FAKE_CUSPARSE", "1"}});
}

// A former bug: kernels that nobody had measured could be chosen, by their defaults.
TEST_CASE("a format that was not measured on the GPU is chosen by name, or if there is no other") {
  const SparsityProfile seen = profile(llvm::cantFail(generateFamily("stencil5:n=300")).view());
  Machine machine = specmv::testing::hostMachine("");
  const std::string best =
      llvm::cantFail(rankPlans({}, seen, machine)).candidates.front().plan.format;
  REQUIRE(best == "dia");
  GpuModel gpu = machine.model;
  gpu.rates = {};
  for (const auto &[name, value] : machine.model->rates.all())
    if (name.rfind("dia.", 0) != 0)
      gpu.rates.set(name, value);
  machine.model = gpu;
  const Ranked ranked = llvm::cantFail(rankPlans({}, seen, machine));
  for (const Candidate &candidate : ranked.candidates)
    CHECK(candidate.plan.format != "dia");
  const auto dia = llvm::find_if(
      ranked.offers, [](const Offer &offer) { return offer.format->name == std::string("dia"); });
  CHECK(dia->why.find("dia was not measured on h200: ") == 0);
  Request named;
  named.formats = {"dia"};
  CHECK(llvm::cantFail(rankPlans(named, seen, machine)).candidates.front().plan.format == "dia");
  gpu.rates = {}; // no format was measured
  machine.model = gpu;
  const auto unmeasured = llvm::cantFail(rankPlans({}, seen, machine)).candidates;
  CHECK(llvm::any_of(unmeasured, [](const Candidate &c) { return c.plan.format == "dia"; }));
}

namespace {

// This tells what rankPlans() did with plans that depend on counts of columns.
struct CountedRank {
  int counts = 0; // calls
  bool isRanked = false;
  std::string best, why;
};

CountedRank rankCounting(const CsrMatrix &a, const Request &request, const Machine &machine,
                         bool canCount = true, bool always = false) {
  const SparsityProfile seen = profile(a.view());
  const ColumnDegrees columns = columnDegrees(a.view());
  CountedRank out;
  FurtherFacts facts{.countsAlways = always};
  facts.columns = [&]() -> llvm::Expected<const ColumnDegrees *> {
    ++out.counts;
    return canCount ? &columns : nullptr;
  };
  const Ranked ranked =
      llvm::cantFail(rankPlans(request, seen, machine, Look::untilDecided, facts));
  out.best = ranked.candidates.at(0).plan.format;
  out.isRanked = llvm::any_of(ranked.candidates,
                              [](const Candidate &c) { return c.plan.format == "csr5-hot"; });
  for (const Offer &offer : ranked.offers)
    if (offer.format->name == std::string("csr5-hot"))
      out.why = offer.why;
  return out;
}

} // namespace

TEST_CASE("the entries of columns are counted where that can decide, and only once") {
  const Machine machine = specmv::testing::hostMachine("");
  const CsrMatrix skewed = llvm::cantFail(generateFamily("features:rows=200000,cols=400000,k=20"));
  Request request;
  request.problem.type = ValueType::f32;
  const CountedRank counted = rankCounting(skewed, request, machine);
  CHECK(counted.counts == 1);
  CHECK(counted.best == "csr5-hot");
  CHECK(rankCounting(skewed, request, machine, true, true).counts == 1);

  const CountedRank unable = rankCounting(skewed, request, machine, false);
  CHECK(unable.counts == 1);
  CHECK_FALSE(unable.isRanked);
  CHECK(unable.why.find("csr5-hot: the kernels that count") == 0);

  Request few = request;
  few.expectedProducts = 2;
  const CountedRank cheap = rankCounting(skewed, few, machine);
  CHECK(cheap.counts == 0);
  CHECK_FALSE(cheap.isRanked);
  CHECK(cheap.why.find("2 products are too few") != std::string::npos);
  few.expectedProducts = 1000000;
  CHECK(rankCounting(skewed, few, machine).counts == 1);

  Request several = request;
  several.problem.vectors = 4;
  CHECK(rankCounting(skewed, several, machine).counts == 0);

  const CsrMatrix stencil = llvm::cantFail(generateFamily("stencil5:n=300"));
  const CountedRank none = rankCounting(stencil, request, machine);
  CHECK(none.counts == 0);
  CHECK_FALSE(none.isRanked);
  CHECK(none.why.find("takes less time, even if all entries were in hot columns") !=
        std::string::npos);
  // A user who looks at all plans sees it with the price that it has.
  const CountedRank shown = rankCounting(stencil, request, machine, true, true);
  CHECK(shown.counts == 1);
  CHECK(shown.isRanked);
  CHECK(shown.best == none.best);
  Request named = request;
  named.formats = {"csr5-hot"};
  CHECK(rankCounting(stencil, named, machine).counts == 1);
  CHECK(rankCounting(stencil, named, machine, false).isRanked);
}

TEST_CASE("a plan whose price depends on columns is not chosen if nobody counts them") {
  Machine machine = specmv::testing::hostMachine("");
  const CsrMatrix skewed = llvm::cantFail(generateFamily("web:rows=400000,avg=12,near=0.2"));
  const Ranked ranked = llvm::cantFail(rankPlans({}, profile(skewed.view()), machine));
  CHECK(llvm::none_of(ranked.candidates,
                      [](const Candidate &c) { return c.plan.format == "csr5-hot"; }));
  Session session(skewed.view(), {}, machine);
  CHECK(*llvm::cantFail(session.columnDegrees()) == columnDegrees(skewed.view()));
  CHECK(llvm::cantFail(session.ranked())->candidates.at(0).plan.format == "csr5-hot");
}
