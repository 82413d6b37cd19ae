// Tests new values for plans whose values have a coding: values that fit are coded anew, and for
// others the plan gets plain values.
#include "tests/api/recode_testing.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>

using namespace apitest;

TEST_CASE("on the host a plan's text tells whether its values still fit their coding") {
  struct Coded {
    const char *values;
    size_t fits, fitsNot; // numbers of different values
  };
  for (const auto &[values, fits, fitsNot] :
       {Coded{" values=ones", 1, 2}, {" values=codes4", 15, 17}, {" values=codes8", 255, 257}}) {
    auto a = randomCsr<int32_t, double>(300, 200, 4);
    a.val.assign(a.val.size(), 2);
    const std::string text = kRows + values;
    const Plan plan(a, coded(SPECMV_TARGET_HOST, text));
    const char *first = nullptr;
    REQUIRE(specmvGetPlanText(plan, &first) == SPECMV_STATUS_SUCCESS);
    a.val = differing(a.val.size(), fits);
    CHECK(updates(plan, a.val));
    CHECK(planTextOf(plan) == text);
    CHECK(multiplies(plan, a));
    for (const size_t different : {fitsNot, fits}) { // it stays plain
      a.val = differing(a.val.size(), different);
      CHECK(updates(plan, a.val));
      CHECK(planTextOf(plan) == kRows);
      CHECK(multiplies(plan, a));
    }
    CHECK(std::string(first) == text); // texts live as long as the plan
  }
}

TEST_CASE("on the host the log tells once that new values do not fit the coding") {
  std::vector<std::string> told;
  specmvContextOptions_t settings = SPECMV_CONTEXT_OPTIONS_INIT;
  settings.logLevel = SPECMV_LOG_INFO;
  settings.logUser = &told;
  settings.log = [](void *user, specmvLogLevel_t, const char *sentence) {
    if (std::string(sentence).find("do not fit the coding") != std::string::npos)
      static_cast<std::vector<std::string> *>(user)->emplace_back(sentence);
  };
  const Context context(settings);
  const auto a = ofTwos();
  const std::string text = kRows + " values=ones";
  specmvPlanOptions_t options = coded(SPECMV_TARGET_HOST, text);
  options.context = context;
  const Plan plan(a, options);
  CHECK(updates(plan, std::vector<double>(a.val.size(), 3)));
  CHECK(told.empty());
  for (int i = 0; i < 2; ++i)
    CHECK(updates(plan, differing(a.val.size(), 3)));
  CHECK(told == std::vector<std::string>{"new values do not fit the coding of the plan '" + text +
                                         "', which stores them as they are from now on"});
}

