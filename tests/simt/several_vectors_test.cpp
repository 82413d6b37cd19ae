// Tests products with several vectors on the host executor: each must equal the product with this
// vector alone, wherever the values of X and Y lie.
#include "tests/shard.h"
#include "tests/simt/reference.h"
#include "tests/simt/run.h"

#include <cmath>
#include <limits>

using namespace specmv;
using namespace specmv::simt;

namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// The position of value j of row i of X and Y, and the number of vectors.
struct Places {
  const char *name;
  int64_t count, strideX, stepX, strideY, stepY;

  size_t ofX(int64_t i, int64_t j) const { return static_cast<size_t>(i * strideX + j * stepX); }
  size_t ofY(int64_t i, int64_t j) const {
    return static_cast<size_t>(i * strideY + j * (stepY == 0 ? 1 : stepY));
  }
};

// Rows that are read in place; vectors one after another, fewer than the kernel has; rows of which
// some values are missing.
std::vector<Places> placesOf(const Run &run) {
  const int64_t vectors = run.test.problem.vectors, few = vectors / 2 + 1;
  return {{"rows", vectors, vectors, 1, vectors, 0},
          {"columns", few, 1, run.a.cols, 1, run.a.rows},
          {"short rows", few, few, 1, few, 1}};
}

// Returns the numbers of vector j.
std::vector<double> numbersOf(Stream stream, int64_t count, int64_t j) {
  std::vector<double> out;
  for (int64_t i = 0; i < count; ++i)
    out.push_back(integerNumber(stream, static_cast<uint64_t>(i + 7919 * j)));
  return out;
}

// Places without a value must keep this number.
constexpr double kNoValue = 12345;

void checkPlaces(Run &run, const Places &at, double beta, int64_t nanColumn, unsigned seed) {
  INFO(at.name, ", seed ", seed, ", beta ", beta, ", NaN in column ", nanColumn);
  const int64_t vectors = run.test.problem.vectors;
  Product product{2, beta, {}, {}, at.count, at.strideX, at.stepX, at.strideY, at.stepY};
  product.x.assign(static_cast<size_t>(run.a.cols * vectors), kNotANumber);
  product.y.assign(static_cast<size_t>(run.a.rows * vectors), kNoValue);
  std::vector<Reference> expected;
  std::vector<bool> marked(static_cast<size_t>(run.a.cols), false);
  for (int64_t j = 0; j < at.count; ++j) {
    std::vector<double> x = numbersOf(vectorX, run.a.cols, j),
                        y = numbersOf(vectorY, run.a.rows, j);
    expected.push_back(reference(run.a, run.own, 2, x, beta, y, run.type));
    if (nanColumn >= 0 && j == at.count - 1)
      x[static_cast<size_t>(nanColumn)] = kNotANumber,
      marked[static_cast<size_t>(nanColumn)] = true;
    for (int64_t i = 0; i < run.a.cols; ++i)
      product.x[at.ofX(i, j)] = x[static_cast<size_t>(i)];
    for (int64_t i = 0; i < run.a.rows; ++i)
      product.y[at.ofY(i, j)] = beta == 0 ? kNotANumber : y[static_cast<size_t>(i)];
  }
  const std::vector<bool> reached = rowsReached(run.a, marked);
  const std::vector<double> got = run.multiply(product, seed);
  std::vector<bool> isValue(got.size(), false);
  std::string wrong;
  for (int64_t j = 0; j < at.count; ++j)
    for (int64_t i = 0; i < run.a.rows; ++i) {
      const auto row = static_cast<size_t>(i);
      const double is = got[at.ofY(i, j)];
      isValue[at.ofY(i, j)] = true;
      const bool isRight =
          j == at.count - 1 && reached[row]
              ? std::isnan(is)
              : static_cast<long double>(is) == expected[static_cast<size_t>(j)].y[row];
      if (!isRight && wrong.empty())
        wrong = "row " + std::to_string(i) + " of vector " + std::to_string(j) + " is " +
                std::to_string(is);
    }
  CHECK_MESSAGE(wrong.empty(), wrong);
  for (size_t k = 0; k < got.size(); ++k)
    if (!isValue[k] && got[k] != kNoValue && wrong.empty())
      wrong = "place " + std::to_string(k) + " of Y, which no vector has, was written";
  CHECK_MESSAGE(wrong.empty(), wrong);
}

void checkSeveral(const TestCase &test) {
  INFO(test.name());
  std::optional<Layout> layout = checkedLayout(test);
  if (!layout)
    return;
  Run run(test, std::move(*layout));
  const double beta = test.problem.betaCanBeNonZero ? -3 : 0;
  unsigned seed = 0;
  for (const Places &at : placesOf(run)) {
    checkPlaces(run, at, beta, -1, seed++);
    checkPlaces(run, at, 0, run.a.cols - 1, seed);
  }
  // The product with one vector, from the same arrays, must still be right.
  const std::vector<double> x = integers(vectorX, run.a.cols), y = integers(vectorY, run.a.rows);
  const Reference one = reference(run.a, run.own, 2, x, beta, y, run.type);
  const std::vector<double> got = run.multiply(2, beta, x, y, 1);
  CHECK(std::equal(got.begin(), got.end(), one.y.begin(), one.y.end()));
}

} // namespace

TEST_SUITE("products") {
  TEST_CASE("several vectors at once") {
    const std::vector<TestMatrix> matrices = caseMatrices();
    const std::vector<TestCase> tests = severalCases(matrices);
    const auto [index, count] = specmv::testing::shard();
    for (size_t i = index; i < tests.size(); i += count)
      checkSeveral(tests[i]);
    MESSAGE(tests.size(), " cases in ", count, " shards");
  }

} // TEST_SUITE
