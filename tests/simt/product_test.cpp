// Runs every case of the table on the host executor and compares it with the reference; cases of
// library calls have nothing to run here, and are counted.
// SPECMV_SHARD=i/n takes every n-th case from the i-th on; SPECMV_SIMT_LONG=1 tries more orders.
#include "tests/shard.h"
#include "tests/simt/edge_cases.h"
#include "tests/simt/ordered_cases.h"
#include "tests/simt/reference.h"
#include "tests/simt/run.h"

#include "generator/formats/coo/part.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

using namespace specmv;
using namespace specmv::simt;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

unsigned seeds() { return std::getenv("SPECMV_SIMT_LONG") ? 12 : 2; }

// Returns the first row for which `is` does not hold, as text; empty if there is none.
template <class F> std::string firstWrong(const std::vector<double> &y, F &&isRight) {
  for (size_t i = 0; i < y.size(); ++i)
    if (!isRight(i))
      return "row " + std::to_string(i) + " is " + std::to_string(y[i]);
  return "";
}

enum class Numbers { integers, subnormals };

void checkExact(Run &run, const std::vector<double> &x, double beta, const std::vector<double> &y,
                unsigned seed, Numbers numbers = Numbers::integers) {
  const Reference expected = reference(run.a, run.own, 2, x, beta, y, run.type);
  const std::vector<double> got = run.multiply(2, beta, x, y, seed);
  // L2 adds floats with subnormals as zeros (PTX ISA, red and atom): each addition to a row may
  // lose what is below the least normal number.
  const bool mayLose = numbers == Numbers::subnormals && run.type == ValueType::f32 &&
                       run.test.plan.plan.get(key::kCooAtomic, 0) != 0;
  const auto mostLost = [&](size_t row) {
    const int32_t entries = run.a.rowPtr[row + 1] - run.a.rowPtr[row];
    return mayLose ? (entries + 1) * static_cast<long double>(std::numeric_limits<float>::min())
                   : 0;
  };
  const std::string wrong = firstWrong(got, [&](size_t i) {
    const auto value = static_cast<long double>(got[i]);
    return value == expected.y[i] || std::fabs(value - expected.y[i]) <= mostLost(i);
  });
  const std::string kind = numbers == Numbers::integers ? "integers" : "subnormals";
  CHECK_MESSAGE(wrong.empty(), kind, ", seed ", seed, ", beta ", beta, ": ", wrong);
}

bool hasRepeatedEntries(const TestMatrix &a) {
  for (int64_t row = 0; row < a.rows; ++row) {
    const auto begin = a.rowPtr[static_cast<size_t>(row)],
               end = a.rowPtr[static_cast<size_t>(row) + 1];
    std::set<int32_t> seen(a.col.begin() + begin, a.col.begin() + end);
    if (static_cast<int64_t>(seen.size()) < end - begin)
      return true;
  }
  return false;
}

// Formats with one slot for each place add repeated entries in the type that stores them.
ValueType roundingOf(const Run &run) {
  return hasRepeatedEntries(run.a) ? run.test.problem.type : run.type;
}

void checkRounded(Run &run, double beta) {
  run.setValues(reals(values, run.a.nnz(), run.test.problem.type));
  const double alpha = realNumber(9, 1, run.type);
  const std::vector<double> x = reals(vectorX, run.a.cols, run.type);
  const std::vector<double> y = reals(vectorY, run.a.rows, run.type);
  const Reference expected = reference(run.a, run.own, alpha, x, beta, y, roundingOf(run));
  const std::vector<double> got = run.multiply(alpha, beta, x, y, 0);
  const std::string wrong = firstWrong(
      got, [&](size_t i) { return std::fabs(got[i] - expected.y[i]) <= expected.bound[i]; });
  CHECK_MESSAGE(wrong.empty(), "reals: ", wrong);
  for (unsigned seed = 1; seed < seeds(); ++seed) {
    const bool same = run.multiply(alpha, beta, x, y, seed) == got;
    CHECK_MESSAGE((same || !run.test.plan.isOffered), "another sum with seed ", seed);
  }
}

