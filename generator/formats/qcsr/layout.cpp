// Packs a matrix in the layout of the QCSR paper: first the aligned segments of Sparse tiles, one
// after the other, then the pieces of Full tiles.
#include "generator/formats/qcsr/qcsr.h"

#include "generator/emit.h"
#include "generator/formats/qcsr/cut.h"
#include "generator/shared/typed_array.h"
#include "models/base/error.h"

#include <algorithm>

namespace specmv {

namespace {
struct ChunkShape {
  int64_t d, rows, align;
  QcsrBorders borders;
  QcsrRanges chunks, tileRows, tileColumns;
};

// The first element of a chunk in each array of the whole matrix.
struct ChunkStart {
  int64_t tile = 0, segment = 0, slot = 0, piece = 0;
};
} // namespace

static bool isFull(const QcsrTileList &full, const ChunkShape &shape, int64_t chunk, int64_t tile) {
  return std::binary_search(full.begin(), full.end(),
                            std::pair(shape.tileRows.at(shape.chunks.begin(chunk)), tile));
}

static std::vector<ChunkStart> treeStarts(const CsrView &a, const ChunkShape &shape,
                                          const QcsrTileList &full) {
  std::vector<ChunkStart> starts(shape.chunks.count() + 1);
  qcsrForEachChunk(a, shape.d, shape.rows, shape.borders, [&](int64_t c, const QcsrChunk &chunk) {
    ChunkStart &own = starts[c + 1];
    for (size_t s = 0; s < chunk.segments.size();) {
      const auto tile = qcsrTileAt(chunk, s);
      s += tile.size();
      ++own.tile;
      if (isFull(full, shape, c, tile[0].tile)) {
        ++own.piece;
        continue;
      }
      own.segment += static_cast<int64_t>(tile.size());
      for (const QcsrSegment &segment : tile)
        own.slot += roundUp(segment.length(), shape.align);
    }
  });
  for (size_t c = 1; c < starts.size(); ++c) {
    starts[c].tile += starts[c - 1].tile;
    starts[c].segment += starts[c - 1].segment;
    starts[c].slot += starts[c - 1].slot;
    starts[c].piece += starts[c - 1].piece;
  }
  return starts;
}

namespace {
// Fills the arrays of one layout, chunk by chunk. Chunks write disjoint elements, so threads may
// fill them at the same time.
class TreeFiller {
public:
  TreeFiller(const ChunkShape &shape, const QcsrTileList &full, int64_t fullBegin, Layout &out)
      : shape_(shape), full_(full), fullBegin_(fullBegin), out_(out),
        tileColumn_(out.find("tileColumn")), tileSegments_(out.find("tileSegments")),
        tileFull_(out.find("tileFull")), tileFirst_(out.find("tileFirst")),
        tileEnd_(out.find("tileEnd")), segmentRow_(out.find("segmentRow")),
        segmentStart_(out.find("segmentStart")), segmentLength_(out.find("segmentLength")),
        local_(out.find("local")), fullBits_(out.find("fullBits")->as<uint8_t>()) {}

  void fill(int64_t c, const QcsrChunk &chunk, ChunkStart at) {
    for (size_t s = 0; s < chunk.segments.size();) {
      const auto tile = qcsrTileAt(chunk, s);
      s += tile.size();
      const bool isFullTile = isFull(full_, shape_, c, tile[0].tile);
      const auto [first, end] = qcsrColumnsOf(chunk, tile);
      tileColumn_.set(at.tile, shape_.tileColumns.begin(tile[0].tile));
      tileFirst_.set(at.tile, first);
      tileEnd_.set(at.tile, end);
      tileFull_.set(at.tile, isFullTile ? at.piece : -1);
      for (const QcsrSegment &segment : tile)
        isFullTile ? fillFull(chunk, segment, at.piece) : fillSparse(chunk, segment, at);
      at.piece += isFullTile;
      tileSegments_.set(++at.tile, at.segment);
    }
  }

private:
  void fillSparse(const QcsrChunk &chunk, const QcsrSegment &s, ChunkStart &at) {
    segmentRow_.set(at.segment, s.row);
    segmentStart_.set(at.segment, at.slot / shape_.align);
    segmentLength_.set(at.segment++, s.length());
    for (int64_t i = s.begin; i < s.end; ++i) {
      const int64_t slot = at.slot + i - s.begin;
      local_.set(slot, chunk.columns[i] - shape_.tileColumns.begin(s.tile));
      out_.slots[chunk.entries[i]] = static_cast<uint32_t>(slot);
    }
    at.slot += roundUp(s.length(), shape_.align);
  }

