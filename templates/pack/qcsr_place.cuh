// Writes the streams of QCSR's slices (templates/qcsr_slices.cuh): their starts, batches and rows;
// and for each lane of a slice the segment from which the next kernel fills its slots.
#pragma once
#include "pack/qcsr_chunk.cuh"

namespace specmv {

template <class Index, class Offset, class Column, class Row, class Word> struct QcsrPlaceArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  const Int64 *places; // size i of the chunks before c, and all of the sizes before i, at
                       // i * chunks + c
  Offset *streamBatch, *streamLine, *streamRows;
  Column *batch;
  Word *sliceRows;
  // If x is staged:
  Offset *chunkTiles;
  Column *tileFirst, *tileEnd;
  // For the next kernel:
  Offset *sliceLine;       // slices + 1
  Index *sliceOrigin;      // the column from which the local ones count
  Index *segmentBegin;     // 32 per slice: the segment's first entry
  unsigned *segmentLength; // and its length; 0: there is none
  long long rows, chunks, allStreams;
  int chunkRows, logRows, logD, stage, streams;
};

// The start of a tile in the arrays of the whole matrix.
struct QcsrTileStart {
  Int64 tile, slice, batch, line, rowWord;
  int slicesBefore; // in its stream; 0 if x is staged or the tile is the first
};

template <class Args>
__device__ __forceinline__ Int64 qcsrStartOf(const Args &a, QcsrTotal size, Int64 chunk) {
  const Int64 *const places = a.places + (size - kQcsrTiles) * a.chunks;
  return places[chunk] - places[0];
}

template <class Args>
__device__ __forceinline__ QcsrTileStart qcsrChunkStart(const Args &a, Int64 chunk) {
  return {qcsrStartOf(a, kQcsrTiles, chunk),    qcsrStartOf(a, kQcsrSlices, chunk),
          qcsrStartOf(a, kQcsrBatches, chunk),  qcsrStartOf(a, kQcsrLines, chunk),
          qcsrStartOf(a, kQcsrRowWords, chunk), 0};
}

template <class Args>
__device__ __forceinline__ void qcsrBeginStream(const Args &a, Int64 stream, Int64 batch,
                                                Int64 line, Int64 rowWord) {
  using Offset = decltype(+a.streamBatch[0]);
  a.streamBatch[stream] = static_cast<Offset>(batch);
  a.streamLine[stream] = static_cast<Offset>(line);
  a.streamRows[stream] = static_cast<Offset>(rowWord);
}

__device__ __forceinline__ void qcsrMark(int *word, int bit) { atomicOr(word, 1 << bit); }
__device__ __forceinline__ void qcsrMark(Int64 *word, int bit) {
  atomicOr(reinterpret_cast<unsigned long long *>(word), 1ULL << bit);
}

// Writes the words of the tile's batches, without the ends of slices: one warp per stream.
template <class Team, class Cut, class Args>
__device__ __forceinline__ void qcsrPlaceBatches(const Args &a, const QcsrMemory &m, const Cut &cut,
                                                 const QcsrTileStart &start, int thread) {
  using Column = decltype(+a.batch[0]);
  for (int s = thread / 32; s < a.streams; s += Team::kThreads / 32) {
    const unsigned lines = m.lineAt[s + 1] - m.lineAt[s];
    const Int64 first = start.batch + m.batchAt[s];
    for (unsigned line = kQcsrBatch * (thread % 32U); line < lines; line += kQcsrBatch * 32U)
      a.batch[first + line / kQcsrBatch] =
          static_cast<Column>(cut.tile << kQcsrTileBit |
                              Int64(min(lines - line, unsigned(kQcsrBatch))) << kQcsrLinesBit);
  }
}

// Orders the slices by stream and writes their starts and ends: one thread per slice.
template <class Team, class Cut, class Args>
__device__ __forceinline__ void qcsrPlaceSlices(const Args &a, const QcsrMemory &m, const Cut &cut,
                                                const QcsrTileStart &start, int thread) {
  using Offset = decltype(+a.sliceLine[0]);
  using Index = decltype(+a.sliceOrigin[0]);
  for (int s = thread; s < cut.slices; s += Team::kThreads) {
    const unsigned stream = m.slicePlace[s] & 31U, line = m.sliceLine[s];
    const unsigned place = m.sliceAt[stream] + (m.slicePlace[s] >> 5);
    m.ordered[place] = static_cast<unsigned>(s);
    const unsigned last = line + cut.widthOf(s) - 1;
    qcsrMark(a.batch + start.batch + m.batchAt[stream] + last / kQcsrBatch, last % kQcsrBatch);
    a.sliceLine[start.slice + place] = static_cast<Offset>(start.line + m.lineAt[stream] + line);
    a.sliceOrigin[start.slice + place] =
        static_cast<Index>(a.stage ? cut.firstColumn : cut.tile << a.logD);
  }
}

// Writes the word that begins with the slice in `place`, or extends it if the stream has slices of
// an earlier tile there.
template <class Row, class Word, class Cut, class Args>
__device__ __forceinline__ void qcsrPlaceRows(const Args &a, const QcsrMemory &m, const Cut &cut,
                                              const QcsrTileStart &start, unsigned place,
                                              int lane) {
  constexpr unsigned perWord = sizeof(Word) / sizeof(Row);
  const unsigned dealt = m.slicePlace[m.ordered[place]], stream = dealt & 31U;
  const unsigned number = static_cast<unsigned>(start.slicesBefore) + (dealt >> 5);
  if (number % perWord != 0 && dealt >> 5 != 0)
    return;
  Word *const to = a.sliceRows + (start.rowWord + m.wordAt[stream] + number / perWord) * 32 + lane;
  unsigned word = number % perWord ? static_cast<unsigned>(*to) : 0;
  const unsigned end = m.sliceAt[stream + 1];
  for (unsigned i = number % perWord; i < perWord && place < end; ++i, ++place)
    word |= cut.rowOf(m.keys[m.ordered[place] * 32 + lane]) << 8 * sizeof(Row) * i;
  *to = static_cast<Word>(word);
}

