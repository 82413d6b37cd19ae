// Matrices of solvers, made on the host: grids, elasticity on a grid, linear programs and a graph.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

namespace solvers {

struct Csr {
  int rows = 0, cols = 0;
  std::vector<int> rowPtr{0}, col;
  std::vector<double> val;
  int nnz() const { return static_cast<int>(col.size()); }
};

// Gives the same numbers in every run.
inline double uniform(uint64_t i) {
  uint64_t z = i * 0x9e3779b97f4a7c15 + 0x632be59bd9b4e019;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// The Laplacian of a grid of n^dimensions points, with varying coefficients on the diagonal.
inline Csr grid(int n, int dimensions, bool hasAllNeighbours) {
  Csr a;
  const int64_t count = static_cast<int64_t>(std::pow(n, dimensions) + 0.5);
  a.rows = a.cols = static_cast<int>(count);
  const int depth = dimensions == 3 ? 1 : 0;
  for (int64_t row = 0; row < count; ++row) {
    const int x = static_cast<int>(row % n), y = static_cast<int>(row / n % n),
              z = static_cast<int>(row / n / n);
    for (int k = -depth; k <= depth; ++k)
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) {
          const int far = std::abs(i) + std::abs(j) + std::abs(k);
          if ((far > 1 && !hasAllNeighbours) || x + i < 0 || x + i >= n || y + j < 0 ||
              y + j >= n || z + k < 0 || (dimensions == 3 && z + k >= n))
            continue;
          a.col.push_back(static_cast<int>(row + i + int64_t{n} * (j + int64_t{n} * k)));
          const double neighbours = hasAllNeighbours ? 26 : 2 * dimensions;
          a.val.push_back(far == 0 ? neighbours * (1 + 0.05 * uniform(row)) : -1);
        }
    a.rowPtr.push_back(a.nnz());
  }
  return a;
}

// Three unknowns for each point of a 27-point grid, coupled in blocks of 3 x 3.
inline Csr elasticity(int n) {
  const Csr points = grid(n, 3, true);
  Csr a;
  a.rows = a.cols = 3 * points.rows;
  for (int row = 0; row < a.rows; ++row) {
    const int point = row / 3, own = row % 3;
    for (int e = points.rowPtr[point]; e < points.rowPtr[point + 1]; ++e)
      for (int other = 0; other < 3; ++other) {
        a.col.push_back(3 * points.col[e] + other);
        const double coupling = points.col[e] == point ? 0.5 : 0.02;
        a.val.push_back(own == other ? points.val[e] : coupling);
      }
    a.rowPtr.push_back(a.nnz());
  }
  return a;
}

inline Csr fromEntries(int rows, int cols, std::vector<std::pair<int, int>> entries,
                       uint64_t seed) {
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  Csr a;
  a.rows = rows;
  a.cols = cols;
  a.rowPtr.assign(static_cast<size_t>(rows) + 1, 0);
  for (const auto &[row, col] : entries) {
    ++a.rowPtr[static_cast<size_t>(row) + 1];
    a.col.push_back(col);
    a.val.push_back(0.1 + uniform(seed + a.col.size()));
  }
  std::partial_sum(a.rowPtr.begin(), a.rowPtr.end(), a.rowPtr.begin());
  return a;
}

// Each row has so many entries, anywhere, and a diagonal that dominates them.
inline Csr scattered(int rows, int each) {
  std::vector<std::pair<int, int>> entries;
  for (int row = 0; row < rows; ++row) {
    entries.emplace_back(row, row);
    for (int k = 1; k < each; ++k)
      entries.emplace_back(row, static_cast<int>(uniform(row * 64ULL + k) * rows));
  }
  Csr a = fromEntries(rows, rows, std::move(entries), 5);
  for (int row = 0; row < rows; ++row)
    for (int e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e)
      a.val[e] = a.col[e] == row ? 2 * each : -a.val[e];
  return a;
}

// A linear program: rows of very uneven length, by a power law between `least` and `most`.
inline Csr program(int rows, int cols, double exponent, int least, int most, uint64_t seed) {
  std::vector<std::pair<int, int>> entries;
  for (int row = 0; row < rows; ++row) {
    const double u = uniform(seed + static_cast<uint64_t>(row) * 3);
    const int length = std::min(most, static_cast<int>(least * std::pow(1 - u, -1 / exponent)));
    const int start = static_cast<int>(uniform(seed + row * 7ULL + 1) * cols);
    for (int k = 0; k < length; ++k) {
      const bool isNear = k % 2 == 0;
      const uint64_t at = seed + static_cast<uint64_t>(row) * 100003 + static_cast<uint64_t>(k);
      entries.emplace_back(row, isNear ? (start + k) % cols : static_cast<int>(uniform(at) * cols));
    }
  }
  return fromEntries(rows, cols, std::move(entries), seed);
}

inline Csr transposed(const Csr &a) {
  Csr t;
  t.rows = a.cols;
  t.cols = a.rows;
  t.rowPtr.assign(static_cast<size_t>(t.rows) + 1, 0);
  for (const int c : a.col)
    ++t.rowPtr[static_cast<size_t>(c) + 1];
  std::partial_sum(t.rowPtr.begin(), t.rowPtr.end(), t.rowPtr.begin());
  t.col.resize(a.col.size());
  t.val.resize(a.val.size());
  std::vector<int> next(t.rowPtr.begin(), t.rowPtr.end() - 1);
  for (int row = 0; row < a.rows; ++row)
    for (int e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e) {
      const int at = next[a.col[e]]++;
      t.col[at] = row;
      t.val[at] = a.val[e];
    }
  return t;
}

// A graph whose links follow a power law; column j holds 1 / out-degree of page j.
inline Csr graph(int pages, double mean) {
  std::vector<std::pair<int, int>> entries;
  for (int page = 0; page < pages; ++page) {
    if (page % 50 == 0)
      continue; // no links
    const int links =
        std::min(5000, static_cast<int>(mean / 2 * std::pow(1 - uniform(page * 5ULL), -1 / 1.8)));
    for (int k = 0; k < links; ++k) {
      const double u = uniform(page * 1000003ULL + k);
      entries.emplace_back(static_cast<int>(std::pow(u, 3) * pages), page);
    }
  }
  Csr a = fromEntries(pages, pages, std::move(entries), 11);
  std::vector<int> degree(static_cast<size_t>(pages));
  for (const int c : a.col)
    ++degree[c];
  for (int e = 0; e < a.nnz(); ++e)
    a.val[e] = 1.0 / degree[a.col[e]];
  return a;
}

} // namespace solvers
