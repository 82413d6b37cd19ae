// Tests of packing, over every format: each entry is in its slot and nothing else is, new values
// take the same slots, and the bytes are those that the plan predicted.
#include "generator/formats/dia/layout.h"
#include "generator/index_types.h"
#include "tests/generator/for_all_plans.h"
#include "tests/generator/formats/one_format.h"
#include "tests/text.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

int64_t slotOf(const Layout &layout, int64_t entry) {
  return layout.slots.empty() ? entry : layout.slots[static_cast<size_t>(entry)];
}

double valueAt(const LayoutArray &array, int64_t i) {
  return array.type == ElementType::f32 ? array.as<float>()[i] : array.as<double>()[i];
}

// Returns the first fault in the values of a layout, or "".
std::string wrongValues(const Layout &layout, const Valued &a, ValueType type) {
  const LayoutArray *val = layout.find(layout.valueArray);
  if (!val || val->type != elementOf(type))
    return "no value array of the problem's type";
  const int64_t nnz = a.view().nnz;
  if (!layout.slots.empty() && static_cast<int64_t>(layout.slots.size()) != nnz)
    return "slots of another matrix";
  std::vector<double> want(static_cast<size_t>(val->count()));
  for (int64_t e = 0; e < nnz; ++e) {
    if (slotOf(layout, e) >= val->count())
      return "entry " + std::to_string(e) + " lies beyond the array";
    want[static_cast<size_t>(slotOf(layout, e))] += a[e];
  }
  for (int64_t i = 0; i < val->count(); ++i)
    if (valueAt(*val, i) != want[static_cast<size_t>(i)])
      return "slot " + std::to_string(i) + " holds " + std::to_string(valueAt(*val, i)) +
             " and not " + std::to_string(want[static_cast<size_t>(i)]);
  return "";
}

// Two entries may share a slot only if they have one row and column.
bool sharesRightly(const Layout &layout, const CsrMatrix &a) {
  std::vector<std::pair<int64_t, std::pair<int64_t, int64_t>>> all;
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
      all.push_back({slotOf(layout, e), {i, a.col[e]}});
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end(), [](auto &l, auto &r) {
           return l.first == r.first && l.second != r.second;
         }) == all.end();
}

bool sameArrays(const Layout &a, const Layout &b) {
  auto same = [](const LayoutArray &l, const LayoutArray &r) {
    return l.name == r.name && l.type == r.type && l.bytes == r.bytes;
  };
  auto sameAll = [&](const auto &l, const auto &r) {
    return std::equal(l.begin(), l.end(), r.begin(), r.end(), same);
  };
  return a.integers == b.integers && a.slots == b.slots && sameAll(a.arrays, b.arrays) &&
         sameAll(a.scratch, b.scratch);
}

int64_t longestRow(const CsrMatrix &a) {
  int64_t longest = 0;
  for (int64_t i = 0; i < a.rows; ++i)
    longest = std::max<int64_t>(longest, a.rowPtr[i + 1] - a.rowPtr[i]);
  return longest;
}

} // namespace

TEST_CASE("many entries, more than one thread stores at a time, lie in their slots too") {
  for (const CsrMatrix &a : {evenMatrix(9000, 17), matrixOf("wide blocks", 640, 640, [](int64_t i) {
                               return run(i / 320 * 320, 320);
                             })}) {
    const Problem problem{ValueType::f64};
    REQUIRE(a.nnz() > 2 << 16);
    for (const auto &[format, plan] : plansOf(a.view(), problem)) {
      const std::string planText = plan.text();
      CAPTURE(planText);
      const Valued before(a.view(), problem.type, 1), after(a.view(), problem.type, 2);
      Layout layout = llvm::cantFail(format->layout(before.view(), plan, problem));
      CHECK(wrongValues(layout, before, problem.type) == "");
      storeValues(layout, after.view());
      CHECK(wrongValues(layout, after, problem.type) == "");
    }
  }
}

TEST_CASE("every format packs each entry into its slot, and the other slots are 0") {
  std::set<std::string> seen;
  forAllPlans(edgeMatrices(), [&](const Format &format, const Plan &plan, const CsrMatrix &a,
                                  const Problem &problem) {
    const Valued valued(a.view(), problem.type, 1);
    auto layout = format.layout(valued.view(), plan, problem);
    REQUIRE(static_cast<bool>(layout));
    CHECK(wrongValues(*layout, valued, problem.type) == "");
    CHECK(sharesRightly(*layout, a));
    seen.insert(format.name);
  });
  CHECK(seen.size() == formats().size()); // no format passed by offering nothing
}

