// Tests the compiler's output for emitted source: loops are unrolled as intended, offsets are part
// of the instructions, kernels wait before they touch memory, and if beta is 0 nothing reads y.
#include "generator/fusion/step.h"
#include "generator/order/order.h"
#include "runtime/cuda/nvrtc.h"
#include "tests/generator/formats/one_format.h"
#include "tests/generator/fusion_texts.h"
#include "tests/runtime/cuda/ptx_text.h"
#include "tests/runtime/host_machine.h"

#include <doctest/doctest.h>

#include <regex>

using namespace specmv;
using namespace specmv::testing;

namespace {

std::string ptxOf(const KernelSource &source) {
  return llvm::cantFail(compile(source, "k", "sm_90", Strictness::usual, true)).ptx;
}

std::string ptxOf(const Format &format, const Plan &plan, const Problem &problem) {
  return ptxOf(format.source(plan, problem));
}

// Returns the PTX of a format's first plan, for products without y.
std::string firstPtx(const char *name, const CsrMatrix &a, ValueType type, const Fixed &fixed) {
  const Problem problem{type, false};
  const Offer offer = offerOf(a, name, fixed, problem);
  return ptxOf(*offer.format, offer.plans.at(0), problem);
}

std::string ellPtx(int64_t width, ValueType type) {
  return firstPtx("ell", evenMatrix(64, width), type, {{"ell.width", width}});
}

// Returns the launch that stores y, which is the one that takes beta. HYB's second launch adds to
// its result.
Launch storing(const Steps &steps) {
  for (const Step &step : steps)
    if (const auto *launch = std::get_if<Launch>(&step.action))
      for (const Argument &argument : launch->arguments)
        if (argument.binding == Binding::beta)
          return *launch;
  FAIL("no launch takes beta");
  return {};
}

} // namespace

TEST_CASE("the search for loops finds one, and only branches back count") {
  CHECK(loopsOf("$L1:\nld.global.f32 %f1, [%rd1];\n@%p1 bra $L1;\n").size() == 1);
  CHECK(loopsOf("@%p1 bra $L1;\n$L1:\nret;\n").empty());
  CHECK(loopsOf("$L1:\nbra.uni $L2;\n$L2:\nbra.uni \t$L1;\n").size() == 1);
}

TEST_CASE("a load in front of the wait is found, in any kernel of a source") {
  const std::string good = ".entry a(\nld.param.u64\ngriddepcontrol.wait;\nld.global.f32\n",
                    early = ".entry b(\nld.global.nc.f32\ngriddepcontrol.wait;\n",
                    never = ".entry c(\nret;\n";
  CHECK(waitsFirst(good + good));
  for (const std::string &bad : {early, good + early, never, never + good, std::string()})
    CHECK_FALSE(waitsFirst(bad));
}

TEST_CASE("a load without a policy is found, and one whose policy is computed") {
  const std::string parameter = "ld.param.u64 %rd1, [k_param_0];\n",
                    load = "ld.global.nc.L1::no_allocate.L2::cache_hint.f32 %f1, [%rd2], %rd1;\n",
                    other = "ld.global.nc.L1::no_allocate.L2::cache_hint.f32 %f1, [%rd1], %rd2;\n";
  CHECK(loadsByPolicy(parameter + load + "ld.global.nc.f32 %f2, [%rd3];\n" + load, "k") == 2);
  CHECK(loadsByPolicy(parameter + "ld.global.nc.f32 %f2, [%rd3];\n", "k") == 0);
  for (const std::string &bad : {load, parameter + other, parameter + load + other,
                                 parameter + "ld.global.nc.L1::no_allocate.f32 %f1, [%rd2];\n"})
    CHECK(loadsByPolicy(bad, "k") == -1);
}

TEST_CASE("ELL up to width 64 is unrolled in full: its PTX has no branch back") {
  if (noNvrtc())
    return;
  for (ValueType type : kTypes)
    for (int64_t width : {1, 2, 8, 27, 63, 64}) {
      CAPTURE(std::string(nameOf(type)));
      CAPTURE(width);
      const std::string ptx = ellPtx(width, type);
      CHECK(loopsOf(ptx).empty());
      CHECK(globalLoads(linesOf(ptx)) >= 3 * width); // column, value and x of each entry
    }
}

TEST_CASE("ELL wider than 64 has one loop, which takes 16 entries a pass") {
  if (noNvrtc())
    return;
  for (ValueType type : kTypes)
    for (int64_t width : {65, 100, 300}) {
      CAPTURE(std::string(nameOf(type)));
      CAPTURE(width);
      const auto loops = loopsOf(ellPtx(width, type));
      REQUIRE(loops.size() == 1);
      CHECK(globalLoads(loops[0]) == 3 * 16);
    }
}

TEST_CASE("SELL has one loop, which takes 8 entries a pass and has no branch but its own") {
  if (noNvrtc())
    return;
  const CsrMatrix a = evenMatrix(300, 27);
  for (ValueType type : kTypes)
    for (const auto &[format, plan] :
         plansOf(a.view(), {type}, {{{"sell.slice", 32}}, {{"sell.slice", 4}}})) {
      if (std::string(format->name) != "sell")
        continue;
      const std::string planText = plan.text();
      CAPTURE(planText);
      const auto loops = loopsOf(ptxOf(*format, plan, {type}));
      REQUIRE(loops.size() == 1);
      CHECK(globalLoads(loops[0]) == 3 * 8);
      CHECK(std::count_if(loops[0].begin(), loops[0].end(),
                          [](const std::string &line) { return contains(line, "bra"); }) == 1);
    }
}

