// Tests of the graphs and chains: exact counts, structure by brute force, and statistics.
#include "tests/models/lab/families/families_testing.h"

#include <doctest/doctest.h>

#include <set>

using namespace familytest;

namespace {

// M(k) by its definition.
Dense mycielskian(int k) {
  Dense g{{0, 1}, {1, 0}};
  for (; k > 2; --k) {
    const size_t n = g.size();
    Dense next(2 * n + 1, std::vector<double>(2 * n + 1));
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j)
        next[i][j] = next[i + n][j] = next[i][j + n] = g[i][j];
      next[i + n][2 * n] = next[2 * n][i + n] = 1;
    }
    g = next;
  }
  return g;
}

// All pairs of states (s, i) between which the chain steps.
Dense epidemic(int n) {
  std::vector<std::pair<int, int>> states;
  for (int s = 0; s <= n; ++s)
    for (int i = 0; s + i <= n; ++i)
      states.emplace_back(s, i);
  Dense d(states.size(), std::vector<double>(states.size()));
  for (size_t from = 0; from < states.size(); ++from)
    for (size_t to = 0; to < states.size(); ++to) {
      const std::pair<int, int> step{states[to].first - states[from].first,
                                     states[to].second - states[from].second};
      for (const auto &[s, i] : {std::pair(0, 0), {-1, 1}, {0, -1}, {1, 0}})
        d[from][to] += step == std::pair(s, i);
    }
  return d;
}

} // namespace

TEST_CASE("epidemic has the steps of its chain and no others") {
  CHECK(pattern(make("epidemic:n=1")) == epidemic(1));
  CHECK(pattern(make("epidemic:n=7")) == epidemic(7));
}

TEST_CASE("epidemic:n=1024 has the size of mc2depi") {
  const CsrMatrix a = make("epidemic:n=1024");
  CHECK(a.rows == 525825);
  CHECK(a.cols == 525825);
  CHECK(a.nnz() == 2100225);
  CHECK(make("epidemic:n=640").nnz() == 641 * 1281);
}

TEST_CASE("mycielskian is Mycielski's construction") {
  for (int k = 2; k <= 7; ++k)
    CHECK(dense(make("mycielskian:k=" + std::to_string(k))) == mycielskian(k));
}

TEST_CASE("mycielskian12 and mycielskian15 have the collection's size") {
  const CsrMatrix a = make("mycielskian:k=12"), b = make("mycielskian:k=15");
  CHECK(a.rows == 3071);
  CHECK(a.nnz() == 407200);
  CHECK(b.rows == 24575);
  CHECK(b.nnz() == 11111110);
  CHECK(wellFormed(b));
}

TEST_CASE("rmat equals a serial drawing of its edges with repeated ones dropped") {
  std::set<std::pair<int64_t, int64_t>> edges;
  for (uint64_t number = 0; number < 6 * 32; ++number) {
    Splitmix random = rowStream(3, 1, number);
    uint64_t bits = random.next(), row = 0, col = 0;
    for (int level = 0; level < 5; ++level, bits >>= 16) {
      if (level == 4)
        bits = random.next();
      const double draw = double(bits & 65535) / 65536;
      row = 2 * row + (draw >= 0.76);
      col = 2 * col + (draw >= 0.95 || (draw >= 0.57 && draw < 0.76));
    }
    edges.emplace(row, col);
  }
  const CsrMatrix a = make("rmat:scale=5,edge=6,seed=3");
  CHECK(a.rows == 32);
  REQUIRE(a.nnz() == int64_t(edges.size()));
  CHECK(a.nnz() < 6 * 32);
  for (const auto &[row, col] : edges)
    CHECK(hasEntry(a, row, col));
}

TEST_CASE("rmat's edges fall into the quarters with their probabilities") {
  const CsrMatrix a = make("rmat:scale=17,edge=1");
  CHECK(wellFormed(a));
  const double upper = double(a.rowPtr[size_t(1) << 16]);
  CHECK(upper / double(a.nnz()) == doctest::Approx(0.76).epsilon(0.02));
  CHECK(a.nnz() > 129000); // of 131,072: few repeat
  CHECK(make("rmat:scale=3,edge=0").nnz() == 0);
}

