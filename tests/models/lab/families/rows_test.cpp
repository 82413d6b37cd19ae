// Tests of the families with given row lengths: set covering, the papers' benchmark matrices, and
// the underlying arithmetic.
#include "models/lab/families/draws.h"
#include "tests/models/lab/families/families_testing.h"

#include <doctest/doctest.h>

#include <numeric>

using namespace familytest;

namespace {

int64_t sumOf(const std::vector<int32_t> &lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
}

double spreadOf(const std::vector<int32_t> &lengths) {
  const double mean = double(sumOf(lengths)) / double(lengths.size());
  double squares = 0;
  for (const int32_t length : lengths)
    squares += (length - mean) * (length - mean);
  return std::sqrt(squares / double(lengths.size()));
}

// Compares the share of rows of each length with p(length); a hundredth of the rows may differ.
template <class P> double farthestFrom(const CsrMatrix &a, const P &p) {
  std::map<int64_t, double> share;
  for (int64_t row = 0; row < a.rows; ++row)
    share[lengthOf(a, row)] += 1 / double(a.rows);
  double farthest = 0;
  for (int64_t length = 0; length <= longestRow(a); ++length)
    farthest = std::max(farthest, std::fabs(share[length] - p(length)));
  return farthest;
}

} // namespace

TEST_CASE("columns of rowlengths lie where their law says, and lengths do not depend on it") {
  const std::string of = "rowlengths:rows=9000,dist=uniform,mean=20";
  const CsrMatrix uniform = make(of);
  CHECK(make(of + ",columns=uniform").col == uniform.col);
  for (const char *law : {"band", "windows", "blocks"}) {
    CAPTURE(law);
    const CsrMatrix a = make(of + ",columns=" + law);
    CHECK(a.rowPtr == uniform.rowPtr);
    CHECK(a.col != uniform.col);
    for (int64_t row = 0; row < a.rows; ++row)
      for (int64_t e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e) {
        const int64_t run = (e - a.rowPtr[row]) % 4;
        if (llvm::StringRef(law) == "band")
          CHECK(std::abs(a.col[e] - row) <= 40);
        else if (llvm::StringRef(law) == "blocks")
          CHECK(a.col[e] % 4 == run);
      }
  }
  const CsrMatrix windows = make("rowlengths:rows=20000,mean=8,columns=windows");
  for (int64_t begin = 0; begin < windows.rows; begin += 256) {
    const int64_t end = std::min<int64_t>(begin + 256, windows.rows);
    const auto [least, most] = std::minmax_element(windows.col.begin() + windows.rowPtr[begin],
                                                   windows.col.begin() + windows.rowPtr[end]);
    CHECK(*most - *least < 4096);
  }
  // rows as long as the number of columns, or nearly
  for (const char *law : {"band", "windows", "blocks"})
    for (const char *size : {"1", "3", "10", "5000"})
      CHECK(
          make("rowlengths:rows=5,cols=" + std::string(size) + ",mean=" + size + ",columns=" + law)
              .nnz() == 5 * std::stoll(size));
}

TEST_CASE("power is that of the library to the last few bits") {
  for (const double base : {0.001, 0.5, 0.99999, 1.0, 2.718281828459045, 30.0})
    for (const double exponent : {0.0, 0.125, 0.7, 1.0, 1.2, 5.5, 37.25})
      CHECK(power(base, exponent) == doctest::Approx(std::pow(base, exponent)).epsilon(1e-13));
  CHECK(power(0, 0.5) == 0);
  CHECK(power(0.5, 5000) == 0);
}

TEST_CASE("shuffle keeps the numbers and moves runs together") {
  std::vector<int32_t> numbers(103);
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::vector<int32_t> before = numbers;
  shuffle(Random(4), numbers, 10);
  CHECK(numbers != before);
  for (size_t i = 0; i < 103; ++i)
    CHECK(numbers[i] % 10 == int32_t(i % 10));
  CHECK(numbers[102] == 102);
  std::sort(numbers.begin(), numbers.end());
  CHECK(numbers == before);
}

TEST_CASE("lengths have the sum, the spread and the longest row of their law") {
  struct {
    int64_t rows, total;
    LengthLaw law;
  } const cases[] = {{33833, 73249, {7.57, 304}},     {5860, 26324, {16.66, 1193}},
                     {10672, 232633, {26.37, 63}},    {28338, 2943887, {102.4, 209}},
                     {22835, 1711557, {175.4, 1050}}, {822, 4841, {12.17, 304}}};
  for (const auto &c : cases) {
    CAPTURE(c.total);
    const std::vector<int32_t> lengths = lengthsBy(c.law, c.rows, c.total);
    CHECK(sumOf(lengths) == c.total);
    CHECK(*std::max_element(lengths.begin(), lengths.end()) == c.law.longest);
    CHECK(*std::min_element(lengths.begin(), lengths.end()) >= 0);
    CHECK(spreadOf(lengths) == doctest::Approx(c.law.spread).epsilon(0.02));
  }
}

TEST_CASE("without a spread, or with a longest row below the mean, lengths are equal") {
  for (const LengthLaw &law : {LengthLaw{0, 50}, LengthLaw{3, 2}}) {
    const std::vector<int32_t> lengths = lengthsBy(law, 300, 1000);
    CHECK(sumOf(lengths) == 1000);
    CHECK(*std::min_element(lengths.begin(), lengths.end()) == 3);
    CHECK(*std::max_element(lengths.begin(), lengths.end()) == 4);
  }
  CHECK(lengthsBy({3, 9}, 1, 5) == std::vector<int32_t>{5});
}

