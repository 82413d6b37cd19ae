// Tests the memory of fused steps on the fake GPU: a run allocates nothing, and what fails for lack
// of memory leaves nothing. SPECMV_MEMORY_CAMPAIGN=1 makes every allocation fail, not a sample.
#include "tests/memory/fail_malloc.h"
#include "tests/memory/held_by_llvm.h"

#include "tests/api/fused_testing.h"

#include <cstdlib>

using namespace apitest;

namespace {

void passesOnFakeGpuAlone(const char *name) {
  const ScratchDirectory cache("specmv-fused");
  passesWithFakeGpu(name, {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                           {"SPECMV_FAKE_CUSPARSE", "1"},
                           {"SPECMV_CACHE_PATH", ""},
                           {"SPECMV_STANDARD_PACK", ""},
                           {"SPECMV_CACHE_DIR", cache.path()}});
}

struct FusedTrial {
  bool reached; // whether there was such an allocation
  specmvStatus_t status;
  bool isTold, isMade;
  long kept; // on the host
};

// Makes a step that no cache has, runs and destroys it while the allocation of that number fails.
FusedTrial failOneOf(specmvPlan_t plan, const char *x, long number) {
  static int texts = 0;
  const std::string epilogue =
      "q = ax * a + b; pq += p * q; // " + std::to_string(++texts) + " of these";
  specmvFusion_t fusion = cgStepOf(x);
  fusion.epilogue = epilogue.c_str();
  CgOperands operands;
  specmvFused_t step = nullptr;
  FusedTrial out{};
  const long before = allocationsLive();
  failAllocations(number, number > 0);
  out.status = specmvCreateFused(&step, plan, &fusion);
  out.isMade = (step != nullptr) == (out.status == SPECMV_STATUS_SUCCESS);
  if (step)
    out.status = operands.run(step);
  out.isTold = out.status == SPECMV_STATUS_SUCCESS || *specmvGetLastErrorDetail() != 0;
  out.isMade &= specmvDestroyFused(step) == SPECMV_STATUS_SUCCESS;
  out.reached = allocationsAsked() >= number;
  failAllocations(0, 0);
  out.kept = allocationsLive() - before;
  return out;
}

// Memory that is kept once for the process is no leak.
bool stepLeaks(specmvPlan_t plan, const char *x, long number) {
  for (int i = 0; i < 3; ++i)
    if (failOneOf(plan, x, number).kept <= kHeldByLlvm)
      return false;
  return true;
}

void failAllOf(const char *format, const char *x) {
  CAPTURE(std::string(format));
  CAPTURE(std::string(x));
  const Plan plan(squareMatrix(), gpuOptions(format, true));
  for (int i = 0; i < 3; ++i)
    REQUIRE(failOneOf(plan, x, 0).status == SPECMV_STATUS_SUCCESS);
  const long stride = std::getenv("SPECMV_MEMORY_CAMPAIGN") ? 1 : 37;
  long trials = 0, told = 0;
  for (long number = 1;; number += stride, ++trials) {
    const FusedTrial trial = failOneOf(plan, x, number);
    if (!trial.reached)
      break;
    CAPTURE(number);
    told += trial.status != SPECMV_STATUS_SUCCESS;
    CHECK_MESSAGE((trial.status == SPECMV_STATUS_SUCCESS ||
                   trial.status == SPECMV_STATUS_OUT_OF_MEMORY ||
                   trial.status == SPECMV_STATUS_GPU_MEMORY_FULL),
                  trial.status, " ", detail());
    CHECK(trial.isTold);
    CHECK(trial.isMade);
    const bool isFreed = trial.kept <= kHeldByLlvm || !stepLeaks(plan, x, number);
    CHECK_MESSAGE(isFreed, trial.kept, " are not freed");
    CHECK(failOneOf(plan, x, 0).status == SPECMV_STATUS_SUCCESS);
  }
  MESSAGE(std::string(format), ", x = ", std::string(x), ": ", trials, " trials, ", told,
          " of them failed");
  CHECK(told > 0);
}

} // namespace

TEST_CASE("child: the cost of a run of a step" * doctest::skip()) {
  placeAllOnGpu();
  for (const char *format : {"ell", "csr-merge", "coo"})
    for (const char *x : {"p", "p * a"}) {
      CAPTURE(std::string(format));
      const Plan plan(squareMatrix(), gpuOptions(format, false));
      const FusedStep step(plan, cgStepOf(x));
      CgOperands operands;
      for (int i = 0; i < 2; ++i) {
        failAllocations(0, 0);
        const specmvStatus_t status = operands.run(step);
        const long asked = allocationsAsked();
        CHECK(status == SPECMV_STATUS_SUCCESS);
        CHECK(asked == 0);
      }
    }
}

TEST_CASE("a run of a fused step allocates nothing") {
  passesOnFakeGpuAlone("child: the cost of a run of a step");
}

TEST_CASE("child: a step with an allocation that fails" * doctest::skip()) {
  placeAllOnGpu();
  failAllOf("ell", "p");
  failAllOf("coo", "p * a");
  CHECK(leftOnFakeGpu() == 0);
}

TEST_CASE("a fused step whose allocation fails says so, frees what it had and works again") {
  passesOnFakeGpuAlone("child: a step with an allocation that fails");
}
