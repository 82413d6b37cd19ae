// Counts the sizes of QCSR's slices for a matrix (templates/qcsr_slices.cuh): whether columns
// ascend, and the sizes of each chunk.
#pragma once
#include "pack/qcsr_chunk.cuh"

namespace specmv {

template <class Index> struct QcsrAscentArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  unsigned long long *totals;
  long long rows, nnz;
};

// The number of entries of the matrix that a thread compares together.
enum : int { kQcsrCompared = 8 };

// Counts the entries whose column is less than that of the previous entry, except entries that
// begin a row: a loop over entries adds these, and a loop over rows subtracts them. There are so
// few blocks that each may add to the total.
template <class Index> __device__ __forceinline__ void qcsrAscent(const QcsrAscentArgs<Index> &a) {
  SPECMV_SHARED_ARRAY(int, warpSums, 33);
  const Int64 step = Int64(gridDim.x) * kSetupBlock;
  const Int64 thread = Int64(blockIdx.x) * kSetupBlock + threadIdx.x;
  int own = 0, total;
  for (Int64 first = thread; first < a.nnz - 1; first += kQcsrCompared * step) {
    Index columns[kQcsrCompared], next[kQcsrCompared];
#pragma unroll
    for (int i = 0; i < kQcsrCompared; ++i) {
      const bool isPair = first + i * step < a.nnz - 1;
      columns[i] = isPair ? a.csrCol[first + i * step] : Index(0);
      next[i] = isPair ? a.csrCol[first + i * step + 1] : Index(0);
    }
#pragma unroll
    for (int i = 0; i < kQcsrCompared; ++i)
      own += next[i] < columns[i];
  }
#pragma unroll 4
  for (Int64 row = thread; row < a.rows; row += step) {
    const Int64 first = a.csrRowPtr[row];
    if (first > 0 && first < a.csrRowPtr[row + 1])
      own -= a.csrCol[first] < a.csrCol[first - 1];
  }
  blockScan<kSetupBlock>(own, warpSums, total);
  if (threadIdx.x == 0 && total != 0) // modulo 2^64
    atomicAdd(a.totals + kQcsrDescents, static_cast<unsigned long long>(Int64(total)));
}

template <class Index, class Row, class Word> struct QcsrCountArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  unsigned long long *totals;
  long long *places; // sizes of a chunk: size i of chunk c at i * chunks + c
  long long rows, chunks;
  int chunkRows, logRows, logD, stage, streams;
};

// The sizes that a team found for its chunk, in the order of QcsrTotal.
struct QcsrChunkSize {
  Int64 at[kQcsrSizes];
  Int64 window;
};

template <class Word, class Row, class Args>
__device__ __forceinline__ QcsrChunkSize qcsrSizeOf(QcsrChunkCut<Row, Args> &cut, const Args &a,
                                                    const QcsrMemory &m) {
  constexpr int rowsPerWord = sizeof(Word) / sizeof(Row);
  QcsrChunkSize size{};
  Int64 &tiles = size.at[0], &slices = size.at[kQcsrSlices - kQcsrTiles];
  Int64 &rowWords = size.at[kQcsrRowWords - kQcsrTiles];
  for (; cut.hasNext(); ++tiles) {
    if (tiles == kQcsrPackedTiles) {
      cut.isUnfit = true;
      break;
    }
    cut.cutNext(rowsPerWord);
    size.window = max(size.window, cut.endColumn - cut.firstColumn);
    slices += cut.slices;
    size.at[kQcsrBatches - kQcsrTiles] += m.batchAt[32];
    size.at[kQcsrLines - kQcsrTiles] += m.lineAt[32];
    rowWords += m.wordAt[32];
  }
  if (!a.stage)
    rowWords = (slices + rowsPerWord - 1) / rowsPerWord;
  return size;
}

template <class Index, class Row, class Word>
__device__ __forceinline__ void qcsrCount(const QcsrCountArgs<Index, Row, Word> &a) {
  using Team = QcsrTeam<Row>;
  SPECMV_SHARED_ARRAY(unsigned, words, Team::kWords *Team::kTeams);
  SPECMV_SHARED_ARRAY(Int64, parts, Team::kParts);
  SPECMV_SHARED_ARRAY(unsigned long long, sums, kQcsrTotals);
  if (a.totals[kQcsrDescents] != 0)
    return; // cutting requires rows whose columns ascend
  const int at = static_cast<int>(threadIdx.x);
  const int team = at / Team::kThreads, thread = at % Team::kThreads;
  if (at < kQcsrTotals)
    sums[at] = 0;
  __syncthreads();
  const QcsrMemory m = qcsrMemoryIn<Team>(words + team * Team::kWords, parts);
  for (Int64 chunk = Int64(blockIdx.x) * Team::kTeams + team; chunk < a.chunks;
       chunk += Int64(gridDim.x) * Team::kTeams) {
    QcsrChunkCut<Row, QcsrCountArgs<Index, Row, Word>> cut(a, m, thread, chunk);
    const QcsrChunkSize size = qcsrSizeOf<Word>(cut, a, m);
    if (cut.isUnfit)
      atomicAdd(sums + kQcsrUnfit, 1ULL);
    if (thread == 0) {
      for (int i = 0; i < kQcsrSizes; ++i) {
        a.places[i * a.chunks + chunk] = size.at[i];
        atomicAdd(sums + kQcsrTiles + i, static_cast<unsigned long long>(size.at[i]));
      }
      atomicMax(sums + kQcsrWindow, static_cast<unsigned long long>(size.window));
    }
  }
  __syncthreads();
  if (at == kQcsrWindow)
    atomicMax(a.totals + at, sums[at]);
  else if (at < kQcsrTotals && sums[at] != 0)
    atomicAdd(a.totals + at, sums[at]);
}

} // namespace specmv
