// Tests that what the compiler refuses of a fused step is told in one sentence, with its line. The
// check of texts lets nothing of that pass, so these steps are not checked.
#include "models/base/error.h"
#include "runtime/fused/fused_product.h"
#include "tests/generator/formats/one_format.h"
#include "tests/runtime/host_machine.h"
#include "tests/runtime/scratch_directory.h"
#include "tests/text.h"

using namespace specmv;
using namespace specmv::testing;

TEST_CASE("what the compiler refuses of a fused step is told with its line, in one sentence") {
  if (noNvrtc())
    return;
  const ScratchDirectory scratch("specmv-fused");
  Machine machine = hostMachine(scratch.path());
  const auto refusalOf = [&](const Fusion &fusion, const char *format = "csr-scalar") {
    const Offer offer = offerOf(evenMatrix(64, 5), format);
    const Problem problem{.type = ValueType::f64, .betaCanBeNonZero = false};
    llvm::Error error = compileFused(fusion, offer.plans.at(0), problem, machine);
    if (!error)
      return std::string();
    const auto [status, sentence] = describe(std::move(error));
    CHECK((status == Status::badCall));
    return sentence;
  };
  Fusion step{.x = "p", .statements = "q = ax;", .vectors = {"p", "q"}, .written = {"q"}};
  CHECK(refusalOf(step) == "");
  const auto ofText = [&](const char *statements) {
    step.statements = statements;
    return refusalOf(step);
  };
  const std::string said = "the fused step does not compile: ";
  CHECK(ofText("q = ax;\nq = nothing;") ==
        said + "epilogue(2): error: identifier \"nothing\" is undefined");
  CHECK(ofText("q = ax +") == said + "epilogue(2): error: expected an expression");
  // Former bugs: a row's number could be changed, which moved the stores, and a variable could take
  // the place of a vector.
  for (const char *text : {"q = ax; i = 5;", "q = ax; ax = 1;"})
    CHECK(ofText(text) == said + "epilogue(1): error: expression must be a modifiable lvalue");
  CHECK(contains(ofText("\nreal q = ax;"), said + "epilogue(2): error: \"q\" has already been"));
  CHECK(contains(ofText("real f(real); q = f(ax);"), "Unresolved extern function"));
  CHECK(contains(ofText("a; b; c; d; q = e;"), "\"c\" is undefined; and 2 further errors"));
  CHECK(contains(refusalOf({.x = "p",
                            .statements = "q = alignas;",
                            .vectors = {"p", "q", "alignas"},
                            .written = {"q"}}),
                 "name alignas(1): error: "));
  // The kernel that computes x as a vector has j, too, and the same lines.
  Fusion ofX = {.x = "p * j", .statements = "q = ax;", .vectors = {"p", "q"}, .written = {"q"}};
  CHECK(refusalOf(ofX, "coo") == "");
  ofX.x = "p *\nnothing";
  for (const char *format : {"csr-scalar", "coo"})
    CHECK(refusalOf(ofX, format) == said + "x(2): error: identifier \"nothing\" is undefined");
}
