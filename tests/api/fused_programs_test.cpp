// Tests that the steps of PDHG and PageRank of specmv_fused.h do what their comments say: their
// texts, as functions on the host, find the known optimum of linear programs, and ranks.
#include "tests/api/fused_steps_testing.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

using namespace fusedtest;

// --- Linear programs by PDHG ---

namespace {

constexpr real kInfinity = std::numeric_limits<real>::infinity();

Sparse transposeOf(const Sparse &a) {
  Sparse out{a.rows()};
  for (size_t j = 0; j < a.cols; ++j) {
    for (size_t i = 0; i < a.rows(); ++i)
      for (size_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
        if (a.col[e] == j)
          out.add(i, a.val[e]);
    out.endRow();
  }
  return out;
}

// Minimize c x, where rows of A x are >= b, or = b where yLeast is not 0.
struct LinearProgram {
  Sparse a = {};
  Vector c = {}, low = {}, high = {}, b = {}, yLeast = {};
};

struct Optimum {
  Vector x, y;
  real cx = 0, by = 0, dx = 0, dy = 0;
};

// Restarts after each `period` iterations.
Optimum solveByPdhg(LinearProgram lp, int restarts, int period) {
  const Sparse transpose = transposeOf(lp.a);
  const size_t rows = lp.a.rows(), cols = lp.a.cols;
  Optimum out{Vector(cols), Vector(rows)};
  for (size_t j = 0; j < cols; ++j)
    out.x[j] = std::clamp(real(0), lp.low[j], lp.high[j]);
  Vector xBar(cols), xSum(cols), ySum(rows);
  real square = 0; // of the norm that is at least |A|
  for (const real v : lp.a.val)
    square += v * v;
  real tau = 0.9 / std::sqrt(square), sigma = tau, scale = real(1) / period;
  for (int restart = 0; restart < restarts; ++restart) {
    for (int k = 0; k < period; ++k) {
      steps::PDHG_PRIMAL(transpose, dataOf(out.y, out.x, xBar, xSum, lp.c, lp.low, lp.high),
                         {&tau, &out.dx, &out.cx});
      steps::PDHG_DUAL(lp.a, dataOf(xBar, out.y, ySum, lp.b, lp.yLeast),
                       {&sigma, &out.dy, &out.by});
    }
    steps::PDHG_RESTART(transpose, dataOf(out.x, xSum), {&scale});
    steps::PDHG_RESTART(lp.a, dataOf(out.y, ySum), {&scale});
  }
  return out;
}

// A program of which a solution is known: x and y are chosen, then c and b so that they belong
// together. Half of the rows are equations; some inequalities have slack, and some x lie at a
// bound.
struct KnownProgram {
  LinearProgram lp = {};
  Vector x = {}, y = {};
  real optimum = 0;
};
KnownProgram knownProgram(size_t rows, size_t cols) {
  KnownProgram out;
  LinearProgram &lp = out.lp;
  lp.a.cols = cols;
  const Vector numbers = someNumbers(rows * cols + rows + cols);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < cols; ++j)
      if ((i * 3 + j * 5) % 4 == 0 || i == j)
        lp.a.add(j, numbers[i * cols + j] - 0.8);
    lp.a.endRow();
    const bool isEquation = i % 2 == 0, hasSlack = i % 4 == 1;
    lp.yLeast.push_back(isEquation ? -kInfinity : 0);
    out.y.push_back(hasSlack ? 0 : isEquation && i % 3 == 0 ? -1 : numbers[i]);
  }
  for (size_t j = 0; j < cols; ++j) {
    out.x.push_back(j % 3 == 0 ? 0 : j % 3 == 1 ? 2 : numbers[j + 1]);
    lp.low.push_back(j % 6 == 2 ? -kInfinity : 0);
    lp.high.push_back(j % 3 == 1 ? 2 : kInfinity);
  }
  lp.b = times(lp.a, out.x);
  for (size_t i = 1; i < rows; i += 4)
    lp.b[i] -= 1;
  lp.c = times(transposeOf(lp.a), out.y); // and what a bound adds
  for (size_t j = 0; j < cols; ++j)
    lp.c[j] += j % 3 == 0 ? 0.5 : j % 3 == 1 ? -0.5 : 0;
  out.optimum = dotOf(lp.c, out.x);
  return out;
}

// Tells how far x is from its bounds and its rows.
real infeasibilityOf(const LinearProgram &lp, const Vector &x) {
  const Vector ax = times(lp.a, x);
  real worst = 0;
  for (size_t i = 0; i < ax.size(); ++i)
    worst = std::max(worst, lp.yLeast[i] == 0 ? lp.b[i] - ax[i] : std::fabs(lp.b[i] - ax[i]));
  for (size_t j = 0; j < x.size(); ++j)
    worst = std::max({worst, lp.low[j] - x[j], x[j] - lp.high[j]});
  return worst;
}

} // namespace

