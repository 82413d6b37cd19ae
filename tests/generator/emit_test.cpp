// Tests of the emitted source: constants of the plan are not parameters, and the plan determines
// the text.
#include "generator/order/order.h"
#include "generator/setup/curves.h"
#include "tests/generator/formats/one_format.h"
#include "tests/text.h"

#include <doctest/doctest.h>

#include "llvm/ADT/StringRef.h"

#include <algorithm>

using namespace specmv;
using namespace specmv::testing;

namespace {

struct KernelParameter {
  std::string type, name;
};

struct EntryPoint {
  std::string name;
  std::vector<KernelParameter> parameters;
};

// Reads a declaration such as `const double *x`.
KernelParameter parameterOf(llvm::StringRef text) {
  const size_t name = text.rtrim().find_last_of("* \n") + 1;
  return {text.take_front(name).ltrim().str(), text.drop_front(name).rtrim().str()};
}

// The entry points of a source, read from its text. std::regex would take minutes of unoptimized
// code.
std::vector<EntryPoint> entryPointsOf(const std::string &source) {
  const llvm::StringRef begin = "extern \"C\" __global__ void ", bounds = "__launch_bounds__(";
  std::vector<EntryPoint> out;
  for (llvm::StringRef rest = source; rest.contains(begin);) {
    rest = rest.split(begin).second;
    if (rest.consume_front(bounds))
      rest = rest.split(')').second.ltrim();
    const auto [name, behind] = rest.split('(');
    EntryPoint found{name.str(), {}};
    llvm::SmallVector<llvm::StringRef> list;
    behind.split(')').first.split(list, ',', -1, false);
    for (const llvm::StringRef one : list) {
      found.parameters.push_back(parameterOf(one));
      REQUIRE_FALSE(found.parameters.back().type.empty());
    }
    out.push_back(std::move(found));
  }
  return out;
}

// Numbers that may be passed at launch: sizes of the matrix and what stays in L2, never a choice of
// the plan.
const std::set<std::string> kLaunchNumbers = {"rows",      "cols",      "stride",   "count",
                                              "width",     "tiles",     "valBegin", "fullBegin",
                                              "tileCount", "emptyRows", "policy"};

std::vector<Launch> launchesOf(const Steps &steps) {
  std::vector<Launch> out;
  for (const Step &step : steps)
    if (const auto *launch = std::get_if<Launch>(&step.action))
      out.push_back(*launch);
  return out;
}

template <class Test> void forAllSources(Test &&test) {
  for (const CsrMatrix &a : edgeMatrices())
    for (ValueType type : kTypes)
      for (bool readsY : {true, false}) {
        const Problem problem{type, readsY};
        for (const auto &[format, plan] : plansOf(a.view(), problem)) {
          const std::string planText = plan.text();
          CAPTURE(planText);
          if (!format->library) // whose plans have none
            test(*format, plan, a, problem);
        }
      }
}

} // namespace

TEST_CASE("kernels take arrays, vectors, alpha, beta and sizes of the matrix, nothing baked in") {
  std::set<std::string> seen;
  forAllSources([&](const Format &format, const Plan &plan, const CsrMatrix &a,
                    const Problem &problem) {
    const Valued valued(a.view(), problem.type, 1);
    const Layout layout = llvm::cantFail(format.layout(valued.view(), plan, problem));
    const auto entries = entryPointsOf(format.source(plan, problem).text);
    REQUIRE_FALSE(entries.empty());
    for (const EntryPoint &entry : entries) {
      CHECK_FALSE(entry.parameters.empty());
      for (const KernelParameter &parameter : entry.parameters) {
        const std::string &type = parameter.type, &name = parameter.name;
        CAPTURE(name);
        const bool isPointer = type.find('*') != std::string::npos;
        CHECK((isPointer || name == "alpha" || name == "beta" || kLaunchNumbers.contains(name)));
        if (isPointer && name != "x" && name != "y" && name != "added" &&
            type.find("const") != std::string::npos)
          CHECK((layout.find(name) != nullptr));
        seen.insert(name);
      }
    }
  });
  // Checks that the parser found the parameters.
  for (const char *name :
       {"val", "col", "rowPtr", "x", "y", "added", "alpha", "beta", "rows", "stride"})
    CHECK(seen.count(name) == 1);
}

TEST_CASE("a launch passes what its kernel takes, in that order, and all of it exists") {
  forAllSources(
      [&](const Format &format, const Plan &plan, const CsrMatrix &a, const Problem &problem) {
        const Valued valued(a.view(), problem.type, 1);
        const Layout layout = llvm::cantFail(format.layout(valued.view(), plan, problem));
        const auto entries = entryPointsOf(format.source(plan, problem).text);
        for (const Launch &launch : launchesOf(format.steps(plan, problem, layout))) {
          CHECK(launch.grid[0] > 0);
          auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&](auto &e) { return e.name == launch.kernel; });
          REQUIRE(entry != entries.end());
          REQUIRE(entry->parameters.size() == launch.arguments.size());
          for (size_t i = 0; i < launch.arguments.size(); ++i) {
            const Argument &argument = launch.arguments[i];
            CAPTURE(argument.name);
            CHECK(entry->parameters[i].name == argument.name);
            CHECK(contains(entry->parameters[i].type, deviceNameOf(argument.type)));
            if (argument.binding == Binding::array || argument.binding == Binding::scratch) {
              const LayoutArray *array = layout.find(argument.layoutName());
              REQUIRE(array);
              CHECK(array->type == argument.type);
            }
            if (argument.binding == Binding::integer && argument.layoutName() != "rows")
              CHECK(std::any_of(layout.integers.begin(), layout.integers.end(),
                                [&](auto &n) { return n.first == argument.layoutName(); }));
          }
        }
      });
}

