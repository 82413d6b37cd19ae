// Runs the GPU tests, or prints that it does not: exit status 77 is ctest's "skipped".
#define DOCTEST_CONFIG_IMPLEMENT
#include "tests/gpu/gpu.h"

#include <cstdio>
#include <doctest/doctest.h>

int main(int argc, char **argv) {
  auto machine = specmv::Machine::find({.target = specmv::Target::gpu});
  if (!machine) {
    std::printf("skipped: no GPU: %s\n", specmv::describe(machine.takeError()).second.c_str());
    return 77;
  }
  doctest::Context context(argc, argv);
  return context.run();
}
