// The rows of the matrix come from a stencil, of which each rank computes its own rows, or from a
// Matrix Market file. Your program has its own assembly in place of this file.
#ifndef SPECMV_SAMPLES_DISTRIBUTED_MATRIX_H
#define SPECMV_SAMPLES_DISTRIBUTED_MATRIX_H

#include <algorithm>
#include <array>
#include <cctype>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace distributed {

// An entry of a row has its column in the whole matrix.
struct Entry {
  int64_t col;
  double value;
};

// Each rank can ask for any row of the matrix, which is symmetric and positive definite.
struct RowSource {
  int64_t rows = 0;
  // Replaces the entries by those of the row, in the order of their columns.
  std::function<void(int64_t row, std::vector<Entry> &entries)> read;
  std::string error; // why there is no matrix
};

// --- Stencils on n x n x nz points

using Offset = std::array<int, 3>; // z, y, x: the order of the numbers of points
using Block = std::array<double, 9>;

struct Stencil {
  int64_t n = 0, nz = 0;
  int unknowns = 1; // of a point
  std::vector<Offset> offsets;
  std::vector<Block> blocks; // for each offset: unknowns x unknowns values
};

inline std::vector<Offset> neighbours(bool corners) {
  std::vector<Offset> offsets;
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        if (corners || std::abs(x) + std::abs(y) + std::abs(z) <= 1)
          offsets.push_back({z, y, x});
  return offsets;
}

// Makes the 7- or the 27-point Laplacian: the number of neighbours on the diagonal, and -1
// elsewhere.
inline Stencil poisson(int64_t n, int64_t nz, bool corners) {
  Stencil s{n, nz, 1, neighbours(corners), {}};
  for (const Offset &d : s.offsets)
    s.blocks.push_back({d == Offset{} ? static_cast<double>(s.offsets.size()) - 1 : -1});
  return s;
}

// Springs lead to all 26 neighbours and also resist shear. This gives the 3 x 3 blocks of
// elasticity. The boundary is fixed.
inline Stencil elasticity(int64_t n, int64_t nz) {
  constexpr double kShear = 0.25;
  Stencil s{n, nz, 3, neighbours(true), {}};
  Block diagonal{};
  for (const Offset &d : s.offsets) {
    const double squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    Block block{};
    for (int i = 0; i < 9 && squared > 0; ++i) {
      block[i] = -(d[i / 3] * d[i % 3] / squared + (i % 4 == 0 ? kShear : 0));
      diagonal[i] -= block[i];
    }
    s.blocks.push_back(block);
  }
  s.blocks[13] = diagonal;
  return s;
}

using Point = std::array<int64_t, 3>; // z, y, x

// Adds the entries that couple the unknown with the point to which the offset leads.
inline void append(const Stencil &s, size_t offset, const Point &point, int64_t unknown,
                   std::vector<Entry> &entries) {
  const Offset &d = s.offsets[offset];
  const int64_t z = point[0] + d[0], y = point[1] + d[1], x = point[2] + d[2];
  if (std::min({x, y, z}) < 0 || std::max(x, y) >= s.n || z >= s.nz)
    return;
  const int64_t first = ((z * s.n + y) * s.n + x) * s.unknowns;
  for (int64_t i = 0; i < s.unknowns; ++i)
    entries.push_back({first + i, s.blocks[offset][unknown * s.unknowns + i]});
}

inline RowSource rowsOf(Stencil stencil) {
  const int64_t rows = stencil.n * stencil.n * stencil.nz * stencil.unknowns;
  const auto read = [s = std::move(stencil)](int64_t row, std::vector<Entry> &entries) {
    const int64_t point = row / s.unknowns;
    const Point place = {point / (s.n * s.n), point / s.n % s.n, point % s.n};
    entries.clear();
    for (size_t offset = 0; offset < s.offsets.size(); ++offset)
      append(s, offset, place, row % s.unknowns, entries);
  };
  return {rows, read, ""};
}

// --- Files

struct Triplet {
  int64_t row, col;
  double value;
};

inline RowSource noMatrix(const std::string &why) { return {0, nullptr, why}; }

// Reads `count` lines "row column value", counted from 1.
inline std::string readTriplets(std::istream &in, int64_t rows, int64_t count, bool symmetric,
                                std::vector<Triplet> &triplets) {
  for (int64_t i = 0; i < count; ++i) {
    Triplet t{};
    if (!(in >> t.row >> t.col >> t.value))
      return "entry " + std::to_string(i + 1) + " of " + std::to_string(count) + " is missing";
    if (std::min(t.row, t.col) < 1 || std::max(t.row, t.col) > rows)
      return "entry " + std::to_string(i + 1) + " is at (" + std::to_string(t.row) + ", " +
             std::to_string(t.col) + "), outside 1.." + std::to_string(rows);
    triplets.push_back({t.row - 1, t.col - 1, t.value});
    if (symmetric && t.row != t.col)
      triplets.push_back({t.col - 1, t.row - 1, t.value});
  }
  return "";
}

