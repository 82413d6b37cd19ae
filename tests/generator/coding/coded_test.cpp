// Tests the codings with an element for each slot and those along diagonals: which values they
// take, what layouts have, and which coding a plan gets by itself.
#include "generator/coding/coding.h"
#include "generator/formats.h"
#include "models/base/error.h"

#include <bit>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <numeric>

using namespace specmv;

namespace {

// A row with an entry for each value.
CsrMatrix matrixOfRow(std::vector<double> val) {
  CsrMatrix out;
  out.rows = 1;
  out.cols = std::ssize(val);
  out.rowPtr = {0, static_cast<int32_t>(val.size())};
  for (int64_t j = 0; j < out.cols; ++j)
    out.col.push_back(static_cast<int32_t>(j));
  out.val = std::move(val);
  return out;
}

std::vector<double> differing(int count, double first) {
  std::vector<double> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), first);
  return out;
}

Plan parsedPlan(const std::string &text) { return *parsePlan(text); }

Plan rowPlan(const std::string &values) {
  return parsedPlan("csr-vector csr.lanes=2 block=256 offset=32 column=32 values=" + values);
}

llvm::Expected<Layout> packed(const CsrView &a, const Plan &plan,
                              const Problem &problem = {ValueType::f64}) {
  return findFormat(plan.format)->layout(a, plan, problem);
}

std::string whyNotPacked(std::vector<double> val, const std::string &values) {
  const CsrMatrix a = matrixOfRow(std::move(val));
  auto layout = packed(a.view(), rowPlan(values));
  return layout ? "" : describe(layout.takeError()).second;
}

// 2 on the diagonal and -1 beside it, with the last row's value as given.
CsrMatrix tridiagonal(double last) {
  CsrMatrix out;
  out.rows = out.cols = 40;
  out.rowPtr = {0};
  for (int32_t i = 0; i < 40; ++i) {
    for (int32_t j = std::max(0, i - 1); j <= std::min(39, i + 1); ++j) {
      out.col.push_back(j);
      out.val.push_back(i == j ? 2 : -1);
    }
    out.rowPtr.push_back(static_cast<int32_t>(out.col.size()));
  }
  out.val.back() = last;
  return out;
}

Plan diaPlan(const std::string &values) {
  return parsedPlan("dia dia.rows=1 holes=0 block=256 offset=32 column=32 dia.offsets=[-1,0,1]" +
                    (values.empty() ? "" : " values=" + values));
}

// The 0 of places without an entry is one of the values. Values are counted up to 256. `advice` is
// for a value too many.
void checkMost(const std::string &coding, int most, const std::string &howManyOf257,
               const std::string &advice) {
  CAPTURE(coding);
  const std::string needs =
      "values=" + coding + " needs at most " + std::to_string(most) + " different values";
  CHECK(whyNotPacked(differing(most - 1, 1), coding).empty());
  CHECK(whyNotPacked(differing(most, 0), coding).empty());
  CHECK(whyNotPacked(differing(most, 1), coding) ==
        needs + " with the 0 of places without an entry, but the matrix has " +
            std::to_string(most + 1) + "; use " + advice);
  CHECK(whyNotPacked(differing(257, 0), coding) ==
        needs + ", but the matrix has " + howManyOf257 + "; use values=plain");
}

} // namespace

TEST_CASE("codes8: up to 256 values, of which 0 is one, are numbered by their bits") {
  checkMost("codes8", 256, "more", "values=plain");
  const CsrMatrix a = matrixOfRow({3, -0.0, NAN, 3, std::numeric_limits<double>::infinity()});
  const Layout layout = llvm::cantFail(packed(a.view(), rowPlan("codes8")));
  CHECK(layout.find("val") == nullptr);
  const LayoutArray &codes = *layout.find("valCode"), &table = *layout.find("valTable");
  CHECK((codes.size() == 5 && table.count() == 256));
  CHECK(table.as<uint64_t>()[0] == 0);
  for (size_t e = 0; e < 5; ++e)
    CHECK(table.as<uint64_t>()[codes.as<uint8_t>()[e]] == std::bit_cast<uint64_t>(a.val[e]));
}

TEST_CASE("codes4: up to 16 values, of which 0 is one, take half a byte for each slot") {
  checkMost("codes4", 16, "more than 256", "values=codes8 or values=plain");
  // A former bug: values=codes8 was not advised; and it must not be where it does not fit either.
  CHECK(whyNotPacked(differing(255, 1), "codes4")
            .ends_with("has 256; use values=codes8 or values=plain"));
  CHECK(whyNotPacked(differing(256, 1), "codes4").ends_with("has 257; use values=plain"));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {3, -0.0, NAN, 3, kInfinity, -NAN, 0x1p-1074, 0, -kInfinity};
  for (size_t count = 1; count <= values.size(); ++count) {
    const CsrMatrix a = matrixOfRow({values.begin(), values.begin() + static_cast<int64_t>(count)});
    const Layout layout = llvm::cantFail(packed(a.view(), rowPlan("codes4")));
    CHECK(layout.find("val") == nullptr);
    const LayoutArray &codes = *layout.find("valCode"), &table = *layout.find("valTable");
    REQUIRE((codes.size() == static_cast<int64_t>(count + 1) / 2 && table.count() == 16));
    CHECK(table.as<uint64_t>()[0] == 0);
    for (size_t e = 0; e < 2 * static_cast<size_t>(codes.size()); ++e)
      CHECK(table.as<uint64_t>()[codes.as<uint8_t>()[e / 2] >> 4 * (e % 2) & 15] ==
            (e < count ? std::bit_cast<uint64_t>(a.val[e]) : 0));
  }
}

