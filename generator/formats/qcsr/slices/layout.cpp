// Packs a matrix for QCSR in slices: the streams of all warps, one after the other, as
// templates/qcsr_slices.cuh reads them.
#include "generator/formats/qcsr/slices/layout.h"
#include "generator/emit.h"
#include "generator/formats/qcsr/qcsr.h"
#include "generator/shared/typed_array.h"
#include "models/base/error.h"
#include "templates/pack/slots.cuh"

#include <algorithm>

namespace specmv {

namespace {
// The first element of a chunk or stream in each array of the whole matrix, and the widest window
// of the chunks before it.
struct Start {
  int64_t tile = 0, stream = 0, batch = 0, line = 0, rowWord = 0, window = 0;
};
} // namespace

static int64_t rowWords(const QcsrSliceShape &shape, llvm::ArrayRef<QcsrSlice> stream) {
  return ceilDiv(static_cast<int64_t>(stream.size()), qcsrRowsPerWord(shape.rows));
}

// The number of elements of a chunk in each array.
static Start sizeOfChunk(const QcsrSliceShape &shape, const QcsrSlices &chunk) {
  Start size{.tile = chunk.tiles, .stream = chunk.streams};
  forEachStream(chunk, [&](llvm::ArrayRef<QcsrSlice> stream) {
    size.rowWord += rowWords(shape, stream);
    while (!stream.empty()) {
      const llvm::ArrayRef<QcsrSlice> tile = qcsrFirstTile(stream);
      stream = stream.drop_front(tile.size());
      size.line += qcsrLines(tile);
      size.batch += ceilDiv(qcsrLines(tile), kQcsrBatch);
    }
  });
  return size;
}

// The most columns that the chunk spans in one tile, from its first to its last entry.
static int64_t windowOf(const QcsrChunk &chunk) {
  int64_t widest = 0;
  for (size_t s = 0; s < chunk.segments.size();) {
    const llvm::ArrayRef<QcsrSegment> tile = qcsrTileAt(chunk, s);
    const auto [first, end] = qcsrColumnsOf(chunk, tile);
    widest = std::max(widest, end - first);
    s += tile.size();
  }
  return widest;
}

// The starts of all chunks, then the end of the last one.
static std::vector<Start> sliceStarts(const CsrView &a, const QcsrSliceShape &shape) {
  std::vector<Start> starts(ceilDiv(a.rows, shape.rows) + 1);
  qcsrForEachChunk(a, shape.d, shape.rows, shape.borders(), [&](int64_t c, QcsrChunk &chunk) {
    starts[c + 1] = sizeOfChunk(shape, qcsrSlice(shape, chunk));
    starts[c + 1].window = windowOf(chunk);
  });
  for (size_t c = 1; c < starts.size(); ++c) {
    starts[c].tile += starts[c - 1].tile;
    starts[c].stream += starts[c - 1].stream;
    starts[c].batch += starts[c - 1].batch;
    starts[c].line += starts[c - 1].line;
    starts[c].rowWord += starts[c - 1].rowWord;
    starts[c].window = std::max(starts[c].window, starts[c - 1].window);
  }
  return starts;
}

namespace {
// Fills the arrays of one layout, chunk by chunk. Chunks write disjoint elements, so threads may
// fill them at the same time.
class SliceFiller {
public:
  SliceFiller(const QcsrSliceShape &shape, Layout &out)
      : shape_(shape), out_(out), streamBatch_(out.find("streamBatch")),
        streamLine_(out.find("streamLine")), streamRows_(out.find("streamRows")),
        batch_(out.find("batch")), rows_(out.find("sliceRows"), qcsrRowType(shape.rows)),
        local_(out.find("local")), chunkTiles_(out.find("chunkTiles")),
        tileFirst_(out.find("tileFirst")), tileEnd_(out.find("tileEnd")) {}

  void fill(int64_t c, QcsrChunk &chunk, Start at) {
    const QcsrSlices sliced = qcsrSlice(shape_, chunk);
    chunkTiles_.set(c, at.tile);
    std::vector<int64_t> firsts; // for each tile, the column from which its local columns count
    for (size_t s = 0; s < chunk.segments.size(); ++at.tile) {
      const llvm::ArrayRef<QcsrSegment> tile = qcsrTileAt(chunk, s);
      s += tile.size();
      const auto [first, end] = qcsrColumnsOf(chunk, tile);
      tileFirst_.set(at.tile, first);
      tileEnd_.set(at.tile, end);
      firsts.push_back(first);
    }
    size_t streams = 0;
    forEachStream(sliced, [&](llvm::ArrayRef<QcsrSlice> stream) {
      const int64_t origin = shape_.stage ? firsts[streams++ / shape_.warps] : 0;
      beginStream(at);
      for (size_t s = 0; s < stream.size(); ++s)
        fillRows(stream[s], at.rowWord, static_cast<int64_t>(s));
      at.rowWord += rowWords(shape_, stream);
      fillStream(chunk, stream, origin, at);
    });
  }

