// Tests what a program may do with a plan while a better one is made: new values reach both, graphs
// keep what they contain, and plans that are compared compare the better one too.
#include "tests/api/improving_testing.h"

using namespace apitest;

namespace {

specmvPlanOptions_t updatable(const ImprovingContext &context) {
  specmvPlanOptions_t options = improving(context);
  options.updatable = 1;
  return options;
}

void giveNew(specmvPlan_t plan, const std::vector<double> &values) {
  CHECK_MESSAGE(specmvUpdateValues(plan, values.data(), kStream) == SPECMV_STATUS_SUCCESS,
                detail());
}

// Calls the body as if it were captured into a graph.
template <class Body> void captured(const Body &body) {
  int &isCapturing = *ofFakeDriver<int>("fakeIsCapturing");
  isCapturing = 1;
  body();
  isCapturing = 0;
}

} // namespace

TEST_CASE("child: new values before a better plan" * doctest::skip()) {
  unsigned &memoryType = *ofFakeDriver<unsigned>("fakeMemoryType");
  for (const bool areOnGpu : {false, true})
    for (const uint64_t updates : {0, 1, 3}) {
      CAPTURE(areOnGpu);
      CAPTURE(updates);
      ImprovingContext context;
      const specmvPlan_t plan = improvingPlan(updatable(context));
      std::vector<double>
          values; // those of the matrix are packed by kernels, which do nothing here
      const unsigned before = std::exchange(memoryType, areOnGpu ? 2 : memoryType);
      for (uint64_t i = 0; i < updates; ++i) {
        values = otherValues(10 + i);
        std::vector<double> given = values;
        giveNew(plan, given);
        given.assign(given.size(), 0); // they are the program's again
        CHECK(multipliesBy(plan, values));
      }
      CHECK(runs(plan, "csr-scalar"));
      memoryType = before;
      finish(plan);
      REQUIRE(runs(plan, "csr-vector"));
      if (updates > 0)
        CHECK(multipliesBy(plan, values));
      values = otherValues(20);
      giveNew(plan, values);
      CHECK(multipliesBy(plan, values));
      destroy(plan);
    }
}

TEST_CASE("new values reach the better plan that is being made") {
  passesStart("child: new values before a better plan");
}

TEST_CASE("child: new values at any moment" * doctest::skip()) {
  openGate();
  for (int round = 0; round < 60; ++round) {
    ImprovingContext context;
    const specmvPlanOptions_t options = updatable(context);
    CHECK(specmvDestroyPlan(planOf("csr-scalar", options)) == SPECMV_STATUS_SUCCESS);
    CHECK(leftOnFakeGpu() == 0);
    specmvPlan_t plan = nullptr;
    REQUIRE(specmvCreatePlan(&plan, Matrix(fakeGpuMatrix()), &options) == SPECMV_STATUS_SUCCESS);
    std::vector<double> values;
    int ready = 0;
    for (uint64_t seed = 1; !ready; ++seed) {
      values = otherValues(seed);
      giveNew(plan, values);
      sleepFor(10 * round);
      CHECK(specmvPlanReady(plan, &ready) == SPECMV_STATUS_SUCCESS);
      CHECK(multipliesBy(plan, values));
    }
    CHECK(runs(plan, "csr-vector"));
    CHECK(multipliesBy(plan, values));
    destroy(plan);
  }
}

TEST_CASE("no product has old values, whenever new ones come") {
  passesStart("child: new values at any moment", {{"SPECMV_FAKE_NVRTC_US", "300"}});
}

TEST_CASE("child: updates that end an improvement" * doctest::skip()) {
  for (const bool isUpdatable : {false, true}) {
    ImprovingContext context;
    const specmvPlan_t plan = improvingPlan(isUpdatable ? updatable(context) : improving(context));
    const std::vector<double> values = otherValues(5);
    if (isUpdatable) {
      giveNew(plan, otherValues(4)); // which makes memory for the captured one
      captured([&] { giveNew(plan, values); });
    } else {
      giveNew(plan, values);
    }
    CHECK(improvementOf(plan, "state") == "failed");
    CHECK(improvementOf(plan, "why") == (isUpdatable ? "an update was captured into a graph"
                                                     : "new values need the option updatable"));
    finish(plan);
    CHECK(runs(plan, "csr-scalar"));
    CHECK(multipliesBy(plan, values));
    destroy(plan);
  }
}

TEST_CASE("updates in graphs, and those without the option for them, end an improvement") {
  passesStart("child: updates that end an improvement");
}

