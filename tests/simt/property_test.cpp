// Tests properties of a product that need no reference: it is linear, e_j gives column j, and rows
// may come in another order. All numbers are small integers, so results must be equal exactly.
#include "tests/simt/run.h"

#include <algorithm>
#include <map>

using namespace specmv;
using namespace specmv::simt;

namespace {

bool isNamed(const TestMatrix &a, const std::string &name) { return a.name == name; }

// One offered plan per format, type and matrix of these names, for products with y.
std::vector<TestCase> casesOf(const std::vector<TestMatrix> &matrices,
                              const std::vector<std::string> &names) {
  std::vector<TestMatrix const *> wanted;
  std::vector<TestCase> out;
  for (TestCase &test : testCases(matrices)) {
    const bool named = std::any_of(names.begin(), names.end(), [&](const std::string &name) {
      return isNamed(*test.matrix, name);
    });
    const bool isNew = out.empty() || out.back().format != test.format ||
                       out.back().matrix != test.matrix ||
                       out.back().problem.type != test.problem.type;
    if (named && !test.source.empty() && test.plan.isOffered && test.problem.betaCanBeNonZero &&
        isNew)
      out.push_back(std::move(test));
  }
  return out;
}

// Calls f with each of these cases, loaded.
template <class F> void forEach(const std::vector<std::string> &names, F &&f) {
  const std::vector<TestMatrix> matrices = caseMatrices();
  for (const TestCase &test : casesOf(matrices, names)) {
    INFO(test.name());
    if (std::optional<Layout> layout = checkedLayout(test)) {
      Run run(test, std::move(*layout));
      f(run);
    }
  }
}

std::vector<double> combined(double a, const std::vector<double> &x, double b,
                             const std::vector<double> &z) {
  std::vector<double> out;
  for (size_t i = 0; i < x.size(); ++i)
    out.push_back(a * x[i] + b * z[i]);
  return out;
}

const std::vector<std::string> kOrdinary = {"a few long rows", "dense tiles"};

} // namespace

TEST_CASE("a product is linear in x") {
  forEach(kOrdinary, [](Run &run) {
    const std::vector<double> x = integers(vectorX, run.a.cols), z = integers(vectorZ, run.a.cols);
    const std::vector<double> none(static_cast<size_t>(run.a.rows), 0);
    const std::vector<double> ax = run.multiply(1, 0, x, none, 0),
                              az = run.multiply(1, 0, z, none, 1);
    CHECK(run.multiply(1, 0, combined(3, x, -2, z), none, 2) == combined(3, ax, -2, az));
  });
}

TEST_CASE("a product is linear in y") {
  forEach(kOrdinary, [](Run &run) {
    const std::vector<double> x = integers(vectorX, run.a.cols), y = integers(vectorY, run.a.rows);
    const std::vector<double> none(static_cast<size_t>(run.a.rows), 0);
    const std::vector<double> ax = run.multiply(5, 0, x, none, 0);
    CHECK(run.multiply(5, 3, x, y, 2) == combined(1, ax, 3, y));
  });
}

TEST_CASE("a unit vector gives a column of A") {
  forEach(kOrdinary, [](Run &run) {
    for (int64_t j : {int64_t(0), run.a.cols / 3, run.a.cols - 1}) {
      std::vector<double> unit(static_cast<size_t>(run.a.cols), 0);
      unit[static_cast<size_t>(j)] = 1;
      std::vector<double> column(static_cast<size_t>(run.a.rows), 0);
      const std::vector<double> none = column;
      for (size_t i = 0; i < column.size(); ++i)
        for (int32_t e = run.a.rowPtr[i]; e < run.a.rowPtr[i + 1]; ++e)
          column[i] += run.a.col[static_cast<size_t>(e)] == j ? run.own[static_cast<size_t>(e)] : 0;
      CHECK(run.multiply(1, 0, unit, none, 2) == column);
    }
  });
}

TEST_CASE("permuted rows permute the product") {
  // All values are 1, since the permuted entries would otherwise need permuted values.
  std::map<std::string, std::vector<double>> products;
  forEach({"odd sizes", "odd sizes, rows permuted"}, [&](Run &run) {
    run.setValues(std::vector<double>(static_cast<size_t>(run.a.nnz()), 1));
    const std::vector<double> none(static_cast<size_t>(run.a.rows), 0);
    std::vector<double> y = run.multiply(1, 0, integers(vectorX, run.a.cols), none, 2);
    if (!isNamed(run.a, "odd sizes"))
      std::reverse(y.begin(), y.end());
    const std::string key =
        std::string(run.test.format->name) + " " + nameOf(run.test.problem.type);
    const auto [it, isFirst] = products.emplace(key, y);
    CHECK((isFirst || it->second == y));
  });
  CHECK(!products.empty());
}