TEST_CASE("meetTotal adds and takes within the limits, and stops where all rows are full") {
  std::vector<int32_t> lengths{5, 0, 9, 2};
  const auto most = [](int64_t row) { return 2 * row + 2; };
  meetTotal(lengths, 12, most);
  CHECK(sumOf(lengths) == 12);
  for (size_t row = 0; row < 4; ++row)
    CHECK(lengths[row] <= most(int64_t(row)));
  meetTotal(lengths, 1, most);
  CHECK(sumOf(lengths) == 1);
  meetTotal(lengths, 100, most);
  CHECK(lengths == std::vector<int32_t>{2, 4, 6, 8});
}

TEST_CASE("entries in any order become sorted rows, repeated ones one entry") {
  const auto emitEntries = [](int64_t begin, int64_t end, Emit emit) {
    for (int64_t source = begin; source < end; ++source) {
      emit(source * 7 % 50, source % 30);
      emit(3, 29 - source % 30);
    }
  };
  const CsrMatrix a = llvm::cantFail(buildFromEntries(60, 30, Values{5, true}, 20000, emitEntries));
  CHECK(wellFormed(a));
  Dense expected(60, std::vector<double>(30));
  for (size_t source = 0; source < 20000; ++source)
    expected[source * 7 % 50][source % 30] = expected[3][29 - source % 30] = 1;
  CHECK(pattern(a) == expected);
  CHECK(llvm::cantFail(buildFromEntries(4, 0, Values{}, 0, emitEntries)).nnz() == 0);
}

TEST_CASE("lp covers each row by its slack and skewed numbers of duties in pairs") {
  const CsrMatrix a = make("lp:rows=428,cols=109689");
  CHECK(wellFormed(a));
  CHECK(a.nnz() == 1127350); // 2633.9944 a row: 11,284,032 for the 4,284 rows of rail4284
  std::vector<int64_t> lengths;
  int64_t paired = 0;
  bool oneOrTwo = true, slacks = true;
  for (int64_t row = 0; row < a.rows; ++row) {
    const auto first = size_t(a.rowPtr[size_t(row)]), last = size_t(a.rowPtr[size_t(row) + 1]);
    lengths.push_back(int64_t(last - first));
    slacks = slacks && a.col[first] == row && (last - first == 1 || a.col[first + 1] >= a.rows);
    for (size_t e = first; e < last; ++e) {
      oneOrTwo = oneOrTwo && (a.val[e] == 1 || a.val[e] == 2);
      paired += e + 1 < last && a.col[e + 1] == a.col[e] + 1;
    }
  }
  CHECK(slacks);
  CHECK(oneOrTwo);
  CHECK(2 * paired > a.nnz() - 2 * a.rows);
  std::sort(lengths.begin(), lengths.end());
  CHECK(double(lengths[214]) / 2634 == doctest::Approx(std::log(2)).epsilon(0.03));
  CHECK(double(lengths[385]) / 2634 == doctest::Approx(std::log(10)).epsilon(0.03));
  CHECK(make("lp:rows=3,cols=9,avg=7").nnz() == 21);
  CHECK(make("lp:rows=5,cols=5,avg=1").nnz() == 5);
}

TEST_CASE("row lengths follow the law that was asked for") {
  const CsrMatrix fixed = make("rowlengths:mean=7,rows=500");
  CHECK(fixed.nnz() == 3500);
  CHECK(longestRow(fixed) == 7);
  const std::string size = ",mean=12,rows=60000,cols=3000,dist=";
  const CsrMatrix uniform = make("rowlengths:seed=1" + size + "uniform");
  CHECK(wellFormed(uniform));
  CHECK(farthestFrom(uniform, [](int64_t k) { return k <= 24 ? 1 / 25.0 : 0; }) < 0.005);
  const CsrMatrix poisson = make("rowlengths:seed=1" + size + "poisson");
  CHECK(farthestFrom(poisson, [](int64_t k) {
          return std::exp(double(k) * std::log(12) - 12 - std::lgamma(double(k) + 1));
        }) < 0.005);
  const auto normal = [](double sigma) {
    const auto weight = [sigma](int64_t k) {
      return k <= 24 ? std::exp(-double((k - 12) * (k - 12)) / 2 / sigma / sigma) : 0;
    };
    double sum = 0;
    for (int64_t k = 0; k <= 24; ++k)
      sum += weight(k);
    return [weight, sum](int64_t k) { return weight(k) / sum; };
  };
  CHECK(farthestFrom(make("rowlengths:seed=1" + size + "normal"), normal(3)) < 0.005);
  CHECK(farthestFrom(make("rowlengths:sigma=20" + size + "normal"), normal(20)) < 0.005);
}

TEST_CASE("row lengths have their mean, for means that are no integers and for long rows") {
  for (const std::string text : {"poisson,mean=0.3", "normal,mean=9.6", "uniform,mean=4.5",
                                 "poisson,mean=2.5", "normal,mean=9.5,sigma=0.4"}) {
    CAPTURE(text);
    const CsrMatrix a = make("rowlengths:rows=40000,cols=400,dist=" + text);
    const double mean = std::stod(text.substr(text.find('=') + 1));
    CHECK(double(a.nnz()) / 40000 == doctest::Approx(mean).epsilon(0.02));
  }
  const CsrMatrix a = make("rowlengths:rows=300,cols=7000,dist=poisson,mean=3072");
  CHECK(wellFormed(a));
  CHECK(double(a.nnz()) / 300 == doctest::Approx(3072).epsilon(0.005));
  CHECK(make("rowlengths:mean=0,dist=poisson,n=9").nnz() == 0);
  CHECK(make("rowlengths:mean=0,dist=normal,n=9").nnz() == 0);
  CHECK(make("rowlengths:mean=5,dist=normal,sigma=1e-300,n=20").nnz() == 100);
}