TEST_CASE("child: products in graphs" * doctest::skip()) {
  for (const bool isUpdatable : {false, true}) {
    ImprovingContext context;
    specmvPlanOptions_t options = improving(context);
    options.operation = SPECMV_OPERATION_TRANSPOSE; // which takes no new values by itself
    options.updatable = isUpdatable;
    const specmvPlan_t plan = improvingPlan(options);
    const std::string before = textOf(plan);
    REQUIRE(improvementOf(plan, "state") == "running");
    captured([&] { multiplySome(plan, 1); });
    const int64_t bytes = bytesOf(plan); // those of the other plan are about the same
    finish(plan);
    CHECK((textOf(plan) == before) == isUpdatable);
    CHECK(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
    multiplySome(plan, 3);
    if (isUpdatable)
      CHECK(improvementOf(plan, "why") ==
            "products were captured into a graph, which new values must reach");
    else
      CHECK(bytesOf(plan) > bytes + bytes / 2); // the graph keeps the former products
    destroy(plan);
  }
}

TEST_CASE("graphs keep the products that they contain, and new values reach these") {
  passesStart("child: products in graphs");
}

TEST_CASE("child: new values behind a graph" * doctest::skip()) {
  for (const bool isCaptured : {false, true}) {
    openGate();
    ImprovingContext context;
    const specmvPlanOptions_t options = improving(context, "csr5,csr-scalar");
    CHECK(specmvDestroyPlan(planOf("csr5", options)) == SPECMV_STATUS_SUCCESS);
    CHECK(leftOnFakeGpu() == 0);
    closeGate();
    specmvPlan_t plan = nullptr;
    REQUIRE(specmvCreatePlan(&plan, Matrix(fakeGpuMatrix()), &options) == SPECMV_STATUS_SUCCESS);
    REQUIRE(runs(plan, "csr5")); // which takes no new values
    *ofFakeDriver<int>("fakeIsCapturing") = isCaptured;
    multiplySome(plan, 1);
    *ofFakeDriver<int>("fakeIsCapturing") = 0;
    finish(plan);
    REQUIRE(runs(plan, "csr-scalar")); // which takes some
    const std::vector<double> values = otherValues(3);
    CHECK((specmvUpdateValues(plan, values.data(), kStream) == SPECMV_STATUS_SUCCESS) !=
          isCaptured);
    destroy(plan);
  }
}

TEST_CASE("a better plan takes no new values that a graph of the former one cannot have") {
  passesStart("child: new values behind a graph");
}

TEST_CASE("child: former products that still run" * doctest::skip()) {
  ImprovingContext context;
  const specmvPlan_t plan = improvingPlan(improving(context));
  int &holdsEvents = *ofFakeDriver<int>("fakeHoldsEvents");
  multiplySome(plan, 1);
  const int64_t bytes = bytesOf(plan);
  holdsEvents = 1;
  finish(plan);
  CHECK(runs(plan, "csr-vector"));
  CHECK(waitsIn(fakeCallsOf([&] { multiplySome(plan, 3); })) == 0);
  CHECK(bytesOf(plan) > bytes);
  holdsEvents = 0;
  multiplySome(plan, 1);
  CHECK(bytesOf(plan) <= bytes);
  destroy(plan);
}

TEST_CASE("former products are freed when they have ended") {
  passesStart("child: former products that still run");
}

namespace {

// Sets the microseconds that events tell from now on.
void plant(const std::vector<float> &us) {
  float *const times = ofFakeDriver<float>("fakeTimes");
  std::fill(times, times + 64, 0.0F);
  std::copy(us.begin(), us.end(), times);
  *ofFakeDriver<int>("fakeTimings") = 0;
}

// Returns the formats of plans that are compared, the best prediction first.
std::vector<std::string> comparedFormats() {
  openGate();
  ImprovingContext context;
  specmvPlanOptions_t options = learning();
  options.context = context.handle;
  const specmvPlan_t plan = learnerOf(options);
  std::vector<std::string> out;
  for (const std::string &text : plansOf(plan))
    out.push_back(text.substr(0, text.find(' ')));
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  CHECK(leftOnFakeGpu() == 0);
  return out;
}

} // namespace

TEST_CASE("child: plans in turn and a better one" * doctest::skip()) {
  const std::vector<std::string> formats = comparedFormats();
  REQUIRE(formats.size() == 3);
  for (const bool isFaster : {true, false}) {
    CAPTURE(isFaster);
    openGate();
    ImprovingContext context;
    specmvPlanOptions_t options = learning();
    options.context = context.handle;
    for (size_t i = 1; i < 3; ++i)
      CHECK(specmvDestroyPlan(planOf(formats[i].c_str(), options)) == SPECMV_STATUS_SUCCESS);
    CHECK(leftOnFakeGpu() == 0);
    closeGate();
    options.kernels = SPECMV_KERNELS_BOTH;
    options.csrOutlivesPlan = isFaster; // the promise suffices
    options.improves = !isFaster;
    const specmvPlan_t plan = learnerOf(options);
    CHECK(runs(plan, formats[1])); // which is at hand, as its rival is
    CHECK(plansOf(plan).size() == 2);
    CHECK(improvementOf(plan, "state") == "running");
    finish(plan); // but a comparison ends first
    CHECK(improvementOf(plan, "state") == "running");
    plant({200, 100}); // of two products each
    multiplySome(plan, 14);
    CHECK(improvementOf(plan, "state") == "ready");
    CHECK(plansOf(plan).size() == 2);
    CHECK(startsWith(plansOf(plan)[0], formats[0] + " "));
    CHECK(startsWith(plansOf(plan)[1], formats[2] + " "));
    CHECK(stateOf(plan) == "running");
    plant(isFaster ? std::vector<float>{100, 200} : std::vector<float>{200, 100});
    multiplySome(plan, 14);
    CHECK(stateOf(plan) == "over");
    CHECK(runs(plan, isFaster ? formats[0] : formats[2]));
    destroy(plan);
  }
}

TEST_CASE("plans that are compared compare the better one too, when they have ended") {
  const ScratchDirectory scratch("specmv-slow-kernels");
  const std::string model = scratch.path() + "/model.json";
  specmv::testing::writeSlowKernels(model);
  passesStart("child: plans in turn and a better one", {{"SPECMV_GPU_MODEL", model}});
}
