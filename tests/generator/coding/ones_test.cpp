// Tests the coding 'ones': which values it takes, and what layouts have in place of their array.
#include "generator/coding/coding.h"
#include "generator/formats.h"
#include "models/base/error.h"
#include "tests/generator/coding/refusal_testing.h"
#include "tests/generator/edge_matrices.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>

using namespace specmv;

namespace {

CsrMatrix matrixOfValues(std::vector<double> val) {
  CsrMatrix out;
  out.rows = 2;
  out.cols = 3;
  out.rowPtr = {0, 2, 3};
  out.col = {0, 2, 1};
  out.val = std::move(val);
  return out;
}

Plan codedPlan(const std::string &values) {
  return *parsePlan("csr-vector csr.lanes=2 block=256 offset=32 column=32" +
                    (values.empty() ? "" : " values=" + values));
}

llvm::Expected<Layout> codedLayout(const CsrView &a, const Plan &plan, const Problem &problem) {
  return findFormat(plan.format)->layout(a, plan, problem);
}

std::string refusalOfValues(std::vector<double> val) {
  const CsrMatrix a = matrixOfValues(std::move(val));
  return testing::whyRefused(codedLayout(a.view(), codedPlan("ones"), Problem{ValueType::f64}));
}

} // namespace

TEST_CASE("codings tell whether they fit, and why they do not, alike") {
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<double> many(300), some(40);
  for (size_t i = 0; i < many.size(); ++i)
    many[i] = static_cast<double>(i);
  std::copy_n(many.begin(), some.size(), some.begin());
  for (const Coding *coding : codings()) {
    if (!coding->fits)
      continue;
    CAPTURE(coding->name);
    int fitting = 0, others = 0;
    for (const std::vector<double> &values : std::vector<std::vector<double>>{
             {}, {1, 1}, {0, 0}, {inf, inf}, {0.1, 0.1}, {0.1, 0.2, 0.3}, {0, 1, 2}, some, many})
      for (const bool isConstant : {false, true}) {
        std::vector<uint64_t> bits;
        bits.reserve(values.size());
        for (const double value : values)
          bits.push_back(bitsOf(value));
        std::sort(bits.begin(), bits.end());
        bits.erase(std::unique(bits.begin(), bits.end()), bits.end());
        ValueFacts facts{.count = std::ssize(values),
                         .distinct = static_cast<int>(std::min(bits.size(), size_t{257})),
                         .values = bits.size() > 256 ? std::vector<uint64_t>() : bits};
        facts.exactInF32 = values.empty() || values[0] != 0.1;
        facts.finite = values.empty() || values[0] != inf;
        facts.constantAlongDiagonals = isConstant;
        const bool fits = coding->fits(facts);
        CHECK(fits == coding->whyNot(facts).empty());
        ++(fits ? fitting : others);
      }
    CHECK(fitting > 0);
    CHECK(others > 0);
  }
}

TEST_CASE("ones: a layout has the value's bits and no array of values") {
  const CsrMatrix a = matrixOfValues({-2.5, -2.5, -2.5});
  const Layout layout =
      llvm::cantFail(codedLayout(a.view(), codedPlan("ones"), Problem{ValueType::f64}));
  CHECK(layout.find("val") == nullptr);
  CHECK(std::bit_cast<double>(layout.integer("value")) == -2.5);
  const Layout plain =
      llvm::cantFail(codedLayout(a.view(), codedPlan(""), Problem{ValueType::f64}));
  CHECK(layout.storedBytes() == plain.storedBytes() - 3 * 8);
}

TEST_CASE("ones: a negative float keeps its sign in 32 bits") {
  const float val[] = {-0.1F, -0.1F, -0.1F};
  const CsrMatrix a = matrixOfValues({0, 0, 0});
  CsrView view = a.view();
  view.valueType = ValueType::f32;
  view.val = val;
  const Layout layout =
      llvm::cantFail(codedLayout(view, codedPlan("ones"), Problem{ValueType::f32}));
  const int64_t bits = layout.integer("value");
  CHECK(bits == static_cast<int32_t>(bits));
  CHECK(std::bit_cast<float>(static_cast<int32_t>(bits)) == -0.1F);
}

TEST_CASE("ones: values that differ or are not finite are refused with the number") {
  CHECK(refusalOfValues({1, 1, 1}).empty());
  CHECK(refusalOfValues({1, 1, 2}) ==
        "values=ones needs equal values, but the matrix has 2 different "
        "values; use values=plain");
  CHECK(refusalOfValues({0.0, -0.0, 0.0}) == "values=ones needs equal values, but the matrix has 2 "
                                             "different values; use values=plain");
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(refusalOfValues({infinity, infinity, infinity}) ==
        "values=ones needs a finite value, but all values of the matrix are inf; use values=plain");
  CHECK(refusalOfValues({NAN, NAN, NAN}).find("needs a finite value") != std::string::npos);
}

TEST_CASE("a plan's text names its coding, and an unknown one is refused") {
  CHECK(codedPlan("ones").text() ==
        "csr-vector csr.lanes=2 block=256 offset=32 column=32 values=ones");
  CHECK_FALSE(codedPlan("ones") == codedPlan(""));
  CHECK_FALSE(parsePlan("csr-scalar block=256 offset=32 column=32 values=plain").has_value());
  const CsrMatrix a = matrixOfValues({1, 1, 1});
  auto unknown = codedLayout(a.view(), codedPlan("twos"), Problem{ValueType::f64});
  CHECK(describe(unknown.takeError()).second ==
        "values='twos' is no coding of values; the codings are plain, diagonals, ones, "
        "codes4, codes8, f32, blocks8, blocks");
  Plan library = *parsePlan("cusparse-csr offset=32 column=32 values=ones");
  auto refused = codedLayout(a.view(), library, Problem{ValueType::f64});
  CHECK(describe(refused.takeError()).second ==
        "cusparse-csr reads values only as an array; use values=plain");
}

TEST_CASE("ones: a matrix without entries has the value 0") {
  const CsrMatrix a{.name = "", .rows = 1, .cols = 1, .rowPtr = {0, 0}, .col = {}, .val = {}};
  CHECK(llvm::cantFail(codedLayout(a.view(), codedPlan("ones"), Problem{ValueType::f64}))
            .integer("value") == 0);
}