namespace {

double secondsOf(clockid_t clock) {
  timespec now{};
  REQUIRE(clock_gettime(clock, &now) == 0);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace

TEST_CASE("looking at new values takes no more threads than the context has") {
  specmvContextOptions_t settings = SPECMV_CONTEXT_OPTIONS_INIT;
  settings.threads = 1;
  const Context context(settings);
  auto a = tridiagonal(1000000);
  const std::string text = kRows + " values=codes8";
  specmvPlanOptions_t options = coded(SPECMV_TARGET_HOST, text);
  options.context = context;
  const Plan plan(a, options);
  a.val = differing(a.val.size(), 200);
  // CPU time of other threads for that of this one. Those of earlier tests may still run.
  double least = 1;
  for (int i = 0; i < 5; ++i) {
    const double all = secondsOf(CLOCK_PROCESS_CPUTIME_ID),
                 own = secondsOf(CLOCK_THREAD_CPUTIME_ID);
    CHECK(updates(plan, a.val));
    const double byThis = secondsOf(CLOCK_THREAD_CPUTIME_ID) - own;
    least = std::min(least, (secondsOf(CLOCK_PROCESS_CPUTIME_ID) - all - byThis) / byThis);
  }
  CHECK(least < 0.2);
}

TEST_CASE("values=f32 becomes plain when a value is not exact in f32, also for NaN") {
  auto a = ofTwos();
  const std::string text = kRows + " values=f32";
  for (const double value : {0.1, 1e300, static_cast<double>(NAN)}) {
    const Plan plan(a, coded(SPECMV_TARGET_HOST, text));
    a.val.back() = -INFINITY;
    CHECK(updates(plan, a.val));
    CHECK(planTextOf(plan) == text);
    a.val.back() = value;
    CHECK(updates(plan, a.val));
    CHECK(planTextOf(plan) == kRows);
    a.val.back() = 2;
  }
}

TEST_CASE("a coded plan that did not keep the places of entries says so, and keeps its values") {
  const auto a = ofTwos();
  const Plan plan(a, coded(SPECMV_TARGET_HOST, "ell ell.width=24 block=256 offset=32 column=32 "
                                               "values=ones"));
  CHECK_FALSE(updates(plan, differing(a.val.size(), 3)));
  CHECK(detailHas("did not keep the positions of the entries"));
  CHECK(detailHas("set updatable in specmvPlanOptions_t when making the plan, with which it stores "
                  "plain values; a planText must name no coding"));
  CHECK(multiplies(plan, a));
}

TEST_CASE("on the host a coded plan of any format takes new values with csrOutlivesPlan") {
  const auto a = tridiagonal(60);
  for (const std::string plain :
       {"dia dia.rows=1 holes=0 block=256 offset=32 column=32 dia.offsets=[-1,0,1]",
        "sell sell.slice=32 sell.sigma=1 sell.lanes=1 block=256 blocksPerSm=0 offset=32 column=32"})
    for (const std::string values : {"diagonals", "codes4"}) {
      if (plain[0] == 's' && values == "diagonals")
        continue;
      const std::string text = plain + " values=" + values;
      specmvPlanOptions_t options = coded(SPECMV_TARGET_HOST, text);
      options.csrOutlivesPlan = 1;
      const Plan plan(a, options);
      auto b = a;
      std::transform(b.val.begin(), b.val.end(), b.val.begin(), [](double v) { return 0.1 * v; });
      CHECK_MESSAGE(updates(plan, b.val), detail());
      CHECK(planTextOf(plan) == text);
      CHECK(multiplies(plan, b));
      b.val = differing(b.val.size(), 17);
      CHECK(updates(plan, b.val));
      CHECK(planTextOf(plan) == plain);
      CHECK(multiplies(plan, b));
    }
}

// A former bug: the diagonals of the matrix were compared, not those of the plan's order.
TEST_CASE("on the host values of an ordered plan keep a coding of diagonals if they fit it") {
  auto a = shuffled(tridiagonal(60));
  const std::string plain = "dia dia.rows=1 holes=0 block=256 offset=32 column=32 "
                            "dia.offsets=[-1,0,1]",
                    text = plain + " values=diagonals order=bfs";
  specmvPlanOptions_t options = coded(SPECMV_TARGET_HOST, text);
  options.csrOutlivesPlan = 1;
  const Plan plan(a, options);
  for (const double factor : {1.0, 0.1}) {
    std::transform(a.val.begin(), a.val.end(), a.val.begin(), [=](double v) { return factor * v; });
    CHECK_MESSAGE(updates(plan, std::vector<double>(a.val)), detail());
    CHECK(planTextOf(plan) == text);
    CHECK(multiplies(plan, a));
  }
  a.val = differing(a.val.size(), 17);
  CHECK(updates(plan, std::vector<double>(a.val)));
  CHECK(planTextOf(plan) == plain + " order=bfs");
  CHECK(multiplies(plan, a));
}

TEST_CASE("child: a coded plan on lent arrays takes new values in any format" * doctest::skip()) {
  auto a = tridiagonal(60);
  a.val.assign(a.val.size(), 2);
  const size_t n = a.val.size();
  for (const bool isPackedByHost : {true, false}) {
    {
      const std::string plain =
          isPackedByHost ? kQcsr : planTextOf(Plan(a, gpuOptions("ell", false)));
      const std::string text = plain + " values=ones";
      CAPTURE(text);
      specmvPlanOptions_t options = coded(SPECMV_TARGET_GPU, text);
      const Plan kept(a, options);
      CHECK_FALSE(updates(kept, a.val));
      options.csrOutlivesPlan = 1;
      const Plan plan(a, options);
      CHECK_MESSAGE(updates(plan, std::vector<double>(n, 3)), detail());
      CHECK(planTextOf(plan) == text);
      for (const char *call : {"cuMemAlloc_v2", "cuModuleLoadData"}) {
        setenv("SPECMV_FAKE_FAILS", call, 1);
        const bool isDone = updates(plan, differing(n, 3));
        CHECK_FALSE((isPackedByHost && isDone));
        unsetenv("SPECMV_FAKE_FAILS");
        CHECK(planTextOf(plan) == text);
      }
      for (const size_t different : {3, 5}) {
        const std::string calls = callsOf(plan, differing(n, different));
        CHECK(planTextOf(plan) == (isPackedByHost ? plain : text));
        if (isPackedByHost && different == 5) // its slots are known
          CHECK(launchesIn(calls) == 1);
      }
    }
    CHECK(leftOnFakeGpu() == 0);
  }
}

TEST_CASE("child: a coded plan on a GPU takes new values" * doctest::skip()) {
  const auto a = ofTwos();
  const size_t n = a.val.size();
  for (const char *values : {" values=ones", " values=codes4", " values=codes8", " values=f32"}) {
    CAPTURE(std::string(values));
    {
      const std::string text = kRows + values;
      const Plan plan(a, coded(SPECMV_TARGET_GPU, text));
      callsOf(plan, std::vector<double>(n, 3)); // it loads what it needs
      const std::string fits = callsOf(plan, std::vector<double>(n, 4));
      CHECK(planTextOf(plan) == text);
      CHECK(countOf("cuMemAlloc_v2", fits) == 0);
      CHECK(countOf("cuModuleLoadData", fits) == 0);
      CHECK(countOf("cuLaunchKernel", fits) == 0);
      const bool storesNothing = text.find("ones") != std::string::npos;
      CHECK((countOf("cuMemcpyHtoDAsync_v2", fits) == 0) == storesNothing);
      callsOf(plan, differing(n, 300));
      CHECK(planTextOf(plan) == kRows);
      CHECK(jsonOf(plan).find("\"values\"") == std::string::npos);
      // The plan is like any plain one now, also for values that would fit.
      const std::string plain = callsOf(plan, std::vector<double>(n, 4));
      CHECK(countOf("cuMemcpyHtoDAsync_v2", plain) == 1);
      CHECK(countOf("cuMemcpyDtoDAsync_v2", plain) == 1);
      CHECK(planTextOf(plan) == kRows);
      placeAllOnGpu();
      CHECK(launchesIn(callsOfRun(FusedStep(plan, cgStep()))) > 0);
      placeAllOnGpu(false);
    }
    CHECK(leftOnFakeGpu() == 0);
  }
}

TEST_CASE("child: streams and fused steps follow a plan that becomes plain" * doctest::skip()) {
  const auto a = ofTwos();
  for (const int vectors : {1, 4}) {
    {
      const std::string text = std::string("csr-merge merge.items=7 merge.threads=") +
                               (vectors == 1 ? "256" : "32") + " offset=32 column=32 values=ones";
      specmvPlanOptions_t options = coded(SPECMV_TARGET_GPU, text);
      options.scratchPerStream = 1;
      options.vectors = vectors;
      const Plan plan(a, options);
      std::vector<double> x(static_cast<size_t>(a.cols * vectors)), y(x.size());
      const double one = 1;
      const auto multiply = [&](void *stream) {
        CHECK_MESSAGE((vectors == 1
                           ? specmvExecute(plan, &one, x.data(), &one, y.data(), stream)
                           : specmvExecuteMulti(plan, vectors, &one, x.data(), a.cols, &one,
                                                y.data(), a.rows, SPECMV_ORDER_COLUMN, stream)) ==
                          SPECMV_STATUS_SUCCESS,
                      detail());
      };
      void *const second = reinterpret_cast<void *>(uintptr_t{128});
      multiply(kStream), multiply(second);
      specmvFused_t step = nullptr;
      const specmvFusion_t fusion = cgStep();
      if (vectors == 1)
        REQUIRE_MESSAGE(specmvCreateFused(&step, plan, &fusion) == SPECMV_STATUS_SUCCESS, detail());
      CHECK(updates(plan, std::vector<double>(a.val.size(), 3)));
      multiply(kStream), multiply(second);
      CHECK_MESSAGE(updates(plan, differing(a.val.size(), 5)), detail());
      CHECK(planTextOf(plan).find("values=") == std::string::npos);
      multiply(kStream), multiply(second);
      if (step) {
        placeAllOnGpu();
        callsOfRun(step);
        placeAllOnGpu(false);
        CHECK(specmvDestroyFused(step) == SPECMV_STATUS_SUCCESS);
      }
    }
    CHECK(leftOnFakeGpu() == 0);
  }
}

TEST_CASE("a coded plan on a GPU takes new values") {
  for (const char *name : {"child: a coded plan on a GPU takes new values",
                           "child: streams and fused steps follow a plan that becomes plain",
                           "child: a coded plan on lent arrays takes new values in any format"})
    passesOnFakeGpu(name);
}
