// Tests plans that take turns in the program's products, beyond their times: how much of L2 each
// keeps, and what becomes of them if new values do not reach one.
#include "tests/api/learning_testing.h"

using namespace apitest;

namespace {

void multiplyOften(specmvPlan_t plan, int products) {
  for (int i = 0; i < products; ++i)
    CHECK_MESSAGE(multiplyFromHost(plan, kStream) == SPECMV_STATUS_SUCCESS, detail());
}

// From now on events tell these microseconds.
void plantLaterTimes(const std::vector<float> &us) {
  float *const times = ofFakeDriver<float>("fakeTimes");
  std::fill(times, times + 64, 0.0F);
  std::copy(us.begin(), us.end(), times);
  *ofFakeDriver<int>("fakeTimings") = 0;
}

bool update(specmvPlan_t plan) {
  return specmvUpdateValues(plan, fakeGpuMatrix().val.data(), kStream) == SPECMV_STATUS_SUCCESS;
}

int copiesIn(const std::string &calls) {
  return countOf("cuMemcpyHtoDAsync_v2", calls) + countOf("cuMemcpyDtoDAsync_v2", calls);
}

specmvPlanOptions_t updatableLearning() {
  specmvPlanOptions_t options = learning();
  options.updatable = 1;
  return options;
}

// Copies of an update of the first plan alone.
int copiesOfOne() {
  specmvPlanOptions_t alone = updatableLearning();
  alone.rigor = SPECMV_RIGOR_ESTIMATE;
  const specmvPlan_t plan = learnerOf(alone);
  const int copies = copiesIn(fakeCallsOf([&] { CHECK(update(plan)); }));
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  return copies;
}

// With what the fake GPU's kernels count, other formats have no arrays.
constexpr const char *kReadingCsr = "csr-vector,csr-merge,csr-scalar";

// The policies for L2, an argument of each kernel, in these products.
std::vector<uint64_t> policiesOf(specmvPlan_t plan, int products) {
  std::vector<uint64_t> out;
  for (int i = 0; i < products; ++i) {
    multiplyOften(plan, 1);
    out.push_back(*ofFakeDriver<uint64_t>("fakeArguments"));
  }
  return out;
}

} // namespace

TEST_CASE("child: new values do not reach a rival" * doctest::skip()) {
  const int ofOne = copiesOfOne();
  REQUIRE(ofOne > 0);
  for (const int rival : {0, 1}) // its copy fails
    for (const int before : {0, 5}) {
      CAPTURE(rival);
      CAPTURE(before);
      const specmvPlan_t plan = learnerOf(updatableLearning());
      const std::vector<std::string> plans = plansOf(plan);
      REQUIRE(plans.size() == 3);
      plantLaterTimes({200, 100, 112, 100, 112}); // by which the first plan would not stay
      multiplyOften(plan, before);
      *ofFakeDriver<int>("fakeFailingCopy") = ofOne + 1 + rival;
      CHECK_MESSAGE(update(plan), detail()); // the plan itself has them
      *ofFakeDriver<int>("fakeFailingCopy") = 0;
      CHECK(stateOf(plan) == "over");
      multiplyOften(plan, 20);
      CHECK(textOf(plan) == plans[0]);
      CHECK(update(plan));
      CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
      CHECK(leftOnFakeGpu() == 0);
    }
}

TEST_CASE("a rival that new values do not reach never takes the place of the first plan") {
  passesWithSlowKernels("child: new values do not reach a rival");
}

TEST_CASE("child: rivals keep as much of L2 as the first plan alone" * doctest::skip()) {
  for (const bool startsNow : {false, true}) {
    CAPTURE(startsNow);
    specmvPlanOptions_t alone = learning(kReadingCsr);
    alone.rigor = SPECMV_RIGOR_ESTIMATE;
    const specmvPlan_t one = learnerOf(alone);
    const std::vector<uint64_t> whole = policiesOf(one, 1);
    CHECK(specmvDestroyPlan(one) == SPECMV_STATUS_SUCCESS);
    // Two plans in turn do not fit, so that this would be seen.
    const specmvPlan_t first = learnerOf(alone), second = learnerOf(alone);
    CHECK(policiesOf(first, 1) == whole);
    CHECK(policiesOf(second, 1) != whole);
    for (const specmvPlan_t plan : {first, second})
      CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);

    specmvPlanOptions_t options = learning(kReadingCsr);
    options.start = startsNow ? SPECMV_START_NOW : SPECMV_START_WAIT;
    const specmvPlan_t plan = learnerOf(options);
    if (startsNow)
      multiplyOften(plan, 1);
    CHECK(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
    CHECK(stateOf(plan) == "running");
    CHECK(policiesOf(plan, 8) == std::vector<uint64_t>(8, whole.front()));
    CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
    CHECK(leftOnFakeGpu() == 0);
  }
}

TEST_CASE("plans that are compared do not divide L2 among them") {
  const ScratchDirectory scratch("specmv-slow-kernels");
  const std::string model = scratch.path() + "/model.json";
  specmv::testing::writeSlowKernels(model);
  passesOnFakeGpu("child: rivals keep as much of L2 as the first plan alone",
                  {{"SPECMV_GPU_MODEL", model}, {"SPECMV_FAKE_ATTRIBUTE", "38=8000"}});
}