TEST_CASE("f32: values in f64 that are exact in f32 take half the bytes") {
  const std::vector<double> values = {0.5, -0.0, 0x1p-149,
                                      -std::numeric_limits<double>::infinity()};
  const CsrMatrix a = matrixOfRow(values);
  const Layout layout = llvm::cantFail(packed(a.view(), rowPlan("f32")));
  const LayoutArray &stored = *layout.find("shortVal");
  REQUIRE((stored.type == ElementType::f32 && stored.count() == 4));
  for (size_t e = 0; e < 4; ++e)
    CHECK(std::bit_cast<uint64_t>(static_cast<double>(stored.as<float>()[e])) ==
          std::bit_cast<uint64_t>(values[e]));
  const char *why = "values=f32 needs values that are exact in f32, but at least one of the matrix "
                    "is not; use values=plain";
  for (const double value : {0.1, 0x1p-150, 1e300, static_cast<double>(NAN)})
    CHECK(whyNotPacked({1, value}, "f32") == why);
  auto inFloat = packed(a.view(), rowPlan("f32"), Problem{ValueType::f32});
  CHECK(describe(inFloat.takeError()).second ==
        "values=f32 is for a matrix in f64, but this one is in f32; use values=plain");
}

TEST_CASE("diagonals: DIA has a value for each diagonal, as numbers and in an array") {
  const CsrMatrix a = tridiagonal(2);
  const Layout layout = llvm::cantFail(packed(a.view(), diaPlan("diagonals")));
  CHECK(layout.find("val") == nullptr);
  const double want[] = {-1, 2, -1};
  for (size_t d = 0; d < 3; ++d) {
    CHECK(std::bit_cast<double>(layout.integer("val" + std::to_string(d))) == want[d]);
    CHECK(layout.find("valOfDiagonal")->as<double>()[d] == want[d]);
  }
  CHECK(layout.storedBytes() == 0);
  auto differ = packed(tridiagonal(3).view(), diaPlan("diagonals"));
  CHECK(describe(differ.takeError()).second ==
        "values=diagonals needs values that are equal along each of at most 64 diagonals, but "
        "those of the matrix are not; use values=plain");
  auto others = packed(a.view(), rowPlan("diagonals"));
  CHECK(describe(others.takeError()).second ==
        "csr-vector has no values=diagonals, which is for dia; use values=plain");
}

TEST_CASE("diagonals: a plan with more diagonals than a kernel has numbers for is refused") {
  for (const int64_t count : {64, 65}) {
    Plan plan = diaPlan("diagonals");
    plan.lists.front().second.resize(static_cast<size_t>(count));
    for (int64_t d = 0; d < count; ++d)
      plan.lists.front().second[static_cast<size_t>(d)] = d;
    const std::string why = describe(findFormat("dia")->check(plan, {})).second;
    CHECK(why == (count == 64 ? ""
                              : "values=diagonals is for 1 to 64 diagonals, but the plan has 65; "
                                "use values=plain"));
  }
}

TEST_CASE("a plan gets the coding that saves most of those that the values fit") {
  const auto codingOfValues = [](const Plan &plan, const CsrMatrix &a) {
    const Coding *coding = codingThatFits(plan, valueFacts(a.view()));
    return std::string(coding ? coding->name : "none");
  };
  const Plan row = rowPlan("ones");
  CHECK(codingOfValues(row, matrixOfRow({2, 2, 2})) == "ones");
  CHECK(codingOfValues(row, matrixOfRow({2, 2, 3})) == "codes4");
  CHECK(codingOfValues(row, matrixOfRow({NAN, NAN})) == "codes4");
  CHECK(codingOfValues(row, matrixOfRow(differing(15, 1))) == "codes4");
  CHECK(codingOfValues(row, matrixOfRow(differing(16, 1))) == "codes8");
  CHECK(codingOfValues(row, matrixOfRow(differing(300, 1))) == "f32");
  std::vector<double> any = differing(300, 0.1);
  CHECK(codingOfValues(row, matrixOfRow(any)) == "none");
  CHECK(codingOfValues(row, tridiagonal(2)) == "codes4");
  CHECK(codingOfValues(diaPlan(""), tridiagonal(2)) == "diagonals");
  CHECK(codingOfValues(diaPlan(""), tridiagonal(3)) == "codes4");
}

TEST_CASE("a matrix without entries has every coding of all formats") {
  const CsrMatrix a{.name = "", .rows = 1, .cols = 1, .rowPtr = {0, 0}, .col = {}, .val = {}};
  for (const Coding *coding : codings().drop_front())
    if (!coding->format) {
      CAPTURE(coding->name);
      CHECK(static_cast<bool>(packed(a.view(), rowPlan(coding->name))));
    }
}
