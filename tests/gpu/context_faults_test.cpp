// Tests a GPU that the program resets while specmv uses it: every call returns a status, remaining
// objects can be destroyed, and a plan that is made afterwards is right. A second GPU goes on.
#include "tests/gpu/faults_testing.h"
#include "tests/gpu/gpu.h"

using namespace specmv;
using namespace specmv::testing;

namespace {

using OfDevice = int(int);
using RetainContext = int(void **, int);
using SetCurrent = int(void *);
using IdOf = int(void *, unsigned long long *);

void resetGpu(int device = 0) {
  saw("cuDevicePrimaryCtxReset: " +
      std::to_string(ofDriver<OfDevice>("cuDevicePrimaryCtxReset_v2")(device)));
}

// Retains the context as the CUDA runtime does after cudaDeviceReset(): it has the same address
// again.
void retainAgain() {
  void *context = nullptr;
  CHECK(ofDriver<RetainContext>("cuDevicePrimaryCtxRetain")(&context, 0) == 0);
  CHECK(ofDriver<SetCurrent>("cuCtxSetCurrent")(context) == 0);
}

void tellContext(const char *when) {
  void *context = nullptr;
  unsigned long long id = 0;
  CHECK(ofDriver<RetainContext>("cuDevicePrimaryCtxRetain")(&context, 0) == 0);
  const int result = ofDriver<IdOf>("cuCtxGetId")(context, &id);
  saw(std::string("context ") + when + ": number " + std::to_string(id) + ", result " +
      std::to_string(result));
  CHECK(ofDriver<OfDevice>("cuDevicePrimaryCtxRelease_v2")(0) == 0);
}

// Makes all calls on a plan whose GPU was reset: none succeeds, and each states the reason.
void callAll(specmvPlan_t plan, const TriedMatrix &tried) {
  std::vector<double> y;
  const char *text = nullptr;
  int ready = 0;
  CHECK(saw("execute", tried.multiply(plan, y)) != SPECMV_STATUS_SUCCESS);
  CHECK(apitest::detailHas("was reset"));
  CHECK(saw("update", specmvUpdateValues(plan, tried.a.val.data(), nullptr)) !=
        SPECMV_STATUS_SUCCESS);
  saw("ready", specmvPlanReady(plan, &ready));
  saw("wait", specmvPlanWait(plan));
  CHECK(specmvGetPlanJson(plan, &text) == SPECMV_STATUS_SUCCESS);
  CHECK(specmvGetPlanText(plan, &text) == SPECMV_STATUS_SUCCESS);
}

bool begins(const std::string &text, const char *with) { return text.rfind(with, 0) == 0; }

} // namespace

TEST_CASE("child: a GPU is reset" * doctest::skip()) {
  const std::string trial = trialWithin(60), format = trial.substr(trial.find(',') + 1);
  const bool runs = begins(trial, "while a set-up runs");
  const bool waits = begins(trial, "before a set-up begins"); // the first product begins it
  const TriedMatrix tried(runs ? "stencil9:n=500" : "stencil9:n=60");
  specmvPlanOptions_t options = apitest::gpuOptions(format.c_str(), true);
  options.start = runs || waits ? SPECMV_START_NOW : SPECMV_START_WAIT;
  if (begins(trial, "with its context current"))
    retainAgain();
  specmvPlan_t plan = nullptr;
  tellContext("before");
  REQUIRE(tried.create(&plan, options) == SPECMV_STATUS_SUCCESS);
  if (!waits)
    CHECK(tried.multipliesRight(plan));
  if (begins(trial, "released too often"))
    for (int i = 0; i < 3; ++i) // specmv's, the test's, and one that nobody has retained
      saw("cuDevicePrimaryCtxRelease: " +
          std::to_string(ofDriver<OfDevice>("cuDevicePrimaryCtxRelease_v2")(0)));
  else
    resetGpu();
  if (begins(trial, "and used again"))
    retainAgain();
  specmvPlan_t next = nullptr;
  options.start = SPECMV_START_WAIT;
  if (begins(trial, "and another plan is made first"))
    CHECK(saw("create", tried.create(&next, options)) == SPECMV_STATUS_SUCCESS);
  if (!begins(trial, "and destroyed at once"))
    callAll(plan, tried);
  CHECK(saw("destroy", begins(trial, "and destroyed on a stream")
                           ? specmvDestroyPlanAsync(plan, nullptr)
                           : specmvDestroyPlan(plan)) == SPECMV_STATUS_SUCCESS);
  tellContext("after");
  if (!next)
    CHECK(saw("create again", tried.create(&next, options)) == SPECMV_STATUS_SUCCESS);
  if (next)
    CHECK(tried.multipliesRight(next));
  CHECK(specmvDestroyPlan(next) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("faults: a GPU may be reset under a plan") {
  Trials trials("child: a GPU is reset");
  const char *const formats[] = {"csr-vector", "ell", "sell", "cusparse-csr", "dia", "csr-merge"};
  size_t at = 0;
  for (const char *moment :
       {"while a plan lives", "and used again", "with its context current",
        "and another plan is made first", "and destroyed at once", "and destroyed on a stream",
        "while a set-up runs", "before a set-up begins", "released too often"})
    for (int i = isLongCampaign() ? 6 : 2; i > 0; --i)
      trials.run(std::string(moment) + "," + formats[at++ % std::size(formats)]);
}

TEST_CASE("child: one of two GPUs is reset" * doctest::skip()) {
  const std::string trial = trialWithin(60), format = trial.substr(trial.find(',') + 1);
  const int lost = begins(trial, "the second") ? 1 : 0, kept = 1 - lost;
  const TriedMatrix tried("stencil9:n=60");
  specmvPlanOptions_t options = apitest::gpuOptions(format.c_str(), true);
  specmvPlan_t plans[2] = {}, next = nullptr;
  for (const int device : {0, 1}) {
    options.device = device;
    REQUIRE(tried.create(&plans[device], options) == SPECMV_STATUS_SUCCESS);
    CHECK(tried.multipliesRight(plans[device]));
  }
  resetGpu(lost);
  CHECK(tried.multipliesRight(plans[kept]));
  callAll(plans[lost], tried);
  CHECK(tried.multipliesRight(plans[kept]));
  CHECK(specmvUpdateValues(plans[kept], tried.a.val.data(), nullptr) == SPECMV_STATUS_SUCCESS);
  CHECK(saw("destroy", specmvDestroyPlan(plans[lost])) == SPECMV_STATUS_SUCCESS);
  options.device = lost;
  CHECK(saw("create again", tried.create(&next, options)) == SPECMV_STATUS_SUCCESS);
  if (next)
    CHECK(tried.multipliesRight(next));
  CHECK(tried.multipliesRight(plans[kept]));
  CHECK(specmvDestroyPlan(next) == SPECMV_STATUS_SUCCESS);
  CHECK(specmvDestroyPlan(plans[kept]) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("faults: one of two GPUs may be reset, and the plans of the other go on") {
  if (!hasTwoGpus())
    return;
  Trials trials("child: one of two GPUs is reset");
  for (const char *which : {"the first", "the second"})
    for (const char *format : {"csr-vector", "dia", "cusparse-csr"})
      trials.run(std::string(which) + "," + format);
}
