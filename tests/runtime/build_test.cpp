// Tests of building one plan: the contents of a built plan, the identity of its object, and
// refusals.
#include "generator/embedded.h"
#include "models/base/error.h"
#include "runtime/build.h"
#include "runtime/cuda/nvrtc.h"
#include "tests/generator/formats/one_format.h"
#include "tests/runtime/host_machine.h"
#include "tests/runtime/scratch_directory.h"
#include "tests/text.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

llvm::Expected<Built> buildOn(Machine &machine, const CsrMatrix &a, const Plan &plan) {
  return build(Valued(a.view(), ValueType::f64, 1).view(), plan, kDouble, machine);
}

Plan firstPlan(const CsrMatrix &a, const std::string &format) {
  return offerOf(a, format).plans.at(0);
}

} // namespace

TEST_CASE("a built plan holds its layout, source, steps and the object under its key") {
  if (noNvrtc())
    return;
  const ScratchDirectory scratch;
  Machine machine = hostMachine(scratch.path());
  const CsrMatrix a = evenMatrix(64, 5);
  const Plan plan = firstPlan(a, "ell");
  const Built built = llvm::cantFail(buildOn(machine, a, plan));
  CHECK(built.plan.text() == plan.text());
  CHECK_FALSE(built.hit);
  CHECK_FALSE(built.product.has_value());
  CHECK(built.ms.compile > 0);
  CHECK(built.layout.slots.size() == 320);
  CHECK(built.steps.size() == 1);
  CHECK(built.source.text == findFormat("ell")->source(plan, kDouble).text);
  CHECK(built.object->name == "ell");
  CHECK(built.object->compiler.substr(0, 5) == "NVRTC");
  CHECK(std::string(built.object->cubin.data(), 4) == "\177ELF");
  const std::string &source = built.source.text;
  const CacheKey key = objectKey(source, includedBy(source), compileOptions("sm_90"), "sm_90");
  CHECK(built.key.digest == key.digest);
  const auto kept = machine.cache.find(key);
  REQUIRE(kept);
  CHECK(kept->cubin == built.object->cubin);
}

TEST_CASE("the object is found the second time, and only for the same architecture") {
  if (noNvrtc())
    return;
  const ScratchDirectory scratch;
  Machine machine = hostMachine(scratch.path());
  const CsrMatrix a = evenMatrix(64, 5);
  const Plan plan = firstPlan(a, "csr-vector");
  const Built cold = llvm::cantFail(buildOn(machine, a, plan));
  const Built warm = llvm::cantFail(buildOn(machine, a, plan));
  CHECK(warm.hit);
  CHECK(warm.ms.compile == 0);
  CHECK(warm.object->cubin == cold.object->cubin);
  machine.arch = "sm_80";
  const Built other = llvm::cantFail(buildOn(machine, a, plan));
  CHECK_FALSE(other.hit);
  CHECK(other.ms.compile > 0);
  CHECK(other.object->cubin != cold.object->cubin);
}

TEST_CASE("matrices whose plans give the same source share one object") {
  if (noNvrtc())
    return;
  const ScratchDirectory scratch;
  Machine machine = hostMachine(scratch.path());
  const CsrMatrix a = evenMatrix(64, 5), b = evenMatrix(1000, 5);
  CHECK_FALSE(llvm::cantFail(buildOn(machine, a, firstPlan(a, "ell"))).hit);
  CHECK(llvm::cantFail(buildOn(machine, b, firstPlan(b, "ell"))).hit);
  CHECK(filesBelow(scratch.path() + "/objects").size() == 1);
}

TEST_CASE(
    "a format that there is none of is a bad call, a plan that does not fit is not applicable") {
  const ScratchDirectory scratch;
  Machine machine = hostMachine(scratch.path());
  const CsrMatrix a = evenMatrix(64, 5), longer = evenMatrix(64, 6);
  auto unknown = buildOn(machine, a, {.format = "elll"});
  REQUIRE_FALSE(static_cast<bool>(unknown));
  auto [status, sentence] = describe(unknown.takeError());
  CHECK(status == Status::badCall);
  CHECK(contains(sentence, "'elll'"));
  auto misfit = buildOn(machine, longer, firstPlan(a, "ell"));
  REQUIRE_FALSE(static_cast<bool>(misfit));
  std::tie(status, sentence) = describe(misfit.takeError());
  CHECK(status == Status::notApplicable);
  CHECK(contains(sentence, "6"));
  CHECK(filesBelow(scratch.path()).empty());
}

TEST_CASE("an architecture that cannot be compiled for is a bad call also without a GPU") {
  if (noNvrtc())
    return;
  const ScratchDirectory scratch;
  Machine machine = hostMachine(scratch.path());
  machine.arch = "sm_12345";
  const CsrMatrix a = evenMatrix(64, 5);
  auto built = buildOn(machine, a, firstPlan(a, "ell"));
  REQUIRE_FALSE(static_cast<bool>(built));
  CHECK(describe(built.takeError()).first == Status::badCall);
  CHECK_FALSE(std::filesystem::exists(scratch.path() + "/objects"));
}