// Writes the segments of the tile's slices: one warp per slice.
template <class Row, class Word, class Cut, class Args>
__device__ __forceinline__ void qcsrPlaceSegments(const Args &a, const QcsrMemory &m,
                                                  const Cut &cut, const QcsrTileStart &start,
                                                  int thread) {
  using Index = decltype(+a.segmentBegin[0]);
  const int lane = thread % 32;
  for (int place = thread / 32; place < cut.slices; place += QcsrTeam<Row>::kThreads / 32) {
    const unsigned key = m.keys[m.ordered[place] * 32 + lane], length = cut.lengthOf(key);
    const Int64 slot = (start.slice + place) * 32 + lane;
    a.segmentBegin[slot] = static_cast<Index>(cut.begin + m.ends[cut.rowOf(key)] - length);
    a.segmentLength[slot] = length;
    qcsrPlaceRows<Row, Word>(a, m, cut, start, static_cast<unsigned>(place), lane);
  }
}

template <class Row, class Word, class Args>
__device__ __forceinline__ void qcsrPlaceChunk(const Args &a, const QcsrMemory &m, int thread,
                                               Int64 chunk) {
  using Team = QcsrTeam<Row>;
  using Offset = decltype(+a.chunkTiles[0]);
  using Column = decltype(+a.tileFirst[0]);
  QcsrTileStart start = qcsrChunkStart(a, chunk);
  if (thread == 0 && a.stage)
    a.chunkTiles[chunk] = static_cast<Offset>(start.tile);
  if (thread == 0 && !a.stage)
    qcsrBeginStream(a, chunk, start.batch, start.line, start.rowWord);
  QcsrChunkCut<Row, Args> cut(a, m, thread, chunk);
  while (cut.hasNext()) {
    cut.cutNext(sizeof(Word) / sizeof(Row));
    if (a.stage && thread < a.streams)
      qcsrBeginStream(a, start.tile * a.streams + thread, start.batch + m.batchAt[thread],
                      start.line + m.lineAt[thread], start.rowWord + m.wordAt[thread]);
    if (a.stage && thread == 0) {
      a.tileFirst[start.tile] = static_cast<Column>(cut.firstColumn);
      a.tileEnd[start.tile] = static_cast<Column>(cut.endColumn);
    }
    qcsrPlaceBatches<Team>(a, m, cut, start, thread);
    teamSync<Team::kThreads>();
    qcsrPlaceSlices<Team>(a, m, cut, start, thread);
    teamSync<Team::kThreads>();
    qcsrPlaceSegments<Row, Word>(a, m, cut, start, thread);
    start = {start.tile + 1,
             start.slice + cut.slices,
             start.batch + m.batchAt[32],
             start.line + m.lineAt[32],
             start.rowWord + m.wordAt[32],
             a.stage ? 0 : start.slicesBefore + cut.slices};
    teamSync<Team::kThreads>();
  }
}

// Writes the ends of the arrays, and the streams of warps without a chunk. Called by one block.
template <class Args> __device__ __forceinline__ void qcsrPlaceEnds(const Args &a) {
  using Offset = decltype(+a.sliceLine[0]);
  const int thread = static_cast<int>(threadIdx.x);
  const QcsrTileStart end = qcsrChunkStart(a, a.chunks);
  for (int i = thread; i < 64; i += kSetupBlock)
    a.sliceRows[end.rowWord * 32 + i] = 0;
  for (Int64 s = (a.stage ? end.tile * a.streams : a.chunks) + thread; s <= a.allStreams;
       s += kSetupBlock)
    qcsrBeginStream(a, s, end.batch, end.line, end.rowWord);
  if (thread == 0)
    a.sliceLine[end.slice] = static_cast<Offset>(end.line);
  if (thread == 0 && a.stage)
    a.chunkTiles[a.chunks] = static_cast<Offset>(end.tile);
}

template <class Index, class Offset, class Column, class Row, class Word>
__device__ __forceinline__ void
qcsrPlace(const QcsrPlaceArgs<Index, Offset, Column, Row, Word> &a) {
  using Team = QcsrTeam<Row>;
  SPECMV_SHARED_ARRAY(unsigned, words, Team::kWords *Team::kTeams);
  SPECMV_SHARED_ARRAY(Int64, parts, Team::kParts);
  const int team = static_cast<int>(threadIdx.x) / Team::kThreads;
  const int thread = static_cast<int>(threadIdx.x) % Team::kThreads;
  if (blockIdx.x == 0)
    qcsrPlaceEnds(a);
  const QcsrMemory m = qcsrMemoryIn<Team>(words + team * Team::kWords, parts);
  for (Int64 chunk = Int64(blockIdx.x) * Team::kTeams + team; chunk < a.chunks;
       chunk += Int64(gridDim.x) * Team::kTeams)
    qcsrPlaceChunk<Row, Word>(a, m, thread, chunk);
}

} // namespace specmv
