// Tests closing libspecmv.so while, or after, its threads make plans.
#include "tests/load/library.h"
#include "tests/runtime/child_process.h"
#include "tests/runtime/processes.h"

#include <thread>
#include <unistd.h>

using specmv::testing::endOf;
using specmv::testing::startProcess;

namespace {

// Begins a plan on another thread: had the main thread begun it, the library would stay loaded
// until the main thread ended.
specmvPlan_t beginPlan(const Library &specmv, const Tridiagonal &matrix) {
  specmvPlan_t plan = nullptr;
  std::thread([&] {
    specmvMatrix_t a = nullptr;
    specmvPlanOptions_t options{};
    options.structSize = sizeof options;
    options.target = SPECMV_TARGET_HOST;
    options.compileOnHost = 1;
    options.start = SPECMV_START_NOW;
    CHECK(matrix.create(specmv, a) == SPECMV_STATUS_SUCCESS);
    CHECK(specmv.specmvCreatePlan(&plan, a, &options) == SPECMV_STATUS_SUCCESS);
    specmv.specmvDestroyMatrix(a);
  }).join();
  return plan;
}

} // namespace

TEST_CASE("child: it is closed while a thread of it makes a plan" * doctest::skip()) {
  alarm(600); // it could wait for good
  const Tridiagonal matrix(10000);
  specmvPlan_t plan = nullptr;
  {
    const Library specmv;
    plan = beginPlan(specmv, matrix);
    usleep(std::atoi(std::getenv("SPECMV_TESTED_DELAY")));
  }
  CHECK(mappings() > 0);
  _exit(plan ? 0 : 1); // NVRTC's first compilation must not be ended by another thread's exit()
}

TEST_CASE("child: it is closed after such a plan" * doctest::skip()) {
  const Tridiagonal matrix(10000);
  {
    const Library specmv;
    specmv.specmvDestroyPlan(beginPlan(specmv, matrix));
  }
  CHECK(mappings() == 0);
  // The library's fork handlers are gone with it.
  CHECK(endOf(startProcess([] { return 7; })) == 7);
}

// A former bug: unloading waited for the thread, which waited for the loader to open NVRTC.
TEST_CASE("it can be closed while a thread of it makes a plan") {
  const ScratchDirectory directory("specmv-closed");
  for (int delay = 0; delay < 20000; delay += 1000) {
    const std::string output = directory.path() + "/output", text = std::to_string(delay);
    CAPTURE(text);
    const int status = runAlone("child: it is closed while a thread of it makes a plan",
                                {{"SPECMV_TESTED_DELAY", text}}, output);
    CHECK_MESSAGE(status == 0, readFile(output));
  }
}

TEST_CASE("it is unloaded after plans that threads of it made") {
  const ScratchDirectory directory("specmv-closed");
  const std::string output = directory.path() + "/output";
  CHECK_MESSAGE(runAlone("child: it is closed after such a plan", {}, output) == 0,
                readFile(output));
}