TEST_CASE("new values stored into a layout make the layout of the new matrix") {
  forAllPlans(edgeMatrices(), [](const Format &format, const Plan &plan, const CsrMatrix &a,
                                 const Problem &problem) {
    const Valued before(a.view(), problem.type, 1), after(a.view(), problem.type, 2);
    Layout layout = llvm::cantFail(format.layout(before.view(), plan, problem));
    const Layout fresh = llvm::cantFail(format.layout(after.view(), plan, problem));
    CHECK((a.nnz() == 0 || !sameArrays(layout, fresh)));
    storeValues(layout, after.view());
    CHECK(sameArrays(layout, fresh));
  });
}

TEST_CASE("a layout does not depend on the width of the matrix's own indices") {
  forAllPlans(edgeMatrices(), [](const Format &format, const Plan &plan, const CsrMatrix &a,
                                 const Problem &problem) {
    const WideMatrix wide(a);
    const Valued narrow(a.view(), problem.type, 1), other(wide.view(), problem.type, 1);
    CHECK(sameArrays(llvm::cantFail(format.layout(narrow.view(), plan, problem)),
                     llvm::cantFail(format.layout(other.view(), plan, problem))));
  });
}

TEST_CASE("a plan with 64-bit indices holds the same numbers in wider arrays") {
  forAllPlans(edgeMatrices(), [](const Format &format, const Plan &plan, const CsrMatrix &a,
                                 const Problem &problem) {
    Plan widePlan = plan;
    for (auto &[name, value] : widePlan.integers)
      value = name == "offset" || name == "column" ? 64 : value;
    const Valued valued(a.view(), problem.type, 1);
    const Layout narrow = llvm::cantFail(format.layout(valued.view(), plan, problem));
    const Layout wide = llvm::cantFail(format.layout(valued.view(), widePlan, problem));
    REQUIRE(narrow.arrays.size() == wide.arrays.size());
    CHECK(narrow.slots == wide.slots);
    bool anyWider = false;
    for (size_t i = 0; i < narrow.arrays.size(); ++i) {
      const LayoutArray &from = narrow.arrays[i], &to = wide.arrays[i];
      REQUIRE(from.count() == to.count());
      if (from.type == to.type) {
        CHECK(from.bytes == to.bytes);
        continue;
      }
      anyWider = true;
      REQUIRE(from.type == ElementType::i32);
      REQUIRE(to.type == ElementType::i64);
      CHECK(std::equal(from.as<int32_t>(), from.as<int32_t>() + from.count(), to.as<int64_t>()));
    }
    // Some have no indices of these types, or only values.
    CHECK((anyWider || plan.format == "sell-bytes" ||
           (plan.format == "dia" && !plan.get(key::kDiaHoles))));
  });
}

TEST_CASE("the arrays of CSR are the matrix's own") {
  const CsrMatrix a = evenMatrix(40, 5);
  const Layout layout = llvm::cantFail(layoutOf(
      a, {"csr-vector", {{"csr.lanes", 4}, {"block", 256}, {"offset", 32}, {"column", 32}}}));
  const LayoutArray *rowPtr = layout.find("rowPtr"), *col = layout.find("col");
  REQUIRE(rowPtr);
  REQUIRE(col);
  CHECK(std::equal(a.rowPtr.begin(), a.rowPtr.end(), rowPtr->as<int32_t>()));
  CHECK(std::equal(a.col.begin(), a.col.end(), col->as<int32_t>()));
}

TEST_CASE("ELL stores column by column, -1 where a row has no more entries") {
  const CsrMatrix a = matrixOf("3 rows", 3, 9, [](int64_t i) {
    return i == 1 ? Row{} : Row{8, int32_t(i)};
  });
  const Layout layout = llvm::cantFail(
      layoutOf(a, {"ell", {{"ell.width", 3}, {"block", 256}, {"offset", 32}, {"column", 32}}}));
  const int64_t stride = layout.integer("stride");
  REQUIRE(stride >= 3);
  const LayoutArray &col = *layout.find("col");
  REQUIRE(col.count() == 3 * stride);
  for (int64_t k = 0; k < 3; ++k)
    for (int64_t i = 0; i < stride; ++i) {
      const int32_t want = i > 2 || i == 1 || k == 2 ? -1 : k == 0 ? 8 : static_cast<int32_t>(i);
      CHECK(col.as<int32_t>()[k * stride + i] == want);
    }
}