  // Writes the end of the last chunk, and adds empty streams up to `streams` in all.
  void finish(int64_t chunks, Start at, int64_t streams) {
    chunkTiles_.set(chunks, at.tile);
    while (at.stream <= streams)
      beginStream(at);
  }

private:
  void beginStream(Start &at) {
    streamBatch_.set(at.stream, at.batch);
    streamLine_.set(at.stream, at.line);
    streamRows_.set(at.stream++, at.rowWord);
  }

  void fillStream(const QcsrChunk &chunk, llvm::ArrayRef<QcsrSlice> stream, int64_t origin,
                  Start &at) {
    while (!stream.empty()) {
      const llvm::ArrayRef<QcsrSlice> tile = qcsrFirstTile(stream);
      stream = stream.drop_front(tile.size());
      fillBatches(tile, at.batch);
      for (const QcsrSlice &slice : tile)
        for (int64_t k = 0; k < slice.width(); ++k)
          fillLine(chunk, slice, k, origin, at.line++);
    }
  }

  // Fills the rows of slice `number` of the stream. Lanes without a segment get distinct rows that
  // have no segment in this tile, so that all lanes can add their sums without a check.
  void fillRows(const QcsrSlice &slice, int64_t rowWord, int64_t number) {
    const int64_t perWord = qcsrRowsPerWord(shape_.rows);
    const int64_t word = (rowWord + number / perWord) * kQcsrLanes;
    auto set = [&](size_t lane, int64_t row) {
      rows_.set((word + static_cast<int64_t>(lane)) * perWord + number % perWord, row);
    };
    size_t lane = 0;
    for (; lane < slice.segments.size(); ++lane)
      set(lane, slice.segments[lane].row);
    if (lane == kQcsrLanes)
      return;
    std::vector<bool> isUsed(shape_.rows);
    for (const QcsrSegment &s : slice.tile)
      isUsed[s.row] = true;
    for (int64_t row = 0; lane < kQcsrLanes; ++row)
      if (!isUsed[row])
        set(lane++, row);
  }

  void fillBatches(llvm::ArrayRef<QcsrSlice> tile, int64_t &batch) {
    const int64_t column = tile[0].tile[0].tile;
    int64_t lines = 0, ends = 0;
    auto close = [&] {
      batch_.set(batch++, column << kQcsrTileBit | lines << kQcsrLinesBit | ends);
      lines = ends = 0;
    };
    for (const QcsrSlice &slice : tile)
      for (int64_t left = slice.width(); left > 0; --left) {
        ends |= int64_t(left == 1) << lines;
        if (++lines == kQcsrBatch)
          close();
      }
    if (lines > 0)
      close();
  }

  void fillLine(const QcsrChunk &chunk, const QcsrSlice &slice, int64_t k, int64_t origin,
                int64_t line) {
    int64_t slot = qcsrSlot(line, 0);
    const int64_t end = qcsrSlot(line, kQcsrLanes);
    for (const QcsrSegment &s : slice.segments) {
      if (s.length() <= k)
        break; // the segments after it are as short
      const int64_t i = s.begin + k;
      local_.set(slot,
                 shape_.stage ? chunk.columns[i] - origin : chunk.columns[i] & (shape_.d - 1));
      out_.slots[chunk.entries[i]] = static_cast<uint32_t>(slot++);
    }
    for (; slot < end; ++slot)
      local_.set(slot, shape_.stage ? shape_.window : shape_.d);
  }

  const QcsrSliceShape &shape_;
  Layout &out_;
  ArrayWriter streamBatch_, streamLine_, streamRows_, batch_, rows_, local_, chunkTiles_,
      tileFirst_, tileEnd_;
};
} // namespace

llvm::Expected<Layout> qcsrSlicesLayout(const CsrView &a, const Plan &plan,
                                        const Problem &problem) {
  if (llvm::Error error = checkQcsrSlicesPlan(plan, vectorTypeOf(problem)))
    return error;
  const QcsrSliceShape shape = qcsrSliceShapeOf(plan);
  const std::vector<Start> starts = sliceStarts(a, shape);
  const auto chunks = static_cast<int64_t>(starts.size()) - 1;
  const Start total = starts.back();
  const QcsrSliceCounts counts{.rows = a.rows,
                               .chunks = chunks,
                               .tiles = total.tile,
                               .streams = qcsrStreamsOf(plan, chunks, total.tile),
                               .batches = total.batch,
                               .rowWords = total.rowWord,
                               .lines = total.line};
  if (llvm::Error error = checkQcsrSlicesSize(dimensionsOf(a), plan, counts, total.window))
    return error;

  Layout out;
  addFields(out, qcsrSliceFields(plan, problem, counts));
  out.slots = Slots(static_cast<size_t>(a.nnz));
  SliceFiller filler(shape, out);
  qcsrForEachChunk(a, shape.d, shape.rows, shape.borders(), [&](int64_t c, QcsrChunk &chunk) {
    SliceFiller(filler).fill(c, chunk, starts[c]);
  });
  filler.finish(chunks, total, counts.streams);
  return out;
}

} // namespace specmv
