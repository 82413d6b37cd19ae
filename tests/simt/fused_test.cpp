// Tests fused steps on the host executor: every format that can run their statements gives the
// vectors and sums that the statements say, with the same bits in every order of the blocks.
#include "generator/fusion/step.h"
#include "tests/generator/fusion_texts.h"
#include "tests/simt/fused_cases.h"
#include "tests/simt/run.h"

#include <algorithm>
#include <cmath>

using namespace specmv;
using namespace specmv::simt;
using namespace specmv::testing;

namespace {

using Vectors = std::vector<std::vector<double>>;

// The vectors of a step, and what it computes of them: integers, so that all sums are exact.
struct StepRun {
  Vectors vectors;
  std::vector<double> scalars, sums;
};

StepRun inputOf(const FusedCase &test, bool isExact) {
  const int64_t length = std::max(test.matrix->rows, test.matrix->cols);
  StepRun out;
  for (size_t k = 0; k < test.fusion().vectors.size(); ++k) {
    const auto stream = static_cast<Stream>(40 + k);
    out.vectors.push_back(isExact ? integers(stream, length)
                                  : reals(stream, length, ValueType::f64));
  }
  out.scalars = {3, -2, 5};
  out.scalars.resize(test.fusion().scalars.size() + test.fusion().gpuScalars.size());
  out.sums.assign(test.fusion().sums.size(), std::nan(""));
  return out;
}

// A x by the entries.
std::vector<double> multiplied(const TestMatrix &a, const std::vector<double> &values,
                               const std::vector<double> &x) {
  std::vector<double> out(static_cast<size_t>(a.rows));
  for (size_t i = 0; i < out.size(); ++i)
    for (auto e = static_cast<size_t>(a.rowPtr[i]); e < static_cast<size_t>(a.rowPtr[i + 1]); ++e)
      out[i] += values[e] * x[static_cast<size_t>(a.col[e])];
  return out;
}

// These functions do what the steps of fusion_texts.h say.
void expectProduct(const std::vector<double> &ax, StepRun &run) {
  run.sums = {0, 0};
  for (size_t i = 0; i < ax.size(); ++i) {
    run.vectors[1][i] = ax[i];
    run.sums[0] += run.vectors[0][i] * ax[i];
    run.sums[1] += ax[i] * ax[i];
  }
}
void expectExpression(const std::vector<double> &ax, StepRun &run) {
  const double alpha = run.scalars[0], scale = run.scalars[1], beta = run.scalars[2];
  run.sums = {0};
  for (size_t i = 0; i < ax.size(); ++i) {
    const double r = run.vectors[0][i], p = run.vectors[1][i], next = r + beta * p;
    run.vectors[4][i] += i % 2 == 0 ? alpha * p : -p;
    run.vectors[2][i] = next;
    run.vectors[3][i] = scale * ax[i];
    run.sums[0] += next * ax[i];
  }
}
void expectWithoutSums(const std::vector<double> &ax, StepRun &run) {
  for (size_t i = 0; i < ax.size(); ++i)
    run.vectors[1][i] += ax[i];
}
void expectSums(const std::vector<double> &ax, StepRun &run) {
  run.sums = {0, static_cast<double>(ax.size())};
  for (const double value : ax)
    run.sums[0] += value * value;
}
void expectHiddenNames(const std::vector<double> &ax, StepRun &run) {
  run.sums = {0};
  for (size_t i = 0; i < ax.size(); ++i) {
    run.vectors[1][i] = run.scalars[1] * ax[i] + run.scalars[0];
    run.sums[0] += run.vectors[1][i];
  }
}

std::vector<double> multipliedBy(const FusedCase &test, const StepRun &run) {
  if (!test.fusion().hasExpression())
    return run.vectors[0];
  std::vector<double> x = run.vectors[0];
  for (size_t j = 0; j < x.size(); ++j)
    x[j] += run.scalars[2] * run.vectors[1][j];
  return x;
}

StepRun expected(const FusedCase &test, StepRun run) {
  const std::vector<double> ax =
      multiplied(*test.matrix, integerValues(*test.matrix), multipliedBy(test, run));
  const Fusion *const fusion = test.problem.fusion;
  (fusion == &stepOfProduct()       ? expectProduct
   : fusion == &stepOfExpression()  ? expectExpression
   : fusion == &stepOfSums()        ? expectSums
   : fusion == &stepOfHiddenNames() ? expectHiddenNames
                                    : expectWithoutSums)(ax, run);
  return run;
}

// The layout of a case, its steps, and the executor's memory.
class FusedRun {
public:
  explicit FusedRun(const FusedCase &test)
      : test_(test), layout_(packed(test)), steps_(stepsOf(test, layout_)) {
    addSums(steps_, layout_, test.problem);
  }

  StepRun run(StepRun run, unsigned seed) {
    if (!loaded_)
      loaded_.emplace(layout_, test_.matrix->rows, lengthOfX(), test_.problem);
    Product product{
        .x = xOf(run), .vectors = std::move(run.vectors), .scalars = run.scalars, .sums = run.sums};
    product.y.resize(static_cast<size_t>(test_.matrix->rows));
    const std::string finding = loaded_->multiply(steps_, hashOf(test_.source), product, seed);
    CHECK_MESSAGE(finding.empty(), finding, ", seed ", seed);
    return {std::move(product.vectors), std::move(product.scalars), std::move(product.sums)};
  }

private:
  static Layout packed(const FusedCase &test) {
    Layout none;
    if (!test.format)
      return none;
    return withView(
        *test.matrix, ValueType::f64, integerValues(*test.matrix), [&](const CsrView &a) {
          return llvm::cantFail(test.format->layout(a, test.plan, {.type = test.problem.type}));
        });
  }
  static Steps stepsOf(const FusedCase &test, const Layout &layout) {
    return test.format ? test.format->steps(test.plan, test.problem, layout)
                       : stepSteps(test.problem, test.matrix->rows);
  }
  // A step alone reads A x.
  int64_t lengthOfX() const { return test_.format ? test_.matrix->cols : test_.matrix->rows; }
  std::vector<double> xOf(const StepRun &run) const {
    std::vector<double> out = test_.format ? run.vectors[0]
                                           : multiplied(*test_.matrix, integerValues(*test_.matrix),
                                                        multipliedBy(test_, run));
    out.resize(static_cast<size_t>(lengthOfX()));
    return out;
  }

  const FusedCase &test_;
  Layout layout_;
  Steps steps_;
  std::optional<Loaded> loaded_;
};

void checkStep(const StepRun &got, const StepRun &wanted) {
  for (size_t k = 0; k < wanted.vectors.size(); ++k)
    CHECK_MESSAGE(got.vectors[k] == wanted.vectors[k], "vector ", k);
  CHECK(got.sums == wanted.sums);
}

} // namespace

TEST_CASE("formats that fuse run a step's statements for each row, and its sums are exact") {
  size_t products = 0;
  for (const FusedCase &test : fusedCases()) {
    INFO(test.name());
    FusedRun run(test);
    const StepRun exact = inputOf(test, true), wanted = expected(test, exact);
    for (unsigned seed = 0; seed < 4; ++seed)
      checkStep(run.run(exact, seed), wanted);
    const StepRun real = inputOf(test, false), first = run.run(real, 0);
    for (unsigned seed = 1; seed < 4; ++seed)
      checkStep(run.run(real, seed), first);
    products += test.format != nullptr;
  }
  CHECK(products >= 100);
}
