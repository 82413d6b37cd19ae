// The walk of a kernel's threads through a matrix, and its costs: sectors of x that miss the
// caches, lines that warps read, long rows that the kernel waits for. Each format describes its
// walk; the rates of its pace are fitted.
#pragma once

#include "generator/format.h"
#include "generator/shared/pace.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace specmv {

struct Walk {
  const PaceRates &pace;
  int64_t moreItems = 0;  // further items that cost as much work as an entry
  double workOfSlot = 1;  // the work of a stored value, relative to that of one loaded from memory
  double blockRows = 256; // consecutive rows that a block of threads reads
  double blocksPerSm = 8;
  double sharedBytesPerSm = 0; // shared memory, which is taken from L1
  // The number of rows that the lanes of a warp read at the same time, and the distance of
  // neighbouring lanes in entries of a row.
  double rowsAtOnce = 32, apart = 1;
  // The share of the entries whose x comes through L1; for the others it is in shared memory.
  double shareOfL1 = 1;
  double sortedRows = 1;   // rows are sorted by length in windows of this size
  int64_t moreSectors = 0; // sectors of x beside those that the profile counts
  bool scattersY = false;  // writes y in single sectors if many rows are empty
  double passes = 1;       // number of times that the entries are read
};

// Adds the costs of x and of the walk to `t`, in which the format has set its arrays and threads.
void addWalk(Traffic &t, const PlanRequest &in, const Walk &walk);

// Sets the pace of a kernel, whose efficiency the format may have changed by a factor. addWalk()
// does this too.
void setPace(Traffic &t, const PlanRequest &in, const PaceRates &rates);

// The long rows of a kernel with `lanes` lanes a row; `perWave` as in LongRows.
LongRows longRowsOf(const PlanRequest &in, int64_t lanes, double perWave);
// Returns the long rows of kernels that need so many passes for a row of each length.
LongRows longRowsOf(const PlanRequest &in, llvm::function_ref<double(int64_t)> passesOf,
                    double perWave);

// The bytes of x and y, of one vector each, at most 2^40.
int64_t bytesOfXAndY(const PlanRequest &in);

// The number of rows that have entries.
double rowsNotEmpty(const SparsityProfile &p);

} // namespace specmv