// `bad` in the marked columns of x must make exactly the rows with an entry there non-finite.
void checkReach(Run &run, double bad, const std::vector<bool> &marked) {
  std::vector<double> x = integers(vectorX, run.a.cols);
  for (size_t c = 0; c < marked.size(); ++c)
    if (marked[c])
      x[c] = bad;
  const std::vector<double> y(static_cast<size_t>(run.a.rows),
                              kNaN); // which beta = 0 must not read
  const std::vector<bool> reached = rowsReached(run.a, marked);
  const std::vector<double> got = run.multiply(1, 0, x, y, 1);
  const std::string wrong =
      firstWrong(got, [&](size_t i) { return std::isfinite(got[i]) != reached[i]; });
  CHECK_MESSAGE(wrong.empty(), "x with ", bad, ": ", wrong);
}

// Each case tries one of three columns: wrong padding typically reads the first or the last.
void checkReaches(Run &run, size_t number) {
  const auto cols = static_cast<size_t>(run.a.cols);
  checkReach(run, kNaN, std::vector<bool>(cols, true));
  if (cols == 0)
    return;
  std::vector<bool> one(cols, false);
  one[std::array{size_t(0), cols / 2, cols - 1}[number % 3]] = true;
  checkReach(run, number % 2 == 0 ? kNaN : kInfinity, one);
}

void check(const TestCase &test, size_t number) {
  INFO(test.name());
  std::optional<Layout> layout = checkedLayout(test);
  if (!layout)
    return;
  Run run(test, std::move(*layout));
  const bool readsY = test.problem.betaCanBeNonZero;
  const std::vector<double> x = integers(vectorX, run.a.cols), y = integers(vectorY, run.a.rows);
  const std::vector<double> poisoned(static_cast<size_t>(run.a.rows), kNaN);
  if (readsY)
    checkExact(run, x, 0, poisoned, 2);
  for (unsigned seed = 0; seed < seeds(); ++seed)
    readsY ? checkExact(run, x, -3, y, seed) : checkExact(run, x, 0, poisoned, seed);
  checkExact(run, subnormals(vectorX, run.a.cols), readsY ? -3 : 0, subnormals(vectorY, run.a.rows),
             0, Numbers::subnormals);
  checkReaches(run, number);
  checkRounded(run, readsY ? realNumber(9, 2, run.type) : 0);
}

// A few columns everywhere: neighbouring rows reach them and do not, all over the matrix.
void checkSomeReach(const TestCase &test) {
  INFO(test.name());
  std::optional<Layout> layout = checkedLayout(test);
  if (!layout)
    return;
  Run run(test, std::move(*layout));
  std::vector<bool> some(static_cast<size_t>(run.a.cols), false);
  for (size_t c = 2; c < some.size(); c += 5)
    some[c] = true;
  checkReach(run, kNaN, some);
}

} // namespace

TEST_SUITE("products") {
  TEST_CASE("every plan of every format multiplies every adversarial matrix") {
    const std::vector<TestMatrix> matrices = caseMatrices();
    const std::vector<TestCase> tests = testCases(matrices);
    const auto [index, count] = specmv::testing::shard();
    size_t skipped = 0;
    for (size_t i = index; i < tests.size(); i += count)
      tests[i].format->library ? void(++skipped) : check(tests[i], i);
    MESSAGE(tests.size(), " cases in ", count, " shards; skipped ", skipped,
            " that call a library");
  }

  TEST_CASE("the same holds in another order of rows and columns") {
    const std::vector<TestMatrix> matrices = orderedMatrices();
    const std::vector<TestCase> tests = orderedCases(matrices);
    const auto [index, count] = specmv::testing::shard();
    for (size_t i = index; i < tests.size(); i += count)
      check(tests[i], i);
    MESSAGE(tests.size(), " cases in ", count, " shards");
  }

  TEST_CASE("the same holds where a block or a thread goes on to the next piece of a matrix") {
    const std::vector<TestMatrix> matrices = edgeMatrices();
    const std::vector<TestCase> tests = edgeCases(matrices);
    const auto [index, count] = specmv::testing::shard();
    for (size_t i = index; i < tests.size(); i += count) {
      check(tests[i], i);
      checkSomeReach(tests[i]);
    }
    MESSAGE(tests.size(), " cases in ", count, " shards");
  }

} // TEST_SUITE

TEST_CASE("every format has a case on an ordinary matrix") {
  const std::vector<TestMatrix> matrices = caseMatrices();
  const std::vector<TestCase> tests = testCases(matrices);
  for (const Format &format : formats()) {
    size_t cases = 0;
    for (const TestCase &test : tests)
      cases += test.format == &format && test.matrix->nnz() > 300;
    CHECK_MESSAGE(cases > 0, format.name, " is never offered");
  }
}
