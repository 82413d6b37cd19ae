// Tests of what a set-up remembers of kernels: keys and objects, and that an object is missing,
// which must not hide one that another process adds meanwhile from who needs it.
#include "runtime/kernels/at_hand.h"
#include "runtime/kernels/objects.h"
#include "tests/runtime/host_machine.h"
#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

CachedObject elfWith(const std::string &text) {
  const std::string bytes = "\177ELF" + text;
  return {{bytes.begin(), bytes.end()}, "source", "NVRTC 13.0", ""};
}

} // namespace

TEST_CASE("a set-up looks once for an object that is missing, unless it needs it") {
  const ScratchDirectory scratch;
  Machine machine = hostMachine(scratch.path());
  machine.found = std::make_shared<FoundObjects>();
  const KernelSource source("// a source"), other("// another");
  const CacheKey key = keyOfObject(source, machine.arch);
  CHECK_FALSE(isReady(source, machine));
  Cache({}, scratch.path()).store(key, elfWith("1")); // as another process
  CHECK_FALSE(isReady(source, machine));
  const KernelObject found = llvm::cantFail(findOrCompile(source, "label", machine));
  CHECK(found.hit);
  CHECK(found.key.id == key.id);
  CHECK(isReady(source, machine));
  CHECK_FALSE(isReady(other, machine));

  Machine later = machine;
  later.found = std::make_shared<FoundObjects>();
  CHECK(isReady(source, later));
  CHECK(cachedObject(key, later) == cachedObject(key, later)); // read once
}

TEST_CASE("the key of a source for a machine is that for its architecture") {
  Machine machine = hostMachine("");
  const KernelSource source("#include \"ell.cuh\"\n"), other("#include \"dia.cuh\"\n");
  for (const bool remembers : {false, true}) {
    if (remembers)
      machine.found = std::make_shared<FoundObjects>();
    for (int time = 0; time < 2; ++time)
      for (const KernelSource *each : {&source, &other}) {
        const CacheKey wanted = keyOfObject(*each, machine.arch), key = keyOfObject(*each, machine);
        CHECK(key.id == wanted.id);
        CHECK(key.digest == wanted.digest);
      }
  }
}
