// Packs a matrix in column tiles on the host: places the entries, marks the ends of rows, and
// divides the work among blocks and warps.
#include "generator/formats/ctile/layout.h"

#include "generator/shared/open_rows.h"
#include "generator/shared/padded.h"
#include "generator/shared/typed_array.h"
#include "models/base/error.h"
#include "models/base/parallel.h"
#include "templates/pack/ctile_sizes.cuh"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <bit>

namespace specmv {

// Tiles begin at whole lines of 128 bytes of x, if x does.
constexpr int64_t kCtileWidthStep = 32;

int64_t ctileWidth(const Plan &plan, int64_t cols) {
  const int64_t most = plan.get(key::kCtileColumns);
  const int64_t tiles = std::max<int64_t>(1, ceilDiv(cols, most));
  return std::min(most, roundUp(std::max<int64_t>(1, ceilDiv(cols, tiles)), kCtileWidthStep));
}

int64_t ctileTiles(const Plan &plan, int64_t cols) {
  return std::max<int64_t>(1, ceilDiv(cols, ctileWidth(plan, cols)));
}

Fields ctileFields(const Plan &plan, const Problem &problem, const CtileCounts &n) {
  const auto [value, offset, column] = kernelTypesOf(plan, problem);
  const int64_t warps = plan.get(key::kCtileThreads) / 32;
  Fields out = joined(
      {{array("blockPiece", ElementType::i32, n.blocks + 1), array("pieceColumn", column, n.pieces),
        array("shareBatch", ElementType::i32, n.pieces * warps + 1),
        array("shareRow", offset, n.pieces * warps + 1),
        array("ends", ElementType::u16, n.batches * 32),
        array("local", ElementType::u16, n.batches * kCtileBatch)},
       valueFields(plan, problem, n.batches * kCtileBatch)});
  if (ctileHasSums(plan)) {
    out.push_back(fieldOfX(problem));
    out.push_back(scratch("y", value, n.rows * n.tiles));
    out.back().argument.source = "sums";
  } else {
    out.append(vectors(problem));
  }
  out.append({number("rows", offset, n.rows * n.tiles, "tileRows"), number("cols", column, n.cols),
              number("width", column, ctileWidth(plan, n.cols))});
  out.append(openRowFields(problem, n.blocks));
  out.push_back(ifGeneral(ctileIsGeneral(plan), number(kCtileColumnsNumber, ElementType::i32,
                                                       plan.get(key::kCtileColumns))));
  return out;
}

Fields ctileSumsFields(const Plan &plan, const Problem &problem, const CtileCounts &n) {
  const auto [value, offset, column] = kernelTypesOf(plan, problem);
  Fields out = {scratch("sums", value, n.rows * n.tiles)};
  for (const Field &field : vectors(problem))
    if (field.argument.binding != Binding::x)
      out.push_back(field);
  out.append({number("rows", offset, n.rows), number("tiles", offset, n.tiles)});
  return out;
}

Fields ctileAllFields(const Plan &plan, const Problem &problem, const CtileCounts &n) {
  const Fields product = ctileFields(plan, problem, n);
  return ctileHasSums(plan) ? joined({product, ctileSumsFields(plan, problem, n)}) : product;
}

int64_t ctileWindowBytes(int64_t columns, ValueType type) {
  // Padding reads one more value, a 0.
  return (columns + 1) * static_cast<int64_t>(sizeOf(type));
}

int64_t ctileSharedBytes(const Plan &plan, ValueType type) {
  return ctileWindowBytes(plan.get(key::kCtileColumns), type) +
         2 * plan.get(key::kCtileThreads) / 32 * static_cast<int64_t>(sizeOf(type));
}

std::string whyNoCtile(int64_t rows, int64_t tiles, int64_t nnz, int64_t slots) {
  return whyTooPadded(
      llvm::formatv("{0} tiles of columns, in which each of {1} rows has a slot,", tiles, rows),
      slots, nnz, rows + (tiles + 1) * kCtileBatch);
}

// Rows that a thread of the host takes at a time.
constexpr int64_t kCtileGrain = 1024;

namespace {
// Fills one layout.
template <class I> class CtileFiller {
public:
  CtileFiller(const CsrPattern<I> &a, const Plan &plan)
      : a_(a), columns_(plan.get(key::kCtileColumns)), width_(ctileWidth(plan, a.cols)),
        tiles_(ctileTiles(plan, a.cols)), starts_(static_cast<size_t>(a.rows * tiles_)) {}

  // Finds the first slot of each row of each tile; each has one at least, and the last of a tile
  // fills the batch.
  void placeRows() {
    parallelFor(a_.rows, kCtileGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        for (int64_t e = a_.rowPtr[row]; e < a_.rowPtr[row + 1]; ++e)
          ++starts_[placeOf(row, e)];
    });
    int64_t slot = 0;
    for (int64_t place = 0; place < rows(); ++place) {
      if (place % a_.rows == 0)
        tileBatch.push_back((slot = roundUp(slot, kCtileBatch)) / kCtileBatch);
      const int64_t count = starts_[place];
      starts_[place] = slot;
      slot += std::max<int64_t>(1, count);
    }
    tileBatch.push_back(ceilDiv(slot, kCtileBatch));
  }

