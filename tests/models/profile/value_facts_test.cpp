// Tests the facts about values of whole matrices, against hand-made lists and their definition.
#include "models/profile/value_facts.h"

#include "models/base/parallel.h"
#include "models/profile/profile.h"
#include "models/signature/signature.h"
#include "tests/models/profile/band_matrix.h"
#include "tests/models/profile/profile_cases.h"
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

using namespace specmv;

namespace {

// Values in one row, as f64 or f32.
template <class Value> ValueFacts factsOfRow(const std::vector<Value> &values) {
  const int64_t rowPtr[] = {0, std::ssize(values)};
  std::vector<int64_t> col(values.size());
  std::iota(col.begin(), col.end(), 0);
  return valueFacts({1, std::ssize(values), std::ssize(values), IndexType::i64,
                     sizeof(Value) == 4 ? ValueType::f32 : ValueType::f64, rowPtr, col.data(),
                     values.data()});
}

// Values 0 .. count - 1, again and again.
std::vector<double> cyclic(int count, int length) {
  std::vector<double> out(static_cast<size_t>(length));
  for (int i = 0; i < length; ++i)
    out[static_cast<size_t>(i)] = i % count;
  return out;
}

// The facts by their definition.
bool naiveAlongDiagonals(const CsrMatrix &a) {
  std::map<int64_t, std::set<uint64_t>> diagonals;
  int longest = 0;
  for (int64_t row = 0; row < a.rows; ++row) {
    const auto i = static_cast<size_t>(row);
    longest = std::max(longest, a.rowPtr[i + 1] - a.rowPtr[i]);
    for (int e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
      diagonals[a.col[static_cast<size_t>(e)] - row].insert(bitsOf(a.val[static_cast<size_t>(e)]));
  }
  return diagonals.size() <= 64 && longest <= 256 &&
         std::all_of(diagonals.begin(), diagonals.end(),
                     [](const auto &each) { return each.second.size() == 1; });
}

// The values are the numbers of the diagonals modulo `values`.
CsrMatrix bandOfValues(int rows, int diagonals, int values) {
  return bandMatrix(rows, diagonals, [&](int diagonal) { return diagonal % values; });
}

// Checks with and without the number of diagonals, on one core and on all.
void checkDiagonals(const CsrMatrix &a) {
  const bool expected = naiveAlongDiagonals(a);
  CHECK(valueFacts(a.view()).constantAlongDiagonals == expected);
  const int64_t diagonals = profile(a.view()).occupiedDiagonals;
  const ValueFacts known = valueFacts(a.view(), diagonals);
  const bool areListed = expected && known.distinct > 1;
  CHECK(std::ssize(known.diagonals) == (areListed ? diagonals : 0));
  CHECK(std::is_sorted(known.diagonals.begin(), known.diagonals.end(),
                       [](const auto &x, const auto &y) { return x.offset < y.offset; }));
  for (int64_t row = 0; row < (areListed ? a.rows : 0); ++row)
    for (auto e = static_cast<size_t>(a.rowPtr[row]); e < static_cast<size_t>(a.rowPtr[row + 1]);
         ++e) {
      const ValueOfDiagonal own{a.col[e] - row, bitsOf(a.val[e])};
      CHECK(std::find(known.diagonals.begin(), known.diagonals.end(), own) !=
            known.diagonals.end());
    }
  const ThreadLimit limit(1);
  CHECK(known == valueFacts(a.view()));
}

} // namespace

TEST_CASE("a matrix without entries: all that is said of every value holds") {
  for (ValueType type : {ValueType::f32, ValueType::f64}) {
    CsrView none;
    none.valueType = type;
    const ValueFacts facts = valueFacts(none);
    CHECK(facts == ValueFacts{.type = type});
    CHECK(facts.distinct == 0);
    CHECK((facts.plusMinusOne && facts.exactInI8 && facts.finite && facts.constantAlongDiagonals));
    CHECK_FALSE(facts.constant());
  }
}

TEST_CASE("values that are all equal, to the bit") {
  const ValueFacts one = factsOfRow<double>({1});
  CHECK(one.constant() == 1.0);
  CHECK((one.plusMinusOne && one.exactInI8 && one.exactInF16 && one.finite &&
         one.constantAlongDiagonals));
  CHECK(factsOfRow<float>({-2.5F, -2.5F, -2.5F}).constant() == -2.5);
  CHECK_FALSE(factsOfRow<double>({0.0, -0.0}).constant());
  CHECK(factsOfRow<double>({0.0, -0.0}).values == std::vector<uint64_t>{0, uint64_t{1} << 63});
  const ValueFacts nan = factsOfRow<double>({std::nan(""), std::nan("")});
  CHECK(nan.distinct == 1);
  CHECK(std::isnan(nan.constant().value()));
  CHECK_FALSE(
      (nan.finite || nan.exactInF32 || nan.exactInF16 || nan.exactInI16 || nan.plusMinusOne));
  CHECK(factsOfRow<double>({std::nan(""), std::nan("7")}).distinct == 2);
  CHECK(factsOfRow<float>({1.0F, -1.0F, 1.0F}).plusMinusOne);
  CHECK(factsOfRow<float>({1.0F, -1.0F}).values == std::vector<uint64_t>{0x3f800000, 0xbf800000});
}

TEST_CASE("one value decides for all, wherever it stands") {
  for (size_t place : {size_t{0}, size_t{1}, size_t{200000}, size_t{399999}}) {
    std::vector<double> values(400000, 3);
    values[place] = std::numeric_limits<double>::infinity();
    const ValueFacts facts = factsOfRow(values);
    CHECK((facts.distinct == 2 && facts.exactInF16 && !facts.exactInI16 && !facts.finite));
    std::mt19937_64 random(1);
    for (double &value : values)
      value = 1 + std::ldexp(static_cast<double>(random() % 4096), -20); // exact in f32, too many
    values[place] = 0.1;
    CHECK_FALSE(factsOfRow(values).exactInF32);
    CHECK(factsOfRow(values).finite);
    values[place] = std::nan("");
    CHECK_FALSE(factsOfRow(values).finite);
    values[place] = 1;
    CHECK(factsOfRow(values).exactInF32);
  }
}

TEST_CASE("up to 256 different values are listed by their bits") {
  for (int length : {300, 400000}) {
    const ValueFacts most = factsOfRow(cyclic(256, length));
    CHECK(most.distinct == 256);
    REQUIRE(most.values.size() == 256);
    CHECK(std::is_sorted(most.values.begin(), most.values.end()));
    CHECK(most.values.back() == bitsOf(255.0));
    const ValueFacts more = factsOfRow(cyclic(257, length));
    CHECK((more.distinct == 257 && more.values.empty()));
    CHECK((more.exactInI16 && more.exactInF16 && !more.exactInI8));
    std::vector<double> bytes = cyclic(256, length);
    for (double &value : bytes)
      value -= 128;
    CHECK(factsOfRow(bytes).exactInI8);
  }
  // Each part of the entries has few values, all together have many.
  std::vector<double> parts(600000);
  for (size_t e = 0; e < parts.size(); ++e)
    parts[e] = std::floor(static_cast<double>(e) / 2000);
  CHECK(factsOfRow(parts).distinct == 257);
}

TEST_CASE("facts depend neither on the order of entries nor on types of indices or threads") {
  const ProfileCase pattern = randomCase(300, 300, 5000, 3);
  const CsrArrays<int32_t> narrow(pattern);
  const CsrArrays<int64_t> wide(pattern);
  std::vector<double> values;
  std::mt19937 random(9);
  for (size_t e = 0; e < narrow.col.size(); ++e)
    values.push_back(static_cast<double>(random() % 200) / 8);
  CsrView a = narrow.view(), b = wide.view();
  a.val = b.val = values.data();
  const ValueFacts facts = valueFacts(a);
  CHECK(facts == valueFacts(b));
  std::shuffle(values.begin(), values.end(), random);
  CHECK(facts == valueFacts(a));
  const ThreadLimit limit(1);
  CHECK(facts == valueFacts(a));
}

TEST_CASE("values are compared along up to 64 diagonals") {
  for (int diagonals : {1, 5, 63, 64, 65, 256, 257})
    for (int values : {1, 3, 64}) {
      CAPTURE(diagonals);
      CAPTURE(values);
      CsrMatrix a = bandOfValues(400, diagonals, values);
      checkDiagonals(a);
      CHECK(valueFacts(a.view()).constantAlongDiagonals == (diagonals <= 64));
      a.val[a.val.size() / 2] = 64;
      checkDiagonals(a);
      a.val.back() = 64;
      checkDiagonals(a);
    }
}

TEST_CASE("repeated entries are compared with one another, in rows up to a length") {
  for (int length : {2, 256, 257}) {
    CsrMatrix a;
    a.rows = a.cols = 1;
    a.col.assign(static_cast<size_t>(length), 0);
    a.val.assign(a.col.size(), 7);
    a.rowPtr.push_back(length);
    checkDiagonals(a);
    CHECK(valueFacts(a.view()).constantAlongDiagonals == (length <= 256));
    a.val.back() = 8;
    checkDiagonals(a);
  }
}

TEST_CASE("many rows: one wrong entry is found, and parts are compared with one another") {
  CsrMatrix a = bandOfValues(100000, 3, 3);
  CHECK(valueFacts(a.view()).constantAlongDiagonals);
  a.val[3 * 70000 + 1] = 2;
  CHECK_FALSE(valueFacts(a.view()).constantAlongDiagonals);
  for (size_t e = 150000; e < a.val.size(); ++e)
    a.val[e] = static_cast<double>((e + 1) % 3);
  checkDiagonals(a);
}

TEST_CASE("the text has a line for each fact, and its digest names them") {
  const ValueFacts facts = factsOfRow<float>({2, 1, 0.5F});
  CHECK(facts.text() == "specmv-values 1\ntype f32\ncount 3\ndistinct 3\n"
                        "values 3f000000 3f800000 40000000\nplusMinusOne 0\nf32 1\nf16 1\ni16 0\n"
                        "i8 0\nfinite 1\nconstantAlongDiagonals 1\n");
  CHECK(ValueFacts{}.text() == "specmv-values 1\ntype f64\ncount 0\ndistinct 0\nvalues\n"
                               "plusMinusOne 1\nf32 1\nf16 1\ni16 1\ni8 1\nfinite 1\n"
                               "constantAlongDiagonals 1\n");
  CHECK(valuesId(facts).size() == 32);
  CHECK(valuesId(facts) == valuesId(factsOfRow<float>({0.5F, 1, 2})));
  CHECK(valuesId(facts) != valuesId(factsOfRow<double>({2, 1, 0.5})));
  CHECK(valuesId(facts) != valuesId(factsOfRow<float>({2, 1, 0.25F})));
}
