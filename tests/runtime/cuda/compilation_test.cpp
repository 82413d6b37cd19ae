// Tests compilations around a fork: a child whose parent compiled must not call NVRTC.
#include "runtime/cuda/nvrtc.h"

#include "tests/runtime/processes.h"

#include <doctest/doctest.h>

using namespace specmv;
using specmv::testing::endOf;
using specmv::testing::startProcess;

static bool mayCompile() { return Compilation().use() == NvrtcUse::allowed; }

static bool allowedInChild() {
  return endOf(startProcess([] { return mayCompile() ? 0 : 1; })) == 0;
}

TEST_CASE("only a process that was forked while nothing compiled may compile") {
  CHECK(allowedInChild());
  {
    const Compilation running;
    CHECK(running.use() == NvrtcUse::allowed);
    CHECK_FALSE(allowedInChild());
    CHECK(endOf(startProcess([] { return allowedInChild() ? 1 : 0; })) == 0); // nor its children
    CHECK(mayCompile());
  }
  CHECK(allowedInChild());
}