  // The batch with which a warp's share of a piece begins; to be called before placeEntries().
  int64_t firstBatch(const CtilePieces &pieces, int64_t piece, int64_t warp, int64_t warps,
                     int64_t endSlots) const {
    const int64_t tile = pieces.tile[piece], first = tile * a_.rows,
                  before = tileBatch[tile] * kCtileBatch;
    const auto slotOf = [&](int64_t row) {
      return (row < a_.rows ? starts_[first + row] : tileBatch[tile + 1] * kCtileBatch) - before;
    };
    const int64_t work = ctileWorkBefore(pieces.begin[piece], pieces.end[piece], warp, warps);
    return (before + ctileSlotAtWork(slotOf, a_.rows, endSlots, work)) / kCtileBatch;
  }

  // Marks the last entry of each row, and counts the rows that end before each lane and batch.
  void markEnds(uint16_t *ends) {
    for (int64_t place = 0; place < rows(); ++place) {
      const int64_t last = endOf(place) - 1;
      ends[last / kCtileEntries] |= static_cast<uint16_t>(1U << (last % kCtileEntries));
    }
    batchRow.resize(static_cast<size_t>(batches()) + 1);
    for (int64_t batch = 0; batch < batches(); ++batch) {
      unsigned before = 0;
      for (uint16_t *lane = ends + 32 * batch; lane < ends + 32 * (batch + 1); ++lane) {
        const auto own = static_cast<unsigned>(std::popcount(*lane));
        *lane = static_cast<uint16_t>(*lane | before << kCtileEntries);
        before += own;
      }
      batchRow[batch + 1] = batchRow[batch] + before;
    }
    ends_ = ends;
  }

  // Gives each entry its slot. The starts of rows become their ends.
  void placeEntries(uint16_t *local, uint32_t *slots) {
    parallelFor(batches() * kCtileBatch, kCopyGrain, [&](int64_t begin, int64_t end) {
      std::fill(local + begin, local + end, static_cast<uint16_t>(columns_));
    });
    parallelFor(a_.rows, kCtileGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        for (int64_t e = a_.rowPtr[row]; e < a_.rowPtr[row + 1]; ++e) {
          const int64_t at = starts_[placeOf(row, e)]++;
          local[at] = static_cast<uint16_t>(a_.col[e] % width_);
          slots[e] = static_cast<uint32_t>(ctileSlot(at));
        }
    });
  }

  // The row that is open before a batch; kNoRow if one ends there.
  int64_t openRowAt(int64_t batch) const {
    const bool isOpen = batch > 0 && !(ends_[32 * batch - 1] >> (kCtileEntries - 1) & 1);
    return isOpen ? batchRow[batch] : int64_t{kNoRow};
  }

  int64_t rows() const { return a_.rows * tiles_; }
  int64_t batches() const { return tileBatch.back(); }

  std::vector<int64_t> tileBatch, batchRow; // of each tile or batch and of the end

private:
  int64_t placeOf(int64_t row, int64_t entry) const {
    return a_.col[entry] / width_ * a_.rows + row;
  }
  int64_t endOf(int64_t place) const {
    const int64_t next = place + 1;
    return next % a_.rows == 0 ? tileBatch[next / a_.rows] * kCtileBatch : starts_[next];
  }

  const CsrPattern<I> &a_;
  int64_t columns_, width_, tiles_;
  std::vector<int64_t> starts_; // by tile and row
  const uint16_t *ends_ = nullptr;
};
} // namespace

// An SM of an H200 copies about so many columns of x in the time in which its share of the memory
// rate delivers a batch (an estimate).
constexpr int64_t kCtileColumnsPerBatch = 1024;

// The end of a row takes the same time in both types, and a slot takes longer in f64. Of 0, 1, 2, 4
// and 8 slots, these gave the shortest products on an H200 (tests/bench/README.md, "Column tiles,
// columns in bytes, hot columns, orders").
int64_t ctileEndSlots(const Problem &problem) {
  return vectorTypeOf(problem) == ValueType::f64 ? 2 : 4;
}

int64_t ctileWorkOfEnds(const Problem &problem, int64_t rows) {
  return ctileEndSlots(problem) * rows / kCtileBatch;
}

CtileWork ctileWorkOf(const Plan &plan, const Problem &problem, int64_t cols) {
  return {.start = ceilDiv(ctileWidth(plan, cols), kCtileColumnsPerBatch),
          .least = plan.get(key::kCtileThreads) / 32,
          .batch = 1 + ctileEndSlots(problem)};
}

