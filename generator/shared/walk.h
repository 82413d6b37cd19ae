// How the threads of a kernel walk through a matrix, and what follows from that: which sectors of x
// its caches miss, how many lines its warps read, which long rows it waits for. Each format says
// how it walks; the rates of its pace are fitted.
#pragma once

#include "generator/format.h"
#include "generator/shared/pace.h"

namespace specmv {

struct Walk {
  const PaceRates &pace;
  int64_t moreItems = 0;  // that cost as much work as an entry
  double blockRows = 256; // consecutive rows that a block of threads reads
  double blocksPerSm = 8;
  double sharedBytesPerSm = 0; // of shared memory, which is taken from L1
  // Rows of which the lanes of a warp read entries at the same time, and how many entries of a row
  // are between neighbouring lanes.
  double rowsAtOnce = 32, apart = 1;
  double sortedRows = 1;   // rows are sorted by length in windows of so many
  int64_t moreSectors = 0; // of x, beside those that the profile counts
  bool scattersY = false;  // writes rows in single sectors where many are empty
  double passes = 1;       // how often the entries are read
};

// Adds to `t`, which has what the format's arrays and threads tell, what x and the walk cost.
void addWalk(Traffic &t, const PlanRequest &in, const Walk &walk);

// The long rows of a kernel that has so many lanes for a row, each of which takes passesOf(entries)
// passes; `perWave` as in LongRows.
LongRows longRowsOf(const PlanRequest &in, int64_t lanes, double perWave);

// Rows that have entries.
double rowsNotEmpty(const SparsityProfile &p);

} // namespace specmv
