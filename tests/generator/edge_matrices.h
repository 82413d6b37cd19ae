// Matrices at the limits of the formats' assumptions, values for them whose sums are exact, and the
// plans that formats offer.
#pragma once

#include "generator/rank.h"
#include "models/gpu.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace specmv::testing {

using Row = std::vector<int32_t>;

// Unlike a matrix from a file, the result may have columns that descend or repeat.
inline CsrMatrix matrixOf(const char *name, int64_t rows, int64_t cols,
                          const std::function<Row(int64_t)> &columns) {
  CsrMatrix a;
  a.name = name;
  a.rows = rows;
  a.cols = cols;
  for (int64_t i = 0; i < rows; ++i) {
    const Row row = columns(i);
    a.col.insert(a.col.end(), row.begin(), row.end());
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  return a;
}

// `count` columns from `first` on, `step` apart.
inline Row run(int64_t first, int64_t count, int64_t step = 1) {
  Row row;
  for (int64_t k = 0; k < count; ++k)
    row.push_back(static_cast<int32_t>(first + k * step));
  return row;
}

// Makes rows with `length` entries each, from the diagonal on.
inline CsrMatrix evenMatrix(int64_t rows, int64_t length) {
  return matrixOf("even", rows, rows + length, [=](int64_t i) { return run(i, length); });
}

inline Row scattered(int64_t i, int64_t count, int64_t cols) {
  std::mt19937 random(static_cast<unsigned>(i + 1));
  std::set<int32_t> row;
  while (static_cast<int64_t>(row.size()) < std::min(count, cols))
    row.insert(static_cast<int32_t>(random() % static_cast<uint64_t>(cols)));
  return {row.begin(), row.end()};
}

// Five diagonals; most rows lack an entry of one, some repeat one, and some descend.
inline Row stencilRow(int64_t i, int64_t rows, int64_t cols) {
  Row row;
  for (int64_t offset : {-17, -1, 0, 1, 17})
    if (i + offset >= 0 && i + offset < cols && (i % 17 != 0 || offset != -1))
      row.push_back(static_cast<int32_t>(i + offset));
  if (i % 5 == 2 && !row.empty())
    row.erase(row.begin() + i % static_cast<int64_t>(row.size()));
  if (i == rows / 2)
    row.push_back(row.front());
  if (i % 3 == 1)
    std::reverse(row.begin(), row.end());
  return row;
}

inline std::vector<CsrMatrix> edgeMatrices() {
  auto none = [](int64_t) { return Row{}; };
  return {
      matrixOf("0x0", 0, 0, none),
      matrixOf("no rows", 0, 9, none),
      matrixOf("no columns", 9, 0, none),
      matrixOf("all rows empty", 70, 50, none),
      matrixOf("1x1", 1, 1, [](int64_t) { return Row{0}; }),
      matrixOf("1xn", 1, 333, [](int64_t) { return run(0, 333); }),
      matrixOf("nx1", 203, 1, [](int64_t) { return Row{0}; }),
      matrixOf("last corner", 999, 1001, [](int64_t i) { return i == 998 ? Row{1000} : Row{}; }),
      matrixOf("one dense row", 300, 600,
               [](int64_t i) { return i == 151 ? run(0, 600) : scattered(i, 2, 600); }),
      matrixOf("dense", 70, 70, [](int64_t) { return run(0, 70); }),
      matrixOf(
          "dense blocks", 300, 300,
          [](int64_t i) { return run(i / 64 * 64, std::min<int64_t>(64, 300 - i / 64 * 64)); }),
      matrixOf("full 2 x 3 blocks", 150, 240,
               [](int64_t i) {
                 Row row;
                 for (int32_t block : scattered(i / 2, i / 2 % 9, 80))
                   row.insert(row.end(), {3 * block, 3 * block + 1, 3 * block + 2});
                 return row;
               }),
      matrixOf("band", 517, 517,
               [](int64_t i) { return run(std::max<int64_t>(0, i - 3), i < 3 ? i + 1 : 4); }),
      matrixOf("diagonals with holes", 517, 509, [](int64_t i) { return stencilRow(i, 517, 509); }),
      matrixOf("lengths of 0 to 33", 242, 200, [](int64_t i) { return scattered(i, i % 34, 200); }),
      matrixOf("descending and repeated columns", 130, 130,
               [](int64_t i) {
                 Row row = scattered(i, 3 + i % 9, 130);
                 row.insert(row.end(), {row[0], row[1], row[0]});
                 std::reverse(row.begin(), row.end());
                 return row;
               }),
      matrixOf("repeated columns in a dense block", 40, 64,
               [](int64_t i) {
                 Row row = run(0, 64);
                 row.insert(row.end(), {5, static_cast<int32_t>(i), 5});
                 return row;
               }),
  };
}

// A matrix's arrays with 64-bit indices, which can have any number of columns.
struct WideMatrix {
  int64_t rows, cols;
  std::vector<int64_t> rowPtr, col;
  explicit WideMatrix(const CsrMatrix &a)
      : rows(a.rows), cols(a.cols), rowPtr(a.rowPtr.begin(), a.rowPtr.end()),
        col(a.col.begin(), a.col.end()) {}
  CsrView view() const {
    return {rows,           cols,           static_cast<int64_t>(col.size()),
            IndexType::i64, ValueType::f64, rowPtr.data(),
            col.data(),     nullptr};
  }
};

// A pattern with values of a type: integers from -125 to 125 without 0, so that all sums in the
// tests are exact in float too.
class Valued {
public:
  Valued(const CsrView &a, ValueType type, int64_t seed) : view_(a) {
    for (int64_t e = 0; e < a.nnz; ++e) {
      const int64_t drawn = (e * 7919 + seed * 104729) % 250;
      f64_.push_back(static_cast<double>(drawn < 125 ? drawn - 125 : drawn - 124));
    }
    f32_.assign(f64_.begin(), f64_.end());
    view_.valueType = type;
  }
  CsrView view() const {
    CsrView out = view_;
    out.val = view_.valueType == ValueType::f32 ? static_cast<const void *>(f32_.data())
                                                : static_cast<const void *>(f64_.data());
    return out;
  }
  double operator[](int64_t e) const { return f64_[static_cast<size_t>(e)]; }

private:
  CsrView view_;
  std::vector<double> f64_;
  std::vector<float> f32_;
};

inline const GpuModel &h200() {
  static const GpuModel model = llvm::cantFail(loadGpuModel("h200"));
  return model;
}

// Returns the offer with only those plans that are kept after pricing, best first if the format
// keeps a shortlist.
inline Offer shortened(Offer offer, const PlanRequest &request) {
  std::vector<Plan> kept;
  for (Candidate &candidate : priced(offer, request))
    kept.push_back(std::move(candidate.plan));
  offer.plans = std::move(kept);
  return offer;
}

// Returns the traffic of a product by the plan on a matrix with this profile.
inline Traffic trafficOf(const SparsityProfile &seen, const Plan &plan,
                         const Problem &problem = {}) {
  const Fixed none;
  return findFormat(plan.format)->traffic({seen, problem, h200(), none}, plan);
}
inline Traffic trafficOf(const CsrMatrix &a, const Plan &plan, const Problem &problem = {}) {
  return trafficOf(profile(a.view()), plan, problem);
}

struct FormatPlan {
  const Format *format;
  Plan plan;
};

// Fixed numbers that make small matrices get plans of every kind.
inline const std::vector<Fixed> &fixedSets() {
  static const std::vector<Fixed> sets = {
      {},
      {{"hyb.k", 0}, {"sell.slice", 8}, {"sell.lanes", 1}},
      {{"hyb.k", 2}, {"sell.slice", 2}, {"sell.sigma", 1024}},
      {{"qcsr.d", 16}, {"sell.slice", 128}, {"sell.sigma", 16384}},
      {{"dia.rows", 4}, {"bcsr.r", 3}, {"bcsr.lanes", 1}},
      {{"bcsr.r", 8}, {"bcsr.c", 8}, {"bcsr.lanes", 2}},
      {{"bcsr.r", 2}, {"bcsr.c", 3}, {"bcsr.lanes", 32}},
      {{"qcsr.d", 64}, {"qcsr.fill", 0.1}},
      {{"qcsr.d", 512}, {"qcsr.align", 16}, {"qcsr.lanes", 4}},
      {{"csr5.omega", 8}, {"csr5.sigma", 1}},
      {{"qcsr.d", 64}, {"qcsr.align", 1}, {"qcsr.stage", 1}},
      {{"qcsr.d", 32}, {"qcsr.slices", 1}, {"qcsr.stage", 0}, {"qcsr.rows", 128}},
      {{"qcsr.d", 128}, {"qcsr.slices", 1}, {"qcsr.stage", 1}, {"qcsr.rows", 512}},
  };
  return sets;
}

// All plans that are offered for a matrix under any of these fixed numbers, each once.
inline std::vector<FormatPlan> plansOf(const CsrView &a, const Problem &problem,
                                       const std::vector<Fixed> &sets = fixedSets()) {
  const SparsityProfile seen = profile(a);
  std::vector<FormatPlan> out;
  std::set<std::string> texts;
  for (const Fixed &fixed : sets) {
    const PlanRequest request{seen, problem, h200(), fixed};
    for (const Offer &offer : llvm::cantFail(offers(request, {})))
      for (Plan &plan : shortened(offer, request).plans)
        if (texts.insert(plan.text()).second)
          out.push_back({offer.format, std::move(plan)});
  }
  return out;
}

constexpr ValueType kTypes[] = {ValueType::f32, ValueType::f64};

} // namespace specmv::testing
