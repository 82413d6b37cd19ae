// Compilations around a fork: a child whose parent compiled must not call NVRTC.
#include "runtime/cuda/compilation.h"

#include "tests/runtime/processes.h"

#include <doctest/doctest.h>

using namespace specmv;
using specmv::testing::endOf;
using specmv::testing::startProcess;

static bool allowedInChild() {
  return endOf(startProcess([] { return Compilation().isAllowed() ? 0 : 1; })) == 0;
}

TEST_CASE("only a process that was forked while nothing compiled may compile") {
  CHECK(allowedInChild());
  {
    const Compilation running;
    CHECK(running.isAllowed());
    CHECK_FALSE(allowedInChild());
    CHECK(endOf(startProcess([] { return allowedInChild() ? 1 : 0; })) == 0); // nor its children
    CHECK(Compilation().isAllowed());
  }
  CHECK(allowedInChild());
}
