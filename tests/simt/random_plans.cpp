// Draws matrices, problems, formats and parameters.
#include "tests/simt/random_plans.h"

#include "generator/rank.h"
#include "models/base/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace specmv::simt {
namespace {

// A sequence of random numbers of one seed.
class Dice {
public:
  explicit Dice(uint64_t seed) : random_(seed, Drawn::values, 0) {}
  int64_t below(int64_t bound) { return random_.below(bound); }
  bool chance(int64_t of) { return below(of) == 0; }
  template <class T, size_t n> const T &pick(const T (&from)[n]) {
    return from[below(static_cast<int64_t>(n))];
  }

private:
  Random random_;
};

// The length of a row: equal, uniform, mostly empty, or a power law with a few long rows.
int64_t drawLength(Dice &dice, int64_t shape, int64_t typical, int64_t cols) {
  int64_t length = typical;
  if (shape == 1)
    length = dice.below(2 * typical + 1);
  if (shape == 2)
    length = dice.chance(5) ? dice.below(4 * typical + 1) : 0;
  if (shape == 3)
    length = typical * (1 + dice.below(20)) / (1 + dice.below(20));
  return std::min(length, cols);
}

// Columns anywhere, near the diagonal, or in runs; unsorted and repeated if `messy`.
std::vector<int32_t> drawRow(Dice &dice, int64_t row, int64_t length, int64_t cols, int64_t pattern,
                             bool messy) {
  std::vector<int32_t> out;
  int64_t column = dice.below(std::max<int64_t>(1, cols));
  for (int64_t k = 0; k < length; ++k) {
    if (pattern == 0)
      column = dice.below(cols);
    if (pattern == 1)
      column = row - length / 2 + k;
    if (pattern == 2)
      column = k % 4 == 0 ? dice.below(cols) : column + 1;
    out.push_back(static_cast<int32_t>(((column % cols) + cols) % cols));
  }
  if (!messy) {
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
  return out;
}

constexpr double kNumbers[] = {0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 31, 32, 64, 128, 256, 1024};
constexpr double kRatios[] = {0.05, 0.25, 0.5, 0.9, 1, 2};

Fixed drawFixed(Dice &dice, const Format &format) {
  Fixed fixed;
  for (const Parameter &parameter : format.parameters)
    if (findSettable(format.parameters, parameter.name) == &parameter && dice.chance(2))
      fixed.emplace_back(parameter.name, parameter.isOptional ? static_cast<double>(dice.chance(2))
                                         : parameter.isReal   ? dice.pick(kRatios)
                                                              : dice.pick(kNumbers));
  return fixed;
}

// Draws a plan for the matrix, by any format that has kernels; none if the drawn parameters do not
// apply.
std::vector<RandomPlan> drawPlan(Dice &dice, uint64_t matrixSeed, const GpuModel &gpu) {
  const TestMatrix a = randomMatrix(matrixSeed);
  const SparsityProfile seen = profile(a.view(ValueType::f64, nullptr));
  const Problem problem{dice.chance(2) ? ValueType::f32 : ValueType::f64, !dice.chance(3)};
  const Format &format =
      formats()[static_cast<size_t>(dice.below(static_cast<int64_t>(formats().size())))];
  const Fixed fixed = drawFixed(dice, format);
  const PlanRequest request{seen, problem, gpu, fixed};
  const std::vector<Candidate> offered = priced(offerOf(format, request), request);
  if (offered.empty())
    return {};
  const Plan &plan =
      offered[static_cast<size_t>(dice.below(static_cast<int64_t>(offered.size())))].plan;
  std::string source = format.source(plan, problem).text;
  if (source.empty())
    return {};
  return {{&format, problem, plan, std::move(source), matrixSeed}};
}

} // namespace

uint64_t randomSetting(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  if (!text || !*text)
    return otherwise;
  char *end = nullptr;
  const uint64_t value = std::strtoull(text, &end, 10);
  if (*end == 0)
    return value;
  std::fprintf(stderr, "error: %s = '%s' is not a number\n", name, text);
  std::exit(2);
}

TestMatrix randomMatrix(uint64_t seed) {
  Dice dice(seed);
  TestMatrix a{"random " + std::to_string(seed),
               1 + dice.below(400),
               1 + dice.below(400),
               {0},
               {},
               dice.chance(8)};
  if (dice.chance(3))
    a.cols = a.rows;
  const int64_t shape = dice.below(4), pattern = dice.below(3);
  const int64_t typical = 1 + dice.below(dice.chance(4) ? 60 : 12);
  const bool messy = dice.chance(3);
  for (int64_t row = 0; row < a.rows; ++row) {
    const int64_t length =
        row == a.rows / 2 && dice.chance(4) ? a.cols : drawLength(dice, shape, typical, a.cols);
    const std::vector<int32_t> columns = drawRow(dice, row, length, a.cols, pattern, messy);
    a.col.insert(a.col.end(), columns.begin(), columns.end());
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  return a;
}

std::vector<RandomPlan> randomPlans() {
  const GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  const uint64_t seed = randomSetting("SPECMV_RANDOM_SEED", 0);
  const size_t count = randomSetting("SPECMV_RANDOM_PLANS", 48);
  std::vector<RandomPlan> out;
  for (uint64_t i = 0; out.size() < count; ++i) {
    const uint64_t matrixSeed = (seed << 32) + i;
    Dice dice(~matrixSeed);
    for (RandomPlan &plan : drawPlan(dice, matrixSeed, gpu))
      out.push_back(std::move(plan));
  }
  return out;
}

} // namespace specmv::simt
