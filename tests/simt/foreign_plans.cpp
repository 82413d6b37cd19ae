// Mutates the plans that formats offer for a few matrices, and keeps those that their layout()
// accepts.
#include "tests/simt/foreign_plans.h"

#include "generator/formats/csr_merge/layout.h"
#include "generator/formats/sell/layout.h"
#include "generator/rank.h"
#include "models/base/error.h"
#include "tests/generator/mutants.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>
#include <set>

namespace specmv::simt {
namespace {

TestMatrix matrixOf(const char *name, int64_t rows, int64_t cols,
                    const std::function<void(int64_t, std::vector<int32_t> &)> &addRow) {
  TestMatrix a{name, rows, cols, {0}, {}, false};
  for (int64_t i = 0; i < rows; ++i) {
    addRow(i, a.col);
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  return a;
}

void addRun(std::vector<int32_t> &col, int64_t first, int64_t count) {
  for (int64_t k = 0; k < count; ++k)
    col.push_back(static_cast<int32_t>(first + k));
}

// Parameters that lead to plans other than those offered first.
const std::vector<Fixed> &settings() {
  static const std::vector<Fixed> sets = {
      {},
      {{"hyb.k", 3}, {"bcsr.r", 2}, {"bcsr.c", 8}, {"qcsr.d", 16}, {"qcsr.fill", 0.9}},
      {{"qcsr.slices", 1}, {"qcsr.d", 32}, {"bcsr.r", 4}, {"bcsr.c", 4}, {"sell.sigma", 64}}};
  return sets;
}

Fixed settingsOf(const Format &format, const Fixed &all) {
  Fixed own;
  for (const auto &[name, value] : all)
    if (findSettable(format.parameters, name))
      own.emplace_back(name, value);
  return own;
}

// Adds the case if the matrix's layout() accepts it, and returns true if it did.
bool keepIfTaken(TestCase test, std::vector<TestCase> &out) {
  const std::vector<double> ones(static_cast<size_t>(test.matrix->nnz()), 1);
  auto layout = test.format->layout(test.matrix->view(ValueType::f64, ones.data()), test.plan.plan,
                                    test.problem);
  if (!layout) {
    llvm::consumeError(layout.takeError());
    return false;
  }
  test.source = test.format->source(test.plan.plan, test.problem).text;
  out.push_back(std::move(test));
  return true;
}

// Returns true if the plans differ in the shape of blocks or the width of indices: each number
// makes a separate kernel, and no layout relies on them. One of these per format is enough.
bool isResized(const Plan &mutant, const Plan &offered) {
  static constexpr IntegerKey kSizes[] = {key::kBlock, key::kOffset, key::kColumn,
                                          key::kSellBlocksPerSm, key::kMergeThreads};
  return llvm::any_of(kSizes,
                      [&](IntegerKey key) { return mutant.get(key, -1) != offered.get(key, -1); });
}

} // namespace

std::vector<TestMatrix> foreignMatrices() {
  std::vector<TestMatrix> out;
  out.push_back(matrixOf("blocks and a long row", 70, 150, [](int64_t i, auto &col) {
    i == 33 ? addRun(col, 0, 150) : addRun(col, i / 16 * 16, 16);
  }));
  out.push_back(
      matrixOf("full blocks", 64, 64, [](int64_t i, auto &col) { addRun(col, i / 8 * 8, 8); }));
  out.push_back(matrixOf("stencil with holes and empty rows", 70, 70, [](int64_t i, auto &col) {
    for (int64_t column : {i - 17, i - 1, i, i + 1, i + 17})
      if (column >= 0 && column < 70 && i % 9 != 4 && (column + i) % 5 != 0)
        col.push_back(static_cast<int32_t>(column));
  }));
  out.push_back(
      matrixOf("three diagonals", 96, 98, [](int64_t i, auto &col) { addRun(col, i, 3); }));
  return out;
}

std::vector<TestCase> foreignCases(const std::vector<TestMatrix> &matrices) {
  const GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  const Problem problem{ValueType::f64, true};
  Turns turns;
  std::vector<TestCase> out;
  for (const TestMatrix &matrix : matrices) {
    const SparsityProfile seen = profile(matrix.view(ValueType::f64, nullptr));
    std::set<std::string> texts, resized;
    for (const Format &format : formats())
      for (const Fixed &fixed : settings()) {
        const Fixed own = settingsOf(format, fixed);
        const PlanRequest request{seen, problem, gpu, own};
        const auto offered =
            format.library ? std::vector<Candidate>{} : priced(offerOf(format, request), request);
        if (offered.empty())
          continue;
        const Plan &first = offered.front().plan;
        for (const Plan &mutant : testing::mutantsOf(first)) {
          const bool isSize = isResized(mutant, first);
          if ((isSize && resized.contains(format.name)) || !texts.insert(mutant.text()).second)
            continue;
          if (!fixed.empty() && !turns.has(format.name)) // many alike
            continue;
          if (keepIfTaken({&format, &matrix, problem, {mutant, false}, ""}, out) && isSize)
            resized.insert(format.name);
        }
      }
  }
  return out;
}

} // namespace specmv::simt
