// Tests of specialize() with a cache whose objects are damaged, or that cannot be written.
#include "tests/runtime/plan/specialize_testing.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

TEST_CASE("a damaged object is compiled again and kept again") {
  if (noNvrtc())
    return;
  const ScratchDirectory scratch;
  const CsrMatrix a = theMatrix();
  const Specialized cold = llvm::cantFail(specializeIn(scratch.path(), a));
  const auto objects = filesBelow(scratch.path() + "/objects");
  REQUIRE(objects.size() == 1);
  const std::string intact = readFile(objects[0]);
  std::string flipped = intact;
  flipped[intact.size() / 2] = static_cast<char>(flipped[intact.size() / 2] ^ 1);
  for (const std::string &damaged : {flipped, intact.substr(0, intact.size() - 1), std::string()}) {
    writeFile(objects[0], damaged);
    const Specialized again = llvm::cantFail(specializeIn(scratch.path(), a));
    CHECK_FALSE(again.built.hit);
    CHECK(again.setup.build.compile > 0);
    CHECK(again.built.object->cubin == cold.built.object->cubin);
    CHECK(llvm::cantFail(specializeIn(scratch.path(), a)).built.hit);
  }
}

TEST_CASE("a directory that cannot be written costs a warning, not the result") {
  if (noNvrtc())
    return;
  const ScratchDirectory scratch;
  writeFile(scratch.path() + "/file", "");
  Machine machine = hostMachine(scratch.path() + "/file/cache");
  const CsrMatrix a = theMatrix();
  const Valued valued(a.view(), ValueType::f64, 1);
  const Specialized s = llvm::cantFail(specialize(valued.view(), {}, machine));
  CHECK(s.built.object);
  std::vector<std::string> warnings = machine.cache.takeWarnings();
  warnings.insert(warnings.end(), s.warnings.begin(), s.warnings.end());
  REQUIRE(warnings.size() == 1);
  CHECK(contains(warnings[0], scratch.path()));
  // The next one has the same problem and the same result.
  const Specialized again = llvm::cantFail(specialize(valued.view(), {}, machine));
  CHECK(again.built.object->cubin == s.built.object->cubin);
  CHECK(machine.cache.takeWarnings().empty());
}