CtilePieces ctilePiecesOf(const Plan &plan, const Problem &problem, const MatrixSize &a,
                          llvm::ArrayRef<int64_t> tileBatch) {
  std::vector<int64_t> work;
  for (size_t tile = 0; tile + 1 < tileBatch.size(); ++tile)
    work.push_back(tileBatch[tile + 1] - tileBatch[tile] + ctileWorkOfEnds(problem, a.rows));
  return ctilePieces(work, plan.get(key::kCtileBlocks), ctileWorkOf(plan, problem, a.cols));
}

// To be called after markEnds() and before placeEntries().
template <class I>
static void fillCtilePieces(const CtilePieces &pieces, const CtileFiller<I> &filler,
                            const Plan &plan, const Problem &problem, Layout &out) {
  const int64_t warps = plan.get(key::kCtileThreads) / 32, endSlots = ctileEndSlots(problem);
  ArrayWriter blockPiece(out.find("blockPiece")), pieceColumn(out.find("pieceColumn")),
      shareBatch(out.find("shareBatch")), shareRow(out.find("shareRow"));
  std::vector<int64_t> first; // batches of the shares
  for (int64_t piece = 0; piece < pieces.pieces(); ++piece) {
    pieceColumn.set(piece, pieces.tile[piece] * ctileWidth(plan, out.integer("cols")));
    for (int64_t warp = 0; warp < warps; ++warp)
      first.push_back(filler.firstBatch(pieces, piece, warp, warps, endSlots));
  }
  first.push_back(filler.batches());
  for (size_t share = 0; share < first.size(); ++share) {
    shareBatch.set(static_cast<int64_t>(share), first[share]);
    shareRow.set(static_cast<int64_t>(share), filler.batchRow[first[share]]);
  }
  std::vector<int64_t> openRow;
  for (int64_t block = 0; block <= pieces.blocks(); ++block) {
    blockPiece.set(block, pieces.blockPiece[block]);
    openRow.push_back(filler.openRowAt(first[pieces.blockPiece[block] * warps]));
  }
  fillOpenRows(out, openRow);
}

llvm::Error checkCtilePlan(const Plan &plan, const MatrixSize &a, const Problem &problem) {
  const int64_t bytes = ctileSharedBytes(plan, vectorTypeOf(problem));
  if (bytes > kMostSharedBytes)
    return fail(
        Status::notApplicable,
        "the plan needs {0} bytes of shared memory for ctile.columns = {1}; the limit is {2}",
        bytes, plan.get(key::kCtileColumns), kMostSharedBytes);
  const int64_t tiles = ctileTiles(plan, a.cols);
  if (tiles > 1 && !ctileHasSums(plan))
    return fail(Status::notApplicable,
                "the plan is for one tile of {0} columns; the matrix has {1} columns",
                plan.get(key::kCtileColumns), a.cols);
  // Before anything is allocated, with as few slots as there may be.
  const int64_t rows = a.rows,
                least = std::max(a.nnz, rows <= kMaxSlots / tiles ? rows * tiles : kMaxSlots + 1);
  if (const std::string why = whyNoCtile(rows, tiles, a.nnz, least); !why.empty())
    return fail(Status::notApplicable, "{0}", why);
  return llvm::Error::success();
}

llvm::Error checkCtileSlots(const Plan &plan, const MatrixSize &a, int64_t slots) {
  if (slots > kMaxSlots)
    return fail(Status::notApplicable, "ctile needs {0} slots for this matrix; the limit is {1}",
                slots, kMaxSlots);
  return checkIndexTypes(plan, a.rows, a.cols, slots);
}

llvm::Expected<Layout> ctileLayout(const CsrView &a, const Plan &plan, const Problem &problem) {
  if (llvm::Error error = checkCtilePlan(plan, dimensionsOf(a), problem))
    return error;
  return visitPattern(a, [&](auto pattern) -> llvm::Expected<Layout> {
    CtileFiller filler(pattern, plan);
    filler.placeRows();
    if (llvm::Error error = checkCtileSlots(plan, dimensionsOf(a), filler.batches() * kCtileBatch))
      return error;
    const CtilePieces pieces = ctilePiecesOf(plan, problem, dimensionsOf(a), filler.tileBatch);
    const CtileCounts n{a.rows,          a.cols,          ctileTiles(plan, a.cols),
                        pieces.blocks(), pieces.pieces(), filler.batches()};
    Layout out;
    addFields(out, ctileAllFields(plan, problem, n));
    out.slots = Slots(static_cast<size_t>(a.nnz));
    filler.markEnds(out.find("ends")->as<uint16_t>());
    fillCtilePieces(pieces, filler, plan, problem, out);
    filler.placeEntries(out.find("local")->as<uint16_t>(), out.slots.data());
    return out;
  });
}

} // namespace specmv
