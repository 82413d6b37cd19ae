// Statics that stay while the process ends.
#include "models/base/lasting.h"

#include "tests/runtime/child_process.h"
#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

using namespace specmv;

namespace {

struct Speaker {
  std::string word = "still here";
  ~Speaker() {
    std::puts("destroyed");
    std::fflush(stdout);
  }
};

const Speaker &speaker() {
  static const Lasting<Speaker> it;
  return *it;
}

} // namespace

TEST_CASE("child: a handler of exit() uses a static that was made after it" * doctest::skip()) {
  std::atexit([] {
    std::puts(speaker().word.c_str());
    std::fflush(stdout);
  });
  CHECK(speaker().word == "still here");
  std::exit(0);
}

TEST_CASE("a static stays for handlers of exit() that were registered before it was made") {
  const ScratchDirectory scratch("specmv-lasting");
  const std::string output = scratch.path() + "/output";
  CHECK(runAlone("child: a handler of exit() uses a static that was made after it", {}, output) ==
        0);
  const std::string said = readFile(output);
  CHECK(said.find("still here") != std::string::npos);
  CHECK(said.find("destroyed") == std::string::npos);
}

TEST_CASE("a static has the value that it is given") {
  static Lasting<std::unique_ptr<int>> kept([] { return std::make_unique<int>(7); });
  ++**kept;
  CHECK(**kept == 8);
  static const Lasting<int> zero;
  CHECK(*zero == 0);
}
