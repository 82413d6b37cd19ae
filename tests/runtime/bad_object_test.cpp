// Tests of unusable objects in the cache: a file that is not an ELF file is a miss, and an object
// that the GPU does not load is compiled again and replaced. The GPU and the compiler are the
// tests' own.
#include "models/base/error.h"
#include "runtime/build.h"
#include "tests/runtime/plan/specialize_testing.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

CachedObject objectOf(const std::string &bytes) {
  return {{bytes.begin(), bytes.end()}, "source", "NVRTC 13.0", ""};
}

std::string cubinOf(const CachedObject &object) {
  return {object.cubin.begin(), object.cubin.end()};
}

llvm::Expected<Built> buildEll(Machine &machine) {
  const CsrMatrix a = evenMatrix(64, 5);
  const Plan plan =
      llvm::cantFail(offers({profile(a.view()), {}, machine.model, {}}, {"ell"})).at(0).plans.at(0);
  return build(Valued(a.view(), ValueType::f64, 1).view(), plan, {}, machine);
}

Machine machineWith(Target target) {
  Machine machine = llvm::cantFail(Machine::find({.target = target}));
  machine.cache = Cache({}, variable("SPECMV_TEST_DIRECTORY"));
  return machine;
}

// Builds with a separate machine, which is closed at the end: a GPU that stays open keeps the
// objects that it has loaded.
Built builtAnew(Target target) {
  Machine machine = machineWith(target);
  Built out = llvm::cantFail(buildEll(machine));
  CHECK(out.product.has_value() == (target == Target::gpu));
  if (machine.gpu)
    CHECK(machine.gpu->info().name == "Fake H200");
  out.product.reset();
  if (machine.gpu)
    machine.gpu->forget(); // the object, which is loaded
  return out;
}

void runWithFakes(const std::string &testCase) {
  const ScratchDirectory scratch, printed;
  const std::string output = printed.path() + "/output";
  const int status = runAlone(testCase,
                              {{"SPECMV_TEST_DIRECTORY", scratch.path()},
                               {"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                               {"LD_LIBRARY_PATH", SPECMV_FAKE_CUDA},
                               {"SPECMV_FAKE_GPU", "1"}},
                              output);
  CHECK_MESSAGE(status == 0, readFile(output));
  CHECK(contains(readFile(output), " 1 passed | 0 failed"));
}

const std::string kJunk("\177ELFjunk\0", 9), kZeros(100, '\0');

} // namespace

TEST_CASE("child: objects that do not load" * doctest::skip()) {
  Cache cache({}, variable("SPECMV_TEST_DIRECTORY"));
  const Built cold = builtAnew(Target::gpu);
  CHECK((!cold.hit && cold.warnings.empty()));
  CHECK(builtAnew(Target::gpu).hit);
  cache.store(cold.key, objectOf(kJunk));
  const Built mended = builtAnew(Target::gpu);
  CHECK_FALSE(mended.hit);
  CHECK(mended.ms.compile > 0);
  REQUIRE(mended.warnings.size() == 1);
  CHECK(contains(mended.warnings[0], cold.key.id));
  CHECK(cubinOf(*cache.find(cold.key)) == cubinOf(*cold.object));
  const Built warm = builtAnew(Target::gpu);
  CHECK((warm.hit && warm.warnings.empty()));
}

TEST_CASE("child: an object that is loaded" * doctest::skip()) {
  Machine machine = machineWith(Target::gpu);
  const Built cold = llvm::cantFail(buildEll(machine));
  machine.cache.store(cold.key, objectOf(kJunk));
  const Built again = llvm::cantFail(buildEll(machine));
  CHECK((again.product && again.hit && again.warnings.empty()));
  CHECK_FALSE(again.object);
}

TEST_CASE("an object that the GPU has loaded is not looked for in the cache") {
  runWithFakes("child: an object that is loaded");
}

TEST_CASE("an object in the cache that does not load is compiled once more and replaced") {
  runWithFakes("child: objects that do not load");
}

TEST_CASE("child: a compiler whose objects do not load" * doctest::skip()) {
  Machine machine = machineWith(Target::gpu);
  REQUIRE(setenv("SPECMV_FAKE_NVRTC", "junk", 1) == 0);
  for (int round = 0; round < 2; ++round) { // compiled, then from the cache and compiled
    auto built = buildEll(machine);
    REQUIRE_FALSE(static_cast<bool>(built));
    const auto [status, sentence] = describe(built.takeError());
    CHECK(status == Status::internal);
    CHECK(contains(sentence, "cuModuleLoadData"));
  }
}

TEST_CASE("an object that does not load when it was just compiled is an error") {
  runWithFakes("child: a compiler whose objects do not load");
}

TEST_CASE("child: objects that are none" * doctest::skip()) {
  for (Target target : {Target::host, Target::gpu}) {
    Cache cache({}, variable("SPECMV_TEST_DIRECTORY"));
    const Built first = builtAnew(target);
    for (const std::string &bytes : {kZeros, std::string(), std::string("\177EL")}) {
      cache.store(first.key, objectOf(bytes));
      const Built again = builtAnew(target);
      CHECK_FALSE(again.hit);
      CHECK(again.warnings.empty());
      CHECK(cubinOf(*cache.find(first.key)) == cubinOf(*first.object));
    }
  }
}

TEST_CASE("an object in the cache that is no ELF file is a miss") {
  runWithFakes("child: objects that are none");
}
