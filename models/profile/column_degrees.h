// Counts how many entries the columns of a matrix have, from which follows how many of the entries
// are in its hottest columns: those with the most entries, whose x is read most often. Counting
// takes a pass over all entries, which is made only where plans depend on it.
#pragma once

#include "models/csr.h"
#include "templates/profile/column_features.cuh"

#include <cstdint>
#include <vector>

namespace specmv {

// The number of columns with so many entries. kMostCountedDegree stands for all higher degrees.
struct DegreeCount {
  int64_t degree, columns;
  bool operator==(const DegreeCount &) const = default;
};

// Repeated entries count as often as they are stored. The counts depend neither on the order of a
// row's entries nor on the values.
struct ColumnDegrees {
  int64_t cols = 0, nnz = 0;
  std::vector<DegreeCount> degrees = {}; // by ascending degree; without those that no column has

  bool operator==(const ColumnDegrees &) const = default;
};

ColumnDegrees columnDegrees(const CsrView &a);

// The counted degree of each column (templates/profile/column_features.cuh), and the counts that
// follow from these.
std::vector<int32_t> degreesOfColumns(const CsrView &a);
ColumnDegrees countedFrom(const std::vector<int32_t> &degrees, int64_t nnz);

// Makes the counts from the number of columns of each counted degree, from 0 on.
ColumnDegrees degreesFrom(int64_t cols, int64_t nnz, const std::vector<uint32_t> &columns);

// The hottest columns, at most `most`, are all with at least `least` entries, for the least number
// at which there are not too many. It is at most kMostCountedDegree; if too many columns have that
// many entries, only `most` of them are hot. Columns without entries are never hot.
struct HotColumns {
  int64_t least = kMostCountedDegree, columns = 0;
  // Entries in these columns. If only some of the columns with the most counted entries are hot, it
  // is assumed that they have as many as the others.
  int64_t entries = 0;
};
HotColumns hottestOf(const ColumnDegrees &counted, int64_t most);

} // namespace specmv
