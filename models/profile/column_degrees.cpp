// Counts the entries of columns on the host, and finds the hottest columns from such counts.
#include "models/profile/column_degrees.h"

#include <algorithm>

namespace specmv {

std::vector<int32_t> degreesOfColumns(const CsrView &a) {
  std::vector<int32_t> degrees(static_cast<size_t>(a.cols));
  visitPattern(a, [&](auto p) {
    for (int64_t e = 0; e < p.nnz; ++e) {
      int32_t &degree = degrees[static_cast<size_t>(p.col[e])];
      degree += degree < kMostCountedDegree;
    }
  });
  return degrees;
}

ColumnDegrees countedFrom(const std::vector<int32_t> &degrees, int64_t nnz) {
  std::vector<uint32_t> columns(size_t{kMostCountedDegree} + 1);
  for (const int32_t degree : degrees)
    ++columns[static_cast<size_t>(degree)];
  return degreesFrom(std::ssize(degrees), nnz, columns);
}

ColumnDegrees columnDegrees(const CsrView &a) { return countedFrom(degreesOfColumns(a), a.nnz); }

ColumnDegrees degreesFrom(int64_t cols, int64_t nnz, const std::vector<uint32_t> &columns) {
  ColumnDegrees out{cols, nnz};
  for (size_t degree = 0; degree < columns.size(); ++degree)
    if (columns[degree] > 0)
      out.degrees.push_back({static_cast<int64_t>(degree), columns[degree]});
  return out;
}

// The entries of all columns with kMostCountedDegree or more.
static int64_t entriesAtMost(const ColumnDegrees &counted) {
  int64_t entries = counted.nnz;
  for (const DegreeCount &each : counted.degrees)
    if (each.degree < kMostCountedDegree)
      entries -= each.degree * each.columns;
  return entries;
}

HotColumns hottestOf(const ColumnDegrees &counted, int64_t most) {
  HotColumns out;
  for (size_t i = counted.degrees.size(); i-- > 0;) {
    const auto [degree, columns] = counted.degrees[i];
    if (degree == kMostCountedDegree) {
      out.columns = std::min(columns, most);
      const double part = static_cast<double>(out.columns) / static_cast<double>(columns);
      out.entries = static_cast<int64_t>(part * static_cast<double>(entriesAtMost(counted)));
      continue;
    }
    if (degree == 0 || out.columns + columns > most)
      break;
    out.least = degree;
    out.columns += columns;
    out.entries += degree * columns;
  }
  return out;
}

} // namespace specmv
