// Tests of the unseen families that are exact: states, grids and lattices, by brute force.
#include "tests/models/lab/families/families_testing.h"

#include <doctest/doctest.h>

#include <array>
#include <bit>

using namespace familytest;

namespace {

// The Hamiltonian's pattern over the states in ascending order, from all pairs of states.
Dense spinChain(int sites, int up) {
  std::vector<unsigned> states;
  for (unsigned state = 0; state < 1U << sites; ++state)
    if (up == sites || std::popcount(state) == up)
      states.push_back(state);
  Dense d(states.size(), std::vector<double>(states.size()));
  for (size_t i = 0; i < states.size(); ++i)
    for (size_t j = 0; j < states.size(); ++j) {
      const unsigned changed = states[i] ^ states[j];
      bool isExchange = changed == 0;
      for (int site = 0; site < sites && sites > 1; ++site) {
        const unsigned pair = 1U << site | 1U << (site + 1) % sites;
        isExchange = isExchange || (changed == pair && std::popcount(states[i] & pair) == 1);
      }
      d[i][j] = isExchange;
    }
  return d;
}

using Point = std::array<int, 3>;

std::vector<Point> gridPoints(int nx, int ny, int nz) {
  std::vector<Point> points;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        points.push_back({x, y, z});
  return points;
}

// A fine point takes the coarse ones that are at most one fine step away along each axis.
Dense prolongation(int nx, int ny, int nz) {
  const auto fine = gridPoints(2 * nx - 1, 2 * ny - 1, 2 * nz - 1), coarse = gridPoints(nx, ny, nz);
  Dense d(fine.size(), std::vector<double>(coarse.size()));
  for (size_t i = 0; i < fine.size(); ++i)
    for (size_t j = 0; j < coarse.size(); ++j) {
      bool isNear = true;
      for (size_t axis = 0; axis < 3; ++axis)
        isNear = isNear && std::abs(fine[i][axis] - 2 * coarse[j][axis]) <= 1;
      d[i][j] = isNear;
    }
  return d;
}

Dense transposed(const Dense &a) {
  Dense t(a.front().size(), std::vector<double>(a.size()));
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < t.size(); ++j)
      t[j][i] = a[i][j];
  return t;
}

// The unknowns of Stokes' equations at their places, in halves of a cell: faces lie between the
// middles of two cells.
Dense stokes(int nx, int ny, int nz) {
  struct Unknown {
    size_t kind; // the axis of a face; 3: a pressure
    Point at;
  };
  std::vector<Unknown> unknowns;
  for (size_t kind = 0; kind < 4; ++kind)
    for (const auto &[x, y, z] : gridPoints(nx - (kind == 0), ny - (kind == 1), nz - (kind == 2))) {
      Point at{2 * x, 2 * y, 2 * z};
      if (kind < 3)
        ++at[kind];
      unknowns.push_back({kind, at});
    }
  Dense d(unknowns.size(), std::vector<double>(unknowns.size()));
  for (size_t i = 0; i < unknowns.size(); ++i)
    for (size_t j = 0; j < unknowns.size(); ++j) {
      const auto &[a, p] = unknowns[i];
      const auto &[b, q] = unknowns[j];
      const int apart = std::abs(p[0] - q[0]) + std::abs(p[1] - q[1]) + std::abs(p[2] - q[2]);
      d[i][j] = a == b ? a < 3 && apart <= 2 : std::max(a, b) == 3 && apart == 1;
    }
  return d;
}

// The transitions between all pairs of states of queues in a row.
Dense queues(int stations, int room) {
  std::vector<std::vector<int>> states{{}};
  for (int i = 0; i < stations; ++i) { // the last station varies slowest
    std::vector<std::vector<int>> longer;
    for (int customers = 0; customers <= room + i; ++customers)
      for (std::vector<int> state : states) {
        state.push_back(customers);
        longer.push_back(state);
      }
    states = longer;
  }
  const auto step = [&](std::vector<int> state, int from, int to) {
    if (from >= 0)
      --state[size_t(from)];
    if (to < stations)
      ++state[size_t(to)];
    return state;
  };
  Dense d(states.size(), std::vector<double>(states.size()));
  for (size_t i = 0; i < states.size(); ++i)
    for (size_t j = 0; j < states.size(); ++j) {
      d[i][j] = i == j;
      for (int station = 0; station < stations; ++station)
        if (step(states[i], -1, station) == states[j] ||
            step(states[i], station, station + 1) == states[j])
          d[i][j] = 1;
    }
  return d;
}

} // namespace

