// Makes matrices of several tiles, several blocks and more rows than a block has, and their plans.
#include "tests/simt/edge_cases.h"

#include "models/base/numbers.h"
#include "templates/profile/column_features.cuh"

#include <algorithm>

namespace specmv::simt {

namespace {

using Columns = std::vector<int32_t>;

template <class F>
TestMatrix edgeMatrixOf(const char *name, int64_t rows, int64_t cols, F &&rowOf) {
  TestMatrix a{name, rows, cols, {0}, {}, false};
  for (int64_t i = 0; i < rows; ++i) {
    const Columns row = rowOf(i);
    a.col.insert(a.col.end(), row.begin(), row.end());
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  return a;
}

// With 64 columns a tile has so many batches that a block begins within a row and goes on to the
// next tile: no block takes a small part of a tile.
TestMatrix acrossTiles() {
  return edgeMatrixOf("rows across tiles and blocks", 600, 200, [](int64_t i) {
    Columns row;
    Random random(11, Drawn::values, i);
    for (int32_t c = 0; c < 200; ++c)
      if (random.below(i % 9 == 4 ? 2 : 8) == 0)
        row.push_back(c);
    return row;
  });
}

// Diagonals of which the first rows lack some entries, and the rows behind them none, but for those
// of the last threads: the rows of one thread lie a block apart.
TestMatrix holesInFirstRows() {
  return edgeMatrixOf("holes in the first rows", 1100, 1130, [](int64_t i) {
    Columns row;
    for (int64_t offset : {-33, 0, 1, 30})
      if (i + offset >= 0 && i + offset < 1130 && (i >= 90 || (i + offset) % 5 != 2))
        row.push_back(static_cast<int32_t>(i + offset));
    return row;
  });
}

// More columns than are listed have as many entries as are counted.
TestMatrix equallyHot() {
  return edgeMatrixOf("equally hot columns", kMostCountedDegree + 40, 13, [](int64_t i) {
    Columns row;
    for (int32_t c = 0; c < 13; ++c)
      if (c != 5 || i % 7 == 0)
        row.push_back(c);
    return row;
  });
}

struct EdgePlan {
  size_t matrix; // of edgeMatrices()
  const char *format;
  Fixed fixed;
};

const std::vector<EdgePlan> &edgePlans() {
  static const std::vector<EdgePlan> plans = {
      {0, "ctile", {{"ctile.columns", 64}, {"ctile.threads", 32}, {"ctile.blocks", 3}}},
      {0, "ctile", {{"ctile.columns", 64}, {"ctile.threads", 128}, {"ctile.blocks", 5}}},
      {1, "dia", {{"dia.rows", 2}}},
      {1, "dia", {{"dia.rows", 4}}},
      {2, "csr5-hot", {{"csr5.hot", 6}}},
  };
  return plans;
}

constexpr Problem kEdgeProblems[] = {{ValueType::f64, true}, {ValueType::f32, true}};

} // namespace

std::vector<TestMatrix> edgeMatrices() { return {acrossTiles(), holesInFirstRows(), equallyHot()}; }

std::vector<TestCase> edgeCases(const std::vector<TestMatrix> &matrices) {
  const GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  std::vector<SparsityProfile> seen;
  seen.reserve(matrices.size());
  for (const TestMatrix &a : matrices)
    seen.push_back(profile(a.view(ValueType::f64, nullptr)));
  std::vector<TestCase> out;
  for (const EdgePlan &edge : edgePlans())
    for (const Problem &problem : kEdgeProblems) {
      if (!isListed("SPECMV_SIMT_FORMATS", edge.format))
        continue;
      const Format &format = *findFormat(edge.format);
      const Offer offer = offerOf(format, {seen[edge.matrix], problem, gpu, edge.fixed});
      for (const Plan &plan : offer.plans) {
        out.push_back({&format, &matrices[edge.matrix], problem, {plan, false}, ""});
        out.back().source = format.source(plan, problem).text;
      }
    }
  return out;
}

} // namespace specmv::simt