  void fillFull(const QcsrChunk &chunk, const QcsrSegment &s, int64_t piece) {
    for (int64_t i = s.begin; i < s.end; ++i) {
      const int64_t bit = (piece * shape_.rows + s.row) * shape_.d + chunk.columns[i] -
                          shape_.tileColumns.begin(s.tile);
      fullBits_[bit / 8] |= static_cast<uint8_t>(1U << (bit % 8));
      out_.slots[chunk.entries[i]] = static_cast<uint32_t>(fullBegin_ + bit);
    }
  }

  const ChunkShape &shape_;
  const QcsrTileList &full_;
  int64_t fullBegin_;
  Layout &out_;
  ArrayWriter tileColumn_, tileSegments_, tileFull_, tileFirst_, tileEnd_, segmentRow_,
      segmentStart_, segmentLength_, local_;
  uint8_t *fullBits_;
};
} // namespace

static llvm::Error checkTreePlan(const Plan &plan, const Problem &problem) {
  if (plan.get(key::kQcsrRows) > plan.get(key::kQcsrD))
    return fail(Status::notApplicable, "the plan's qcsr.rows = {0} is more than its qcsr.d = {1}",
                plan.get(key::kQcsrRows), plan.get(key::kQcsrD));
  return checkQcsrShared(plan, vectorTypeOf(problem));
}

llvm::Expected<Layout> qcsrLayout(const CsrView &a, const Plan &plan, const Problem &problem) {
  if (llvm::Error error = checkTreePlan(plan, problem))
    return error;
  const int64_t d = plan.get(key::kQcsrD), rows = plan.get(key::kQcsrRows);
  const QcsrBorders borders = qcsrIsHalved(plan) ? QcsrBorders::halved : QcsrBorders::ofMatrix;
  const ChunkShape shape{d,
                         rows,
                         plan.get(key::kQcsrAlign),
                         borders,
                         {a.rows, rows, borders},
                         {a.rows, d, borders},
                         {a.cols, d, borders}};
  const QcsrTileList full = plan.get(key::kQcsrFull)
                                ? qcsrFullTiles(a, d, plan.get(key::kQcsrFill), borders)
                                : QcsrTileList{};
  const std::vector<ChunkStart> starts = treeStarts(a, shape, full);
  const ChunkStart &total = starts.back();
  const int64_t fullSlots = total.piece * shape.rows * shape.d;
  if (total.slot + fullSlots > kMaxSlots)
    return fail(Status::notApplicable, "qcsr needs {0} slots for this matrix; the limit is {1}",
                total.slot + fullSlots, kMaxSlots);
  if (llvm::Error error = checkIndexTypes(plan, a.rows, a.cols, total.slot + fullSlots))
    return error;

  const auto chunks = static_cast<int64_t>(starts.size()) - 1;
  const Fields fields = qcsrTileFields(
      plan, problem, {a.rows, chunks, total.tile, total.segment, total.slot, fullSlots});
  // A piece of a Full leaf has rows x d slots, however narrow the halves are, which no plan
  // foretells.
  const int64_t stored = storedBytesOf(fields),
                most = qcsrMostBytes(plan.values, problem.type, a.nnz);
  if (qcsrIsHalved(plan) && stored > most)
    return fail(
        Status::notApplicable,
        "the halves of qcsr.d = {0} would store {1} bytes for {2} entries; the limit is {3}", d,
        stored, a.nnz, most);

  Layout out;
  addFields(out, fields);
  out.slots = Slots(static_cast<size_t>(a.nnz));
  ArrayWriter chunkTiles(out.find("chunkTiles"));
  for (int64_t c = 0; c <= chunks; ++c)
    chunkTiles.set(c, starts[c].tile);
  if (qcsrIsHalved(plan)) {
    ArrayWriter chunkRow(out.find("chunkRow"));
    for (int64_t c = 0; c <= chunks; ++c)
      chunkRow.set(c, c < chunks ? shape.chunks.begin(c) : a.rows);
  }
  TreeFiller filler(shape, full, total.slot, out);
  qcsrForEachChunk(a, d, rows, borders, [&](int64_t c, const QcsrChunk &chunk) {
    TreeFiller(filler).fill(c, chunk, starts[c]);
  });
  out.slotsAreShared = total.piece > 0; // repeated entries of a Full leaf share one
  return out;
}

} // namespace specmv