TEST_CASE("ready-made steps: restarted PDHG finds the optimum of linear programs") {
  const KnownProgram known = knownProgram(12, 18);
  CHECK(infeasibilityOf(known.lp, known.x) <= 1e-14);
  const Optimum found = solveByPdhg(known.lp, 150, 200);
  CHECK(dotOf(known.lp.c, found.x) == doctest::Approx(known.optimum).epsilon(1e-8));
  CHECK(infeasibilityOf(known.lp, found.x) <= 1e-8);
  // The sums are those of the last iteration before the restart.
  CHECK(found.cx == doctest::Approx(known.optimum).epsilon(1e-8));
  CHECK(found.dx <= 1e-16);
  CHECK(found.dy <= 1e-16);
}

TEST_CASE("ready-made steps: PDHG's dual objective is that of its primal one without bounds") {
  // Minimize x0 + 2 x1 where x0 + x1 >= 3, x0 - x1 = 1 and x >= 0: x = (2, 1), y = (1.5, -0.5).
  LinearProgram lp;
  lp.a.cols = 2;
  lp.a.add(0, 1), lp.a.add(1, 1), lp.a.endRow();
  lp.a.add(0, 1), lp.a.add(1, -1), lp.a.endRow();
  lp.c = {1, 2}, lp.low = {0, 0}, lp.high = {kInfinity, kInfinity};
  lp.b = {3, 1}, lp.yLeast = {0, -kInfinity};
  const Optimum found = solveByPdhg(lp, 40, 50);
  CHECK(normOf(minus(found.x, {2, 1})) <= 1e-10);
  CHECK(normOf(minus(found.y, {1.5, -0.5})) <= 1e-10);
  CHECK(found.cx == doctest::Approx(4).epsilon(1e-9));
  CHECK(found.by == doctest::Approx(4).epsilon(1e-9));
}

TEST_CASE("ready-made steps: a restart takes the averages and begins new ones") {
  Sparse a{3};
  a.rowPtr.assign(4, 0);
  Vector x{9, 9, 9}, xSum{2, 4, 6};
  real scale = 0.5;
  steps::PDHG_RESTART(a, dataOf(x, xSum), {&scale});
  CHECK(x == Vector{1, 2, 3});
  CHECK(xSum == Vector{0, 0, 0});
}

// --- PageRank ---

TEST_CASE("ready-made steps: ranks add up to 1 and become those of the links") {
  // Page j links to the pages i for which this holds; each tenth page has no links.
  constexpr size_t kPages = 200;
  const auto hasLink = [](size_t j, size_t i) {
    return j % 10 != 0 && i != j && (i * i + 3 * j) % 23 < (i < 20 ? 6 : 1);
  };
  Vector links(kPages), isEnd(kPages);
  for (size_t j = 0; j < kPages; ++j) {
    for (size_t i = 0; i < kPages; ++i)
      links[j] += hasLink(j, i) ? 1 : 0;
    isEnd[j] = links[j] == 0 ? 1 : 0;
  }
  Sparse a{kPages};
  for (size_t i = 0; i < kPages; ++i) {
    for (size_t j = 0; j < kPages; ++j)
      if (hasLink(j, i))
        a.add(j, 1 / links[j]);
    a.endRow();
  }
  real damping = 0.85, pages = kPages, endsNew = 0, change = 0, before = 2;
  Vector rank(kPages, 1 / pages), next(kPages);
  real ends = dotOf(isEnd, rank);
  for (int k = 0; k < 220; ++k) {
    steps::PAGERANK(a, dataOf(rank, next, isEnd), {&damping, &pages, &ends, &endsNew, &change});
    CHECK(std::accumulate(next.begin(), next.end(), 0.0) == doctest::Approx(1).epsilon(1e-13));
    CHECK(change <= damping * before + 1e-15);
    std::swap(rank, next);
    std::swap(ends, endsNew);
    before = change;
  }
  CHECK(change <= 1e-14);
  // The equation of the ranks.
  const Vector ax = times(a, rank);
  for (size_t i = 0; i < kPages; ++i)
    CHECK(rank[i] ==
          doctest::Approx(damping * (ax[i] + dotOf(isEnd, rank) / pages) + (1 - damping) / pages)
              .epsilon(1e-12));
  CHECK(*std::max_element(rank.begin(), rank.end()) > 2 / pages);
}