TEST_CASE("spin couples the states of which one is the other with two neighbours exchanged") {
  for (int n = 1; n <= 6; ++n)
    for (int up = 1; up <= n; ++up) {
      const std::string spec = "spin:n=" + std::to_string(n) + ",up=" + std::to_string(up);
      CAPTURE(spec);
      CHECK(pattern(make(spec)) == spinChain(n, up));
    }
}

TEST_CASE("spin has 2^n states, or as many as there are sets of up spins") {
  const CsrMatrix all = make("spin:n=14");
  CHECK(all.rows == 1 << 14);
  CHECK(all.nnz() == (1 << 14) + 14 * (1 << 13)); // half of the states differ at a pair
  CHECK(mirrored(all) == all.nnz());
  const CsrMatrix some = make("spin:n=16,up=5");
  CHECK(wellFormed(some));
  CHECK(some.rows == 4368);
  CHECK(some.nnz() == 4368 + 16 * 2 * 1001); // C(14, 4) states for each order of a pair
  CHECK(mirrored(some) == some.nnz());
  CHECK(make("spin:n=62,up=1").nnz() == 3 * 62);
  CHECK(make("spin:n=62,up=61").nnz() == 3 * 62);
}

TEST_CASE("transfer takes the points around a point, and its restriction is the transpose") {
  for (const auto &[nx, ny, nz] : std::vector<Point>{{4, 2, 3}, {1, 5, 1}, {1, 1, 1}, {3, 4, 1}}) {
    const std::string spec = "transfer:nx=" + std::to_string(nx) + ",ny=" + std::to_string(ny) +
                             ",nz=" + std::to_string(nz);
    CAPTURE(spec);
    CHECK(pattern(make(spec)) == prolongation(nx, ny, nz));
    CHECK(pattern(make(spec + ",of=restriction")) == transposed(prolongation(nx, ny, nz)));
  }
  const CsrMatrix a = make("transfer:n=17"), b = make("transfer:n=17,of=restriction");
  CHECK(wellFormed(a));
  CHECK(wellFormed(b));
  CHECK(a.rows == 33 * 33 * 33);
  CHECK(a.cols == 17 * 17 * 17);
  CHECK(a.nnz() == 49 * 49 * 49);
  CHECK(b.nnz() == a.nnz());
  CHECK(longestRow(a) == 8);
  CHECK(longestRow(b) == 27);
}

TEST_CASE("kkt is Stokes' equations on a staggered grid") {
  for (const auto &[nx, ny, nz] :
       std::vector<Point>{{3, 4, 2}, {4, 3, 1}, {1, 1, 3}, {2, 2, 2}, {1, 1, 1}}) {
    const std::string spec =
        "kkt:nx=" + std::to_string(nx) + ",ny=" + std::to_string(ny) + ",nz=" + std::to_string(nz);
    CAPTURE(spec);
    CHECK(pattern(make(spec)) == stokes(nx, ny, nz));
  }
  const CsrMatrix a = make("kkt:n=15");
  CHECK(wellFormed(a));
  CHECK(a.rows == 3 * 14 * 15 * 15 + 15 * 15 * 15);
  CHECK(mirrored(a) == a.nnz());
  CHECK(onDiagonal(a) == 3 * 14 * 15 * 15);
}

TEST_CASE("lattice couples the sites that are one step apart on their torus") {
  const CsrMatrix a = make("lattice:l=3,t=4,b=2");
  const int sides[] = {3, 3, 3, 4};
  Dense expected(216, std::vector<double>(216));
  for (int i = 0; i < 216; ++i)
    for (int j = 0; j < 216; ++j) {
      int steps = 0;
      for (int axis = 0, p = i / 2, q = j / 2; axis < 4; p /= sides[axis], q /= sides[axis++]) {
        const int apart = std::abs(p % sides[axis] - q % sides[axis]);
        steps += std::min(apart, sides[axis] - apart);
      }
      expected[size_t(i)][size_t(j)] = steps <= 1;
    }
  CHECK(pattern(a) == expected);
  const CsrMatrix b = make("lattice:l=5");
  CHECK(wellFormed(b));
  CHECK(b.rows == 5 * 5 * 5 * 5 * 3);
  CHECK(b.nnz() == 27 * b.rows);
}

TEST_CASE("queue has the transitions of its customers") {
  CHECK(pattern(make("queue:s=1,room=4")) == queues(1, 4));
  CHECK(pattern(make("queue:s=2,room=3")) == queues(2, 3));
  CHECK(pattern(make("queue:s=4,room=1")) == queues(4, 1));
  const CsrMatrix a = make("queue:s=3,room=12");
  CHECK(wellFormed(a));
  CHECK(a.rows == 13 * 14 * 15);
  CHECK(longestRow(a) == 7);
  CHECK(onDiagonal(a) == a.rows);
}