TEST_CASE("circuit has a symmetric pattern, its mean, near links and rails") {
  const CsrMatrix a = make("circuit:rows=40000,avg=6,rails=8,share=0.2");
  CHECK(wellFormed(a));
  CHECK(a.rows == 40000);
  CHECK(mirrored(a) == a.nnz());
  CHECK(onDiagonal(a) == a.rows);
  CHECK(double(a.nnz()) / 40000 == doctest::Approx(6).epsilon(0.05));
  // The first of 8 rails has (1 + 1/2 + ... + 1/8) / 8 of the 8,000 nodes that are on a rail.
  CHECK(double(longestRow(a)) == doctest::Approx(8000 * 0.3397).epsilon(0.05));
  std::vector<int64_t> lengths;
  for (int64_t row = 0; row < a.rows; ++row)
    lengths.push_back(lengthOf(a, row));
  std::sort(lengths.rbegin(), lengths.rend());
  CHECK(lengths[7] > 100); // 8,000 / 64 on the last rail
  CHECK(lengths[8] < 30);
  const CsrMatrix b = make("circuit:rows=40000,avg=5,rails=0");
  CHECK(longestRow(b) < 30);
  CHECK(double(b.nnz()) / 40000 == doctest::Approx(5).epsilon(0.05));
  int64_t near = 0;
  for (int64_t row = 0; row < b.rows; ++row)
    for (int32_t e = b.rowPtr[size_t(row)]; e < b.rowPtr[size_t(row) + 1]; ++e)
      near += distance(row, b.col[size_t(e)]) <= 4096;
  CHECK(double(near) / double(b.nnz()) > 0.97);
  CHECK(double(near) / double(b.nnz()) < 0.995);
}

TEST_CASE("circuits of one node and of fewer nodes than rails by default exist") {
  CHECK(make("circuit:rows=1").nnz() == 1);
  CHECK(wellFormed(make("circuit:rows=7")));
}

namespace {

// Counts the rows before which no earlier row has an entry in this or a later row's column.
int64_t countCuts(const CsrMatrix &a) {
  int64_t cuts = 0, reached = 0;
  for (int64_t row = 0; row < a.rows; ++row) {
    cuts += reached < row;
    if (lengthOf(a, row) > 0)
      reached = std::max<int64_t>(reached, a.col[size_t(a.rowPtr[size_t(row) + 1]) - 1]);
  }
  return cuts;
}

} // namespace

TEST_CASE("communities have a symmetric pattern without diagonal, their mean and their hubs") {
  const CsrMatrix a = make("communities:rows=60000,avg=23,size=400,hubs=20,degree=3000");
  CHECK(wellFormed(a));
  CHECK(mirrored(a) == a.nnz());
  CHECK(onDiagonal(a) == 0);
  CHECK(double(a.nnz()) / 60000 == doctest::Approx(23).epsilon(0.04));
  int64_t hubs = 0, middling = 0;
  for (int64_t row = 0; row < a.rows; ++row) {
    hubs += lengthOf(a, row) >= 2999;
    middling += lengthOf(a, row) > 100 && lengthOf(a, row) < 2999;
  }
  CHECK(hubs == 20);
  CHECK(middling == 0);
  CHECK(longestRow(a) < 3100);
}

TEST_CASE("edges leave their community as often as was asked for") {
  const CsrMatrix apart = make("communities:rows=40000,size=100,share=0,hubs=0");
  CHECK(countCuts(apart) >= 399); // 400 communities; small ones may have parts
  CHECK(countCuts(apart) < 420);
  CHECK(bandwidth(apart) < 100 * 100);
  CHECK(countCuts(make("communities:rows=40000,size=100,hubs=0")) == 0);
  // Edges that leave their community cross the middle with probability 1/2; so do those of one or
  // two of the 400 communities.
  const CsrMatrix mixed = make("communities:rows=40000,size=100,share=0.4,hubs=0");
  int64_t crossing = 0;
  for (int64_t row = 0; row < 20000; ++row)
    for (int32_t e = mixed.rowPtr[size_t(row)]; e < mixed.rowPtr[size_t(row) + 1]; ++e)
      crossing += mixed.col[size_t(e)] >= 20000;
  CHECK(2.0 * double(crossing) / double(mixed.nnz()) == doctest::Approx(0.2).epsilon(0.15));
}

TEST_CASE("small graphs of communities exist") {
  CHECK(make("communities:rows=1").nnz() == 0);
  CHECK(wellFormed(make("communities:rows=2,avg=2")));
  CHECK(wellFormed(make("communities:rows=60,size=1")));
  const CsrMatrix star = make("communities:rows=9,avg=2,hubs=1,degree=9");
  CHECK(star.nnz() == 16);
  CHECK(longestRow(star) == 8);
}