TEST_CASE("a plan made for another matrix is refused in one sentence, or packs this one rightly") {
  const std::vector<CsrMatrix> matrices = edgeMatrices();
  int refused = 0, packed = 0;
  std::set<std::pair<ValueType, std::string>> seen;
  forAllPlans(matrices, [&](const Format &format, const Plan &plan, const CsrMatrix &,
                            const Problem &problem) {
    if (!seen.insert({problem.type, plan.text()}).second)
      return; // many matrices have it
    for (const CsrMatrix &other : matrices) {
      CAPTURE(other.name);
      const Valued valued(other.view(), problem.type, 1);
      auto layout = format.layout(valued.view(), plan, problem);
      if (layout) {
        CHECK(wrongValues(*layout, valued, problem.type) == "");
        CHECK(sharesRightly(*layout, other));
        ++packed;
        continue;
      }
      const auto [status, sentence] = describe(layout.takeError());
      CHECK(status == Status::notApplicable);
      CHECK(sentence.find_first_of("0123456789") != std::string::npos);
      CHECK_FALSE(contains(sentence, "\n"));
      ++refused;
    }
  });
  CHECK(refused > 100);
  CHECK(packed > 1000);
}

TEST_CASE("a longer row than the plan's is refused with both numbers") {
  const CsrMatrix a = evenMatrix(64, 27), longer = evenMatrix(64, 28);
  for (const auto &[format, plan] : plansOf(a.view(), kDouble, {{}, {{"hyb.k", 27}}})) {
    const std::string name = format->name;
    const bool isHyb = name == "hyb" && plan.get(key::kHybK) == 27;
    if (name != "ell" && !isHyb)
      continue;
    const std::string sentence = refusal(longer, plan);
    CHECK(contains(sentence, "27"));
    CHECK(contains(sentence, isHyb ? "64" : "28")); // 64 entries are left over
  }
}

TEST_CASE("offsets count rows and slots, with 64 bits as soon as one of them needs that") {
  constexpr int64_t kFew = 1000, kMany = int64_t{1} << 31;
  struct Sizes {
    int64_t rows, cols, slots, offset, column;
  };
  for (const Sizes &sizes : {Sizes{kFew, kFew, kFew, 32, 32}, Sizes{kFew, kFew, kMany, 64, 32},
                             Sizes{kMany, kFew, kFew, 64, 32}, Sizes{kFew, kMany, kFew, 32, 64},
                             Sizes{kMany, kMany, kMany, 64, 64}}) {
    CAPTURE(sizes.rows);
    CAPTURE(sizes.cols);
    CAPTURE(sizes.slots);
    Plan plan;
    addIndexTypes(plan, sizes.rows, sizes.cols, sizes.slots);
    CHECK(plan.get(key::kOffset) == sizes.offset);
    CHECK(plan.get(key::kColumn) == sizes.column);
    CHECK(describe(checkIndexTypes(plan, sizes.rows, sizes.cols, sizes.slots)).second == "");
    Plan narrow;
    addIndexTypes(narrow, kFew, kFew, kFew);
    const std::string said =
        describe(checkIndexTypes(narrow, sizes.rows, sizes.cols, sizes.slots)).second;
    CHECK(said.empty() == (sizes.offset == 32 && sizes.column == 32));
    CHECK(contains(said, sizes.offset == 64   ? std::to_string(sizes.slots) + " slots"
                         : sizes.column == 64 ? std::to_string(sizes.cols) + " columns"
                                              : ""));
  }
}

TEST_CASE("columns beyond 32 bits are refused by plans for fewer, and planned for by new ones") {
  const CsrMatrix small = evenMatrix(64, 16);
  REQUIRE(longestRow(small) == 16);
  WideMatrix wide(small);
  wide.cols = int64_t{1} << 32;
  wide.col.back() = wide.cols - 1;
  for (ValueType type : kTypes) {
    const Problem problem{type};
    const Valued valued(wide.view(), type, 1);
    for (const auto &[format, plan] : plansOf(small.view(), problem, {{}})) {
      const std::string planText = plan.text();
      CAPTURE(planText);
      auto layout = format->layout(valued.view(), plan, problem);
      REQUIRE_FALSE(static_cast<bool>(layout));
      const auto [status, sentence] = describe(layout.takeError());
      CHECK(status == Status::notApplicable);
      CHECK(contains(sentence, "4294967296"));
    }
    for (const auto &[format, plan] : plansOf(wide.view(), problem, {{}})) {
      const std::string planText = plan.text();
      CAPTURE(planText);
      const Layout layout = llvm::cantFail(format->layout(valued.view(), plan, problem));
      CHECK(wrongValues(layout, valued, type) == "");
    }
  }
}
