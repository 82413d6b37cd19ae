// Tests of which plans are candidates: the limit of what one may store, and calls of cuSPARSE.
#include "runtime/plan/session.h"

#include "models/lab/families/families.h"
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
  const SparsityProfile seen = profile(llvm::cantFail(generateFamily("stencil5:n=30")).view());
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
