// Tests that a test case runs in a process of its own, or is known not to have run.
#include "tests/runtime/child_process.h"

#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

TEST_CASE("child: it ends, with a comma and a \\ in its name" * doctest::skip()) { std::exit(7); }

// A former bug: doctest ended a name at its comma, ran nothing and said that nothing failed.
TEST_CASE("a test case in a process of its own is found by its whole name") {
  const ScratchDirectory scratch("specmv-child-process");
  const std::string output = scratch.path() + "/output";
  CHECK(runAlone("child: it ends, with a comma and a \\ in its name", {}, output) == 7);
  CHECK(runAlone("child: it ends, with another name", {}, output) == 125);
}
