// Packs a matrix for QCSR: the leaves that qcsr_pack cuts become the arrays of templates/qcsr.cuh.
#include "generator/qcsr_pack.h"
#include "generator/source.h"
#include "generator/writer.h"
#include "models/error.h"
#include "models/parallel.h"

#include <limits>

namespace specmv {

ElementType qcsrLocalType(int64_t d) {
  return d <= 256 ? ElementType::u8 : d <= 65536 ? ElementType::u16 : ElementType::i32;
}

namespace {

// Where a chunk's parts begin in the arrays of the whole matrix.
struct ChunkStart {
  int64_t tile = 0, segment = 0, slot = 0, piece = 0;
};

std::vector<ChunkStart> chunkStarts(const std::vector<QcsrChunk> &chunks, int64_t align) {
  std::vector<ChunkStart> starts(chunks.size() + 1);
  for (size_t c = 0; c < chunks.size(); ++c) {
    ChunkStart next = starts[c];
    next.tile += static_cast<int64_t>(chunks[c].tiles.size());
    for (const QcsrTile &tile : chunks[c].tiles) {
      next.piece += tile.full;
      next.segment += tile.full ? 0 : static_cast<int64_t>(tile.segments.size());
      for (const QcsrSegment &s : tile.segments)
        next.slot += tile.full ? 0 : roundUp(s.end - s.begin, align);
    }
    starts[c + 1] = next;
  }
  return starts;
}

// Fills the arrays of one layout, chunk by chunk; chunks touch disjoint elements.
template <class I> class QcsrFiller {
public:
  QcsrFiller(const CsrPattern<I> &a, const QcsrShape &shape, Layout &out, int64_t fullBegin)
      : a_(a), shape_(shape), out_(out), fullBegin_(fullBegin),
        tileColumn_(*out.find("tileColumn")), tileSegments_(*out.find("tileSegments")),
        tileFull_(*out.find("tileFull")), segmentRow_(*out.find("segmentRow")),
        segmentStart_(*out.find("segmentStart")), segmentLength_(*out.find("segmentLength")),
        local_(*out.find("local")), fullBits_(out.find("fullBits")->as<uint8_t>()) {}

  void fill(const QcsrChunk &chunk, ChunkStart at) {
    for (const QcsrTile &tile : chunk.tiles) {
      tileColumn_.set(at.tile, tile.column);
      tileFull_.set(at.tile, tile.full ? at.piece : -1);
      if (tile.full)
        fillFull(chunk, tile, at.piece++);
      else
        fillSparse(chunk, tile, at);
      tileSegments_.set(++at.tile, at.segment);
    }
  }

private:
  void fillSparse(const QcsrChunk &chunk, const QcsrTile &tile, ChunkStart &at) {
    for (const QcsrSegment &s : tile.segments) {
      segmentRow_.set(at.segment, s.row);
      segmentStart_.set(at.segment, at.slot / shape_.align);
      segmentLength_.set(at.segment++, s.end - s.begin);
      for (int64_t i = s.begin; i < s.end; ++i) {
        const int64_t entry = chunk.entries[i], slot = at.slot + i - s.begin;
        local_.set(slot, a_.col[entry] - tile.column * shape_.d);
        out_.slots[entry] = static_cast<uint32_t>(slot);
      }
      at.slot += roundUp(s.end - s.begin, shape_.align);
    }
  }

  void fillFull(const QcsrChunk &chunk, const QcsrTile &tile, int64_t piece) {
    for (const QcsrSegment &s : tile.segments)
      for (int64_t i = s.begin; i < s.end; ++i) {
        const int64_t entry = chunk.entries[i];
        const int64_t bit = (piece * shape_.rowsPerBlock + s.row) * shape_.d + a_.col[entry] -
                            tile.column * shape_.d;
        fullBits_[bit / 8] |= static_cast<uint8_t>(1U << (bit % 8));
        out_.slots[entry] = static_cast<uint32_t>(fullBegin_ + bit);
      }
  }

  const CsrPattern<I> &a_;
  const QcsrShape &shape_;
  Layout &out_;
  int64_t fullBegin_;
  Writer tileColumn_, tileSegments_, tileFull_, segmentRow_, segmentStart_, segmentLength_, local_;
  uint8_t *fullBits_;
};

void addArrays(Layout &out, const Plan &plan, const Problem &problem, int64_t chunks,
               const ChunkStart &total, int64_t fullSlots) {
  const auto [offset, column] = indexTypesOf(plan);
  out.add("chunkTiles", offset, chunks + 1);
  out.add("tileColumn", column, total.tile);
  out.add("tileSegments", offset, total.tile + 1);
  out.add("tileFull", offset, total.tile);
  out.add("segmentRow", ElementType::u16, total.segment);
  out.add("segmentStart", offset, total.segment);
  out.add("segmentLength", ElementType::i32, total.segment);
  out.add("local", qcsrLocalType(plan.get("qcsr.d")), total.slot);
  out.add("val", elementOf(problem.type), total.slot + fullSlots);
  out.add("fullBits", ElementType::u8, fullSlots / 8);
}

QcsrShape shapeOf(const Plan &plan) {
  return {plan.get("qcsr.d"), plan.get("rowsPerBlock"), plan.get("qcsr.align"),
          plan.get("full") ? plan.getReal("qcsr.fill") : std::numeric_limits<double>::infinity()};
}

} // namespace

constexpr PlanNumber kNumbers[] = {{"qcsr.d", 16, 1 << 20, true},
                                   {"qcsr.lanes", 1, 32, true},
                                   {"qcsr.align", 1, 64},
                                   // its sums lie in shared memory, 48 KB at most
                                   {"rowsPerBlock", 1, 4096, true},
                                   {"full", 0, 1},
                                   kBlockNumber};

static llvm::Error checkPlan(const Plan &plan) {
  if (llvm::Error error = checkNumbers(plan, kNumbers))
    return error;
  if (plan.get("rowsPerBlock") > plan.get("qcsr.d"))
    return fail(Status::notApplicable, "plan has rowsPerBlock = {0}, more than qcsr.d = {1}",
                plan.get("rowsPerBlock"), plan.get("qcsr.d"));
  if (!(plan.getReal("qcsr.fill", -1) >= 0))
    return fail(Status::notApplicable, "plan has qcsr.fill = {0}, which is no ratio",
                plan.getReal("qcsr.fill", -1));
  return llvm::Error::success();
}

llvm::Expected<Layout> qcsrLayout(const CsrView &a, const Plan &plan, const Problem &problem) {
  if (llvm::Error error = checkPlan(plan))
    return error;
  const QcsrShape shape = shapeOf(plan);
  const std::vector<QcsrChunk> chunks = qcsrChunks(a, shape);
  const std::vector<ChunkStart> starts = chunkStarts(chunks, shape.align);
  const ChunkStart &total = starts.back();
  const int64_t fullSlots = total.piece * shape.rowsPerBlock * shape.d;
  if (total.slot + fullSlots > kMaxSlots)
    return fail(Status::notApplicable, "{0} slots exceed {1}", total.slot + fullSlots, kMaxSlots);
  if (llvm::Error error = checkIndexTypes(plan, a.rows, a.cols, total.slot + fullSlots))
    return error;

  Layout out;
  const auto count = static_cast<int64_t>(chunks.size());
  addArrays(out, plan, problem, count, total, fullSlots);
  out.slots.resize(a.nnz);
  Writer chunkTiles(*out.find("chunkTiles"));
  for (int64_t c = 0; c <= count; ++c)
    chunkTiles.set(c, starts[c].tile);
  visitPattern(a, [&](auto pattern) {
    QcsrFiller filler(pattern, shape, out, total.slot);
    parallelFor(count, 1,
                [&](int64_t c, int64_t) { QcsrFiller(filler).fill(chunks[c], starts[c]); });
  });
  out.integers = {{"rows", a.rows}, {"fullBegin", total.slot}, {"chunks", count}};
  out.slotsAreShared = total.piece > 0; // repeated entries of a Full leaf
  storeValues(out, a);
  return out;
}

} // namespace specmv