// Says what is wrong with the first line of a file, or "".
inline std::string readHead(std::string line, bool &symmetric) {
  std::transform(line.begin(), line.end(), line.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::istringstream words(line);
  std::string name, object, layout, field, symmetry;
  words >> name >> object >> layout >> field >> symmetry;
  if (name != "%%matrixmarket" || object != "matrix" || layout != "coordinate" || field != "real")
    return " is no Matrix Market file of coordinates and real values";
  symmetric = symmetry == "symmetric";
  if (symmetric || symmetry == "general")
    return "";
  return ": the matrix is '" + symmetry + "'; it must be general or symmetric";
}

// Each rank reads the whole file, which takes the least code, and memory for the whole matrix.
inline RowSource rowsOfFile(const std::string &path) {
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line))
    return noMatrix(path + " cannot be read");
  bool symmetric = false;
  const std::string wrong = readHead(line, symmetric);
  if (!wrong.empty())
    return noMatrix(path + wrong);
  while (std::getline(in, line) && (line.empty() || line[0] == '%')) {
  }
  int64_t rows = 0, cols = 0, count = 0;
  if (!(std::istringstream(line) >> rows >> cols >> count) || count < 0)
    return noMatrix(path + " has no line of sizes: \"" + line + "\"");
  if (rows < 1 || rows != cols)
    return noMatrix(path + ": the matrix has " + std::to_string(rows) + " x " +
                    std::to_string(cols) + " elements; it must be square");
  std::vector<Triplet> triplets;
  const std::string error = readTriplets(in, rows, count, symmetric, triplets);
  if (!error.empty())
    return noMatrix(path + ": " + error);
  std::stable_sort(triplets.begin(), triplets.end(), [](const Triplet &a, const Triplet &b) {
    return a.row != b.row ? a.row < b.row : a.col < b.col;
  });
  const auto kept = std::make_shared<std::vector<Triplet>>(std::move(triplets));
  const auto read = [kept](int64_t row, std::vector<Entry> &entries) {
    entries.clear();
    auto t = std::lower_bound(kept->begin(), kept->end(), row,
                              [](const Triplet &a, int64_t r) { return a.row < r; });
    for (; t != kept->end() && t->row == row; ++t)
      entries.push_back({t->col, t->value});
  };
  return {rows, read, ""};
}

// --- By name

// Reads "n=64" or "n=64,nz=128"; the numbers stay 0 if it is something else.
inline void readSizes(const std::string &text, int64_t &n, int64_t &nz) {
  int length = 0;
  if (std::sscanf(text.c_str(), "n=%5" SCNd64 "%n", &n, &length) != 1)
    return;
  nz = n;
  if (text[length] == ',' && std::sscanf(&text[length], ",nz=%5" SCNd64 "%n", &nz, &length) == 1)
    length += static_cast<int>(text.find(','));
  if (static_cast<size_t>(length) != text.size())
    n = nz = 0;
}

// Gives the matrix of "stencil7:n=64", "stencil27:n=64,nz=128" or "elasticity:n=64", or of a file.
inline RowSource rowsOf(const std::string &name) {
  if (name.size() > 4 && name.compare(name.size() - 4, 4, ".mtx") == 0)
    return rowsOfFile(name);
  constexpr int64_t kMostPoints = 10000; // along a side
  const size_t colon = name.find(':');
  const std::string family = name.substr(0, colon);
  int64_t n = 0, nz = 0;
  readSizes(colon == std::string::npos ? "" : name.substr(colon + 1), n, nz);
  if (std::min(n, nz) < 1 || std::max(n, nz) > kMostPoints)
    return noMatrix("'" + name +
                    "' is no matrix; give stencil7:n=N, stencil27:n=N or elasticity:n=N, "
                    "each with ,nz=N or without, with N of 1..10000, or a file that ends "
                    "in .mtx");
  if (family == "stencil7" || family == "stencil27")
    return rowsOf(poisson(n, nz, family == "stencil27"));
  if (family == "elasticity")
    return rowsOf(elasticity(n, nz));
  return noMatrix("there is no family '" + family + "'; there are stencil7, stencil27, elasticity");
}

} // namespace distributed

#endif