TEST_CASE("DIA's offsets are part of its instructions: it loads values and x, and has no loop") {
  if (noNvrtc())
    return;
  for (ValueType type : kTypes)
    for (const std::pair<int, int> &size : {std::pair{3, 4}, {27, 2}, {100, 1}}) {
      const int diagonals = size.first, rows = size.second;
      CAPTURE(std::string(nameOf(type)));
      CAPTURE(diagonals);
      const std::string ptx =
          firstPtx("dia", evenMatrix(640, diagonals), type, {{"dia.rows", rows}});
      CHECK(loopsOf(ptx).empty());
      CHECK(globalLoads(linesOf(ptx)) == 2 * diagonals * rows);
    }
}

TEST_CASE("BCSR loads a batch of values before it multiplies the one before") {
  if (noNvrtc())
    return;
  const CsrMatrix a = matrixOf("blocks", 300, 300, [](int64_t i) { return run(i / 30 * 30, 30); });
  for (ValueType type : kTypes) {
    const auto loops = loopsOf(firstPtx("bcsr", a, type, {{"bcsr.r", 3}, {"bcsr.c", 3}}));
    REQUIRE(loops.size() == 1);
    CHECK(globalLoads(loops[0]) == 9 + 3 + 1); // values and x of a block, the column of the next
  }
}

TEST_CASE("a kernel that was promised beta = 0 has no load from y, and all have policies") {
  if (noNvrtc())
    return;
  const CsrMatrix a = matrixOf("blocks and a long row", 300, 300, [](int64_t i) {
    return i == 250 ? run(0, 300) : run(i / 64 * 64, std::min<int64_t>(64, 300 - i / 64 * 64));
  });
  const Fixed fixed{{"hyb.k", 64}, {"qcsr.d", 64}, {"qcsr.fill", 0.5}, {"csr.lanes", 8}};
  for (ValueType type : kTypes)
    for (bool readsY : {true, false}) {
      const Problem problem{type, readsY};
      for (const auto &[format, plan] : plansOf(a.view(), problem, {fixed})) {
        if (format->library) // there is no kernel
          continue;
        const std::string planText = plan.text();
        CAPTURE(planText);
        const Valued valued(a.view(), type, 1);
        const Layout layout = llvm::cantFail(format->layout(valued.view(), plan, problem));
        const Launch launch = storing(format->steps(plan, problem, layout));
        size_t y = 0; // the addend
        while (launch.arguments.at(y).binding != Binding::added)
          ++y;
        const std::string ptx = ptxOf(*format, plan, problem);
        const std::string body = bodyOf(ptx, launch.kernel);
        CHECK(loadsFrom(body, launch.kernel, y) == readsY);
        // A thread of csr-scalar returns to a sector, which L1 keeps; coo adds the entries later.
        const bool readsOnce = plan.format != "csr-scalar" && plan.format != "coo";
        CHECK(loadsByPolicy(body, launch.kernel) >= (readsOnce ? 1 : 0));
        CHECK(waitsFirst(ptx));
      }
    }
}

TEST_CASE("kernels of fused steps and of plans with an order wait first, too") {
  if (noNvrtc())
    return;
  const CsrMatrix a = matrixOf("a band", 300, 300, [](int64_t i) { return run(i, i + 1); });
  Problem problem{.type = ValueType::f64, .betaCanBeNonZero = false};
  for (auto &[format, plan] : plansOf(a.view(), problem, {{}})) {
    const std::string planText = plan.text();
    CAPTURE(planText);
    problem.fusion = &stepOfExpression();
    if (format->fuses == Fuses::rowsAndX)
      CHECK(waitsFirst(ptxOf(*format, plan, problem)));
    problem.fusion = nullptr;
    plan.order = kBreadthFirst;
    if (!format->library)
      CHECK(waitsFirst(ptxOf(format->sourceFor(plan, problem))));
  }
  for (const Fusion *fusion : fusedSteps()) {
    problem.fusion = fusion;
    CHECK(waitsFirst(ptxOf(stepSource(problem))));
  }
}

// A former bug: COO and HYB's tail added floats in memory, where subnormals become zeros.
TEST_CASE("nothing in a float kernel flushes subnormals: no ftz, no addition in memory") {
  if (noNvrtc())
    return;
  static const std::regex addInMemory(R"((red|atom)[.\w:]*\.add[.\w:]*\.f32)");
  REQUIRE(std::regex_search(std::string("red.global.add.f32"), addInMemory));
  const CsrMatrix a =
      matrixOf("a long row", 300, 300, [](int64_t i) { return run(0, i == 250 ? 300 : 3); });
  for (const auto &[format, plan] : plansOf(a.view(), {ValueType::f32}, {{}, {{"hyb.k", 3}}})) {
    if (format->library) // there is no kernel
      continue;
    const std::string planText = plan.text();
    CAPTURE(planText);
    const std::string ptx = ptxOf(*format, plan, {ValueType::f32});
    CHECK_FALSE(contains(ptx, ".ftz"));
    CHECK_FALSE(std::regex_search(ptx, addInMemory));
  }
}
