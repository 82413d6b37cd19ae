// Tests which requests follow an earlier choice: of a GPU and the host if they share a cache (on
// the fake driver, whose kernels find nothing in a matrix, so its pattern is taken from the host),
// and of codings of values.
#include "runtime/plan/recall.h"

#include "models/base/error.h"
#include "models/gpus/borrow.h"
#include "runtime/store/entry_file.h"
#include "tests/runtime/cuda/fake_driver.h"
#include "tests/runtime/plan/specialize_testing.h"

using namespace specmv;
using namespace specmv::testing;

namespace {

// A choice for a matrix in one cache, made by machines with the same model.
struct OneMatrix {
  ScratchDirectory scratch;
  CsrMatrix matrix = theMatrix();
  Valued valued{matrix.view(), ValueType::f64, 1};
  Profiled profiled = llvm::cantFail(profileMatrix(valued.view()));

  Machine machine(const std::shared_ptr<const GpuDevice> &gpu) const {
    Machine out = hostMachine(scratch.path());
    out.gpu = gpu;
    return out;
  }
  void choose(Machine machine) const {
    Session session(valued.view(), {}, machine);
    session.know(profiled);
    const BuiltChoice chosen = llvm::cantFail(specmv::choose(session));
    rememberChoice(session, chosen);
  }
  bool isFollowed(Machine machine) const {
    forgetChoices();
    Session session(valued.view(), {}, machine);
    session.know(profiled);
    return recalled(session, proposeEarlierChoice).has_value();
  }
};

} // namespace

TEST_CASE("child: the host chooses before the GPU" * doctest::skip()) {
  const OneMatrix one;
  const auto gpu = llvm::cantFail(GpuDevice::open(0));
  one.choose(one.machine(nullptr));
  CHECK(one.isFollowed(one.machine(nullptr)));
  CHECK_FALSE(one.isFollowed(one.machine(gpu)));
  one.choose(one.machine(gpu));
  CHECK(one.isFollowed(one.machine(gpu)));
  CHECK(one.isFollowed(one.machine(nullptr)));
  CHECK(filesBelow(one.scratch.path() + "/wisdom").size() == 2);
}

TEST_CASE("child: a choice by borrowed rates" * doctest::skip()) {
  const OneMatrix one;
  Machine borrowing = one.machine(llvm::cantFail(GpuDevice::open(0)));
  Machine owning = borrowing;
  borrowing.model = scaledTo(sheetOf("sm_80"), h200());
  GpuModel own = borrowing.model;
  own.dramGBs = 1700; // as it was measured, of a file by the same name
  own.ratesFrom = "", own.isScaled = false;
  owning.model = own;
  one.choose(borrowing);
  CHECK(one.isFollowed(borrowing));
  CHECK_FALSE(one.isFollowed(owning));
}

// A choice for 1,000 products whose kernels are loaded, as it is kept for so many products.
TEST_CASE("child: a choice for a number of products" * doctest::skip()) {
  const OneMatrix one;
  Machine machine = one.machine(llvm::cantFail(GpuDevice::open(0)));
  const auto isProposed = [&](int64_t asked) {
    Request request;
    request.expectedProducts = asked;
    Session session(one.valued.view(), request, machine);
    session.know(one.profiled);
    forgetChoices();
    return !llvm::cantFail(proposeEarlierChoice(session)).plans.empty();
  };
  Request request;
  request.expectedProducts = 1000;
  Session session(one.valued.view(), request, machine);
  session.know(one.profiled);
  const BuiltChoice chosen = llvm::cantFail(specmv::choose(session));
  const CacheKey key = choiceKey(request, one.profiled.pattern, machine);
  Wisdom wisdom{.plan = chosen.built.plan.text(), .signature = one.profiled.signature};
  for (const std::optional<int64_t> known :
       {std::optional<int64_t>(1000), std::optional<int64_t>(1001), std::optional<int64_t>()}) {
    wisdom.products = known;
    remember(machine.cache, key, wisdom);
    CHECK(isProposed(1000) == (known == 1000));
    CHECK(isProposed(1001) == (known == 1001)); // the same key
    CHECK_FALSE(isProposed(10'000));
  }
}

TEST_CASE("a choice for a number of products is followed without a ranking for this number only") {
  passesWithFakeGpu("child: a choice for a number of products",
                    {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT}, {"SPECMV_FAKE_CUSPARSE", "1"}});
}

TEST_CASE("a choice by borrowed rates is not followed once there are rates of the GPU's own") {
  passesWithFakeGpu("child: a choice by borrowed rates",
                    {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT}, {"SPECMV_FAKE_CUSPARSE", "1"}});
}

TEST_CASE("a GPU does not follow what the host chose without calls of cuSPARSE") {
  passesWithFakeGpu("child: the host chooses before the GPU",
                    {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT}, {"SPECMV_FAKE_CUSPARSE", "1"}});
}

// A former bug: nothing was remembered for a coding.
TEST_CASE("a choice for a coding of values is remembered beside that for plain values") {
  const ScratchDirectory scratch;
  const CsrMatrix a = theMatrix();
  const std::vector<double> equal(a.col.size(), 3.0);
  CsrView view = a.view();
  view.val = equal.data();
  Machine machine = hostMachine(scratch.path());
  machine.hostKernels = HostKernels::none;
  Request plain, ones;
  ones.values = "ones";
  const auto made = [&](const Request &request) {
    return llvm::cantFail(specialize(view, request, machine));
  };
  CHECK(made(ones).choice.by == ChosenBy::prediction);
  CHECK(made(plain).choice.by == ChosenBy::prediction);
  for (const bool isKeptInMemory : {true, false}) {
    const Specialized again = made(ones), other = made(plain);
    CHECK(again.choice.by == ChosenBy::wisdom);
    CHECK(again.built.plan.values == "ones");
    CHECK(other.choice.by == ChosenBy::wisdom);
    CHECK(other.built.plan.values.empty());
    if (isKeptInMemory)
      forgetChoices();
  }
  // Other values of the pattern do not have the coding.
  auto refused = specialize(Valued(a.view(), ValueType::f64, 1).view(), ones, machine);
  CHECK(describe(refused.takeError()).second.find("values=ones needs equal values") !=
        std::string::npos);
  // A plan of another coding is not followed, whoever stored it.
  forgetChoices();
  for (const std::string &file : filesBelow(scratch.path() + "/wisdom")) {
    const std::string bytes = readFile(file);
    const CacheKey key{unpackEntry(kWisdomEntry, bytes)->front().str(),
                       std::filesystem::path(file).filename()};
    Wisdom wisdom = *recall(machine.cache, key);
    wisdom.plan = "csr-vector csr.lanes=2 block=256 offset=32 column=32";
    wisdom.plan +=
        parsePlan(recall(machine.cache, key)->plan)->values.empty() ? " values=ones" : "";
    remember(machine.cache, key, wisdom);
  }
  CHECK(made(ones).choice.by == ChosenBy::prediction);
  CHECK(made(plain).choice.by == ChosenBy::prediction);
}