TEST_CASE("each kernel of a product waits first for the work in front of it") {
  const auto waitsOf = [](const std::string &text) {
    return llvm::StringRef(text).count(") {\n  specmv::waitForPrevious();\n");
  };
  forAllSources(
      [&](const Format &format, Plan plan, const CsrMatrix & /*matrix*/, const Problem &problem) {
        const auto check = [&](const std::string &text) {
          CHECK(waitsOf(text) == entryPointsOf(text).size());
        };
        if (format.several) {
          Problem several = problem;
          several.vectors = 4;
          check(format.source(plan, several).text);
        }
        for (const char *order : {"", kBreadthFirst}) {
          plan.order = order;
          check(format.sourceFor(plan, problem).text);
        }
      });
  CHECK(waitsOf(curvesSource().text) == 0); // set-up kernels are launched as usual
  CHECK(entryPointsOf(curvesSource().text).size() > 0);
}

TEST_CASE("the numbers of the plan stand in the source as constants") {
  struct Case {
    const char *format;
    Fixed fixed;
    const char *constant;
  };
  const Case cases[] = {
      {"csr-vector", {{"csr.lanes", 16}}, "lanesPerRow = 16"},
      {"ell", {{"ell.width", 29}}, "width = 29"},
      {"hyb", {{"hyb.k", 19}}, "width = 19"},
      {"sell", {{"sell.slice", 64}}, "slice = 64"},
      {"sell", {{"sell.sigma", 512}}, "sigma = 512"},
      {"sell", {{"sell.lanes", 4}}, "lanesPerRow = 4"},
      {"dia", {{"dia.rows", 4}}, "rowsPerThread = 4"},
      {"dia", {{"dia.rows", 4}}, "offsets = {0, 1, 2, 3, 4,"},
      {"bcsr", {{"bcsr.r", 3}}, "r = 3"},
      {"bcsr", {{"bcsr.r", 3}, {"bcsr.c", 5}}, "c = 5"},
      {"bcsr", {{"bcsr.lanes", 8}}, "lanes = 8"},
      {"qcsr", {{"qcsr.d", 2048}, {"qcsr.lanes", 8}}, "d = 2048"},
      {"qcsr", {{"qcsr.d", 2048}, {"qcsr.lanes", 8}}, "lanes = 8"},
      {"qcsr", {{"qcsr.d", 2048}, {"qcsr.align", 4}}, "align = 4"},
      {"qcsr", {{"qcsr.d", 2048}, {"qcsr.slices", 1}, {"qcsr.stage", 1}}, "d = 2048"},
      {"qcsr", {{"qcsr.rows", 128}, {"qcsr.slices", 1}}, "rows = 128"},
      {"qcsr", {{"qcsr.stage", 1}}, "stage = 1"},
  };
  const CsrMatrix a = evenMatrix(640, 27);
  const SparsityProfile seen = profile(a.view());
  for (const Case &c : cases) {
    CAPTURE(std::string(c.constant));
    const Offer offer = offerOf(seen, c.format, c.fixed);
    REQUIRE_FALSE(offer.plans.empty());
    const std::string text = offer.format->source(offer.plans[0], kDouble).text;
    const size_t constants = text.find("constexpr"), kernels = text.find("__global__");
    REQUIRE(constants < kernels);
    CHECK(contains(text.substr(constants, kernels - constants), std::string(".") + c.constant));
  }
}

TEST_CASE("the source depends on the plan's text and the problem, and on nothing else") {
  forAllSources(
      [](const Format &format, const Plan &plan, const CsrMatrix &, const Problem &problem) {
        const std::string text = format.source(plan, problem).text;
        CHECK(format.source(plan, problem).text == text);
        CHECK(format.source(*parsePlan(plan.text()), problem).text == text);
        Problem other = problem;
        other.betaCanBeNonZero = !problem.betaCanBeNonZero;
        CHECK(format.source(plan, other).text != text);
        other = problem;
        other.type = problem.type == ValueType::f32 ? ValueType::f64 : ValueType::f32;
        CHECK(format.source(plan, other).text != text);
      });
}

TEST_CASE("a source has no path, date or other trace of where it was made") {
  forAllSources(
      [](const Format &format, const Plan &plan, const CsrMatrix &, const Problem &problem) {
        const std::string text = format.source(plan, problem).text;
        CHECK_FALSE(contains(text, SPECMV_SOURCE_DIR));
        CHECK_FALSE(contains(text, "__DATE__"));
        CHECK(text.back() == '\n');
      });
}
