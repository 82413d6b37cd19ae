// Packs a matrix into CSR5 (Liu and Vinter 2015); templates/csr5.cuh says what the arrays mean.
#include "generator/formats/csr5/layout.h"

#include "generator/shared/open_rows.h"
#include "models/base/error.h"
#include "models/base/parallel.h"
#include "templates/pack/slots.cuh"

#include <algorithm>

namespace specmv {

Csr5Shape::Csr5Shape(const Plan &plan, int64_t nnz)
    : omega(plan.get(key::kCsr5Omega)), sigma(plan.get(key::kCsr5Sigma)),
      groupTiles(plan.get(key::kCsr5Tiles)), block(plan.get(key::kBlock)),
      tiles(ceilDiv(nnz, omega * sigma)), hot(plan.get(key::kCsr5Hot, 0)) {}

Fields csr5HotFields(const Plan &plan, const Problem &problem) {
  const int64_t hot = plan.get(key::kCsr5Hot, 0);
  return {array("hotCol", indexTypesOf(plan).column, hot), fieldOfX(problem),
          scratch("hotX", elementOf(vectorTypeOf(problem)), hot),
          ifGeneral(hot == kAsArgument, number(kCsr5HotCount, ElementType::i32, hot))};
}

Fields csr5Fields(const Plan &plan, const Problem &problem, const Csr5Shape &shape) {
  const auto [offset, column] = indexTypesOf(plan);
  const int64_t lanes = shape.tiles * shape.omega;
  Fields out = joined(
      {{array("bitFlag", csr5FlagType(shape.sigma), lanes),
        array("laneOffset", ElementType::u16, lanes), array("tilePtr", offset, shape.tiles + 1),
        array("emptyPtr", offset, shape.emptyRows > 0 ? shape.tiles : 0),
        array("emptyOffset", offset, shape.gaps), array("emptyRow", offset, shape.emptyRows),
        array("col", column, shape.slots())},
       valueFields(plan, problem, shape.slots()),
       vectors(problem),
       {number("tileCount", offset, shape.tiles), number("emptyRows", offset, shape.emptyRows)},
       openRowFields(problem, shape.blocks())});
  if (shape.hot != 0)
    out.push_back(scratch("hotX", elementOf(vectorTypeOf(problem)), shape.hot));
  out.append(
      {ifGeneral(shape.groupTiles == kAsArgument,
                 number(kCsr5GroupTiles, ElementType::i32, shape.groupTiles)),
       ifGeneral(shape.hot == kAsArgument, number(kCsr5HotCount, ElementType::i32, shape.hot))});
  return out;
}

Fields allCsr5Fields(const Plan &plan, const Problem &problem, const Csr5Shape &shape) {
  Fields out = csr5Fields(plan, problem, shape);
  return shape.hot != 0 ? joined({std::move(out), csr5HotFields(plan, problem)}) : out;
}

int64_t csr5StaticBytes(const Plan &plan, int64_t valueBytes) {
  const Csr5Shape shape(plan, 0);
  // Of each group: sums, two more values, a flag.
  return shape.block / shape.omega * ((shape.stagedRows() * shape.omega + 2) * valueBytes + 1);
}

llvm::Error checkCsr5Plan(const MatrixSize &a, const Plan &plan, const Problem &problem,
                          int64_t emptyRows) {
  const Csr5Shape shape(plan, a.nnz);
  if (shape.hot > 0 && a.cols > kMaxHotCols)
    return fail(Status::notApplicable,
                "csr5-hot numbers columns by 32 bits and takes at most {0}; the matrix has {1}",
                kMaxHotCols, a.cols);
  const int64_t most = std::min<int64_t>(a.cols, kMaxHotBytes / sizeOf(vectorTypeOf(problem)));
  if (shape.hot > most)
    return fail(Status::notApplicable,
                "the plan's csr5.hot = {0} is more than {1}: there are {2} columns, and {3} bytes "
                "of shared memory for their x",
                shape.hot, most, a.cols, kMaxHotBytes);
  // At the end of a block, each of its groups is handled by one lane of the first warp.
  if (shape.block > 32 * shape.omega)
    return fail(Status::notApplicable, "the plan's block = {0} is more than 32 x csr5.omega = {1}",
                shape.block, 32 * shape.omega);
  if ((emptyRows > 0) != (plan.get(key::kCsr5Empty) != 0))
    return fail(Status::notApplicable,
                "the plan's empty = {0} does not fit the matrix, which has {1} empty rows",
                plan.get(key::kCsr5Empty), emptyRows);
  if (shape.slots() > kMaxSlots)
    return fail(Status::notApplicable, "csr5 needs {0} slots for this matrix; the limit is {1}",
                shape.slots(), kMaxSlots);
  return checkIndexTypes(plan, a.rows, a.cols + shape.hot, shape.slots());
}

namespace {
// The arrays with their types known at compile time.
template <class Offset, class Column> struct Packed {
  Layout &layout;
  Offset *tilePtr;
  Column *col;
  uint16_t *laneOffset;
  LayoutArray &bitFlag;

  explicit Packed(Layout &layout)
      : layout(layout), tilePtr(layout.find("tilePtr")->as<Offset>()),
        col(layout.find("col")->as<Column>()),
        laneOffset(layout.find("laneOffset")->as<uint16_t>()), bitFlag(*layout.find("bitFlag")) {}

  void setFlags(int64_t lane, uint32_t flags) {
    if (bitFlag.type == ElementType::u8)
      bitFlag.as<uint8_t>()[lane] = static_cast<uint8_t>(flags);
    else if (bitFlag.type == ElementType::u16)
      bitFlag.as<uint16_t>()[lane] = static_cast<uint16_t>(flags);
    else
      bitFlag.as<int32_t>()[lane] = static_cast<int32_t>(flags);
  }
};
} // namespace

// The row of entry e.
template <class I> static int64_t rowOf(const CsrPattern<I> &a, int64_t e) {
  return std::upper_bound(a.rowPtr + 1, a.rowPtr + a.rows + 1, e) - (a.rowPtr + 1);
}

// The next row that has entries; there must be one.
template <class I> static int64_t rowAfter(const CsrPattern<I> &a, int64_t row) {
  do
    ++row;
  while (a.rowPtr[row + 1] == a.rowPtr[row]);
  return row;
}

// Packs one tile. Returns 0 if the rows that end in it are consecutive, else their number.
template <class Offset, class Column, class I>
static int64_t packTile(const CsrPattern<I> &a, const Csr5Shape &shape, int64_t tile,
                        Packed<Offset, Column> &out) {
  int64_t e = tile * shape.tileEntries();
  int64_t row = rowOf(a, std::max<int64_t>(e - 1, 0));
  int64_t ends = 0, lastEnded = row, lastFlagged = 0;
  out.tilePtr[tile] = static_cast<Offset>(row);
  for (int64_t lane = 0; lane < shape.omega; ++lane) {
    const int64_t own = tile * shape.omega + lane, yOffset = ends;
    uint32_t flags = 0;
    for (int64_t s = 0; s < shape.sigma && e < a.nnz; ++s, ++e) {
      if (e == a.rowPtr[row + 1]) {
        flags |= 1U << s;
        lastEnded = row;
        row = rowAfter(a, row);
        ++ends;
      }
      const int64_t slot = csr5Slot(own, s, shape.omega, shape.sigma);
      out.col[slot] = static_cast<Column>(a.col[e]);
      out.layout.slots[e] = static_cast<uint32_t>(slot);
    }
    lastFlagged = flags ? lane : lastFlagged;
    out.setFlags(own, flags);
    out.laneOffset[own] = static_cast<uint16_t>(yOffset * shape.omega + (lane - lastFlagged));
  }
  return lastEnded - out.tilePtr[tile] == ends - 1 ? 0 : ends;
}

// Lists the rows that end in a tile, for tiles where these are not consecutive; gaps[tile] is their
// number.
template <class Offset, class I>
static void packGaps(const CsrPattern<I> &a, const std::vector<int32_t> &gaps, Layout &out) {
  const auto *tilePtr = std::as_const(out).find("tilePtr")->as<Offset>();
  auto *emptyPtr = out.find("emptyPtr")->as<Offset>();
  int64_t count = 0;
  for (size_t tile = 0; tile < gaps.size(); ++tile) {
    emptyPtr[tile] = gaps[tile] ? static_cast<Offset>(count) : Offset(-1);
    count += gaps[tile];
  }
  out.resize("emptyOffset", count);
  auto *emptyOffset = out.find("emptyOffset")->as<Offset>();
  for (size_t tile = 0; tile < gaps.size(); ++tile) {
    int64_t row = tilePtr[tile];
    for (int32_t k = 0; k < gaps[tile]; ++k) {
      *emptyOffset++ = static_cast<Offset>(row - tilePtr[tile]);
      row = k + 1 < gaps[tile] ? rowAfter(a, row) : row;
    }
  }
}

template <class Offset, class I> static void packEmptyRows(const CsrPattern<I> &a, Offset *out) {
  for (int64_t row = 0; row < a.rows; ++row)
    if (a.rowPtr[row] == a.rowPtr[row + 1])
      *out++ = static_cast<Offset>(row);
}

// Tiles a thread packs at a time.
constexpr int64_t kPackTiles = 64;

// Packs all tiles. Returns the rows that are open at the boundaries between blocks.
template <class Offset, class Column, class I>
static std::vector<int64_t> packCsr5Typed(const CsrPattern<I> &a, const Csr5Shape &shape,
                                          Layout &out) {
  Packed<Offset, Column> packed(out);
  std::vector<int32_t> gaps(shape.tiles);
  if (shape.tiles > 0) // only the last tile has padding
    std::fill(packed.col + (shape.tiles - 1) * shape.tileEntries(), packed.col + shape.slots(),
              Column(-1));
  parallelFor(shape.tiles, kPackTiles, [&](int64_t begin, int64_t end) {
    for (int64_t tile = begin; tile < end; ++tile)
      gaps[tile] = static_cast<int32_t>(packTile(a, shape, tile, packed));
  });
  if (shape.tiles > 0)
    packed.tilePtr[shape.tiles] = static_cast<Offset>(rowOf(a, a.nnz - 1));
  if (out.find("emptyPtr")->count() == 0)
    gaps.clear();
  packGaps<Offset>(a, gaps, out);
  packEmptyRows(a, out.find("emptyRow")->as<Offset>());
  std::vector<int64_t> openRow(shape.blocks() + 1, kNoRow);
  for (int64_t b = 1; b < shape.blocks(); ++b)
    openRow[b] = packed.tilePtr[b * shape.blockTiles()];
  return openRow;
}

static int64_t emptyRowsOf(const CsrView &a) {
  return visitPattern(a, [](auto p) {
    int64_t count = 0;
    for (int64_t row = 0; row < p.rows; ++row)
      count += p.rowPtr[row] == p.rowPtr[row + 1];
    return count;
  });
}

// Gives the hot columns the numbers 0 .. hot - 1 in `col`, and lists them in hotCol.
static void renumberHotColumns(const CsrView &a, Layout &out) {
  LayoutArray &hotCol = *out.find("hotCol"), &col = *out.find("col");
  const std::vector<int64_t> hot = hottestColumns(a, hotCol.count());
  std::vector<int32_t> number(static_cast<size_t>(a.cols));
  for (size_t c = 0; c < number.size(); ++c)
    number[c] = static_cast<int32_t>(static_cast<int64_t>(c) + hotCol.count());
  for (size_t i = 0; i < hot.size(); ++i)
    number[hot[i]] = static_cast<int32_t>(i);
  const auto renumber = [&](auto *numbered, auto *listed) {
    using Column = std::remove_pointer_t<decltype(listed)>;
    for (size_t i = 0; i < hot.size(); ++i)
      listed[i] = static_cast<Column>(hot[i]);
    parallelFor(col.count(), 1 << 16, [&](int64_t begin, int64_t end) {
      for (int64_t slot = begin; slot < end; ++slot)
        if (numbered[slot] >= 0)
          numbered[slot] = static_cast<Column>(number[numbered[slot]]);
    });
  };
  if (col.type == ElementType::i32)
    renumber(col.as<int32_t>(), hotCol.as<int32_t>());
  else
    renumber(col.as<int64_t>(), hotCol.as<int64_t>());
}

llvm::Expected<Layout> csr5Layout(const CsrView &a, const Plan &plan, const Problem &problem) {
  const int64_t emptyRows = emptyRowsOf(a);
  if (llvm::Error error = checkCsr5Plan(dimensionsOf(a), plan, problem, emptyRows))
    return error;
  Csr5Shape shape(plan, a.nnz);
  shape.emptyRows = emptyRows;
  const IndexTypes index = indexTypesOf(plan);
  Layout out;
  addFields(out, allCsr5Fields(plan, problem, shape));
  out.slots = Slots(static_cast<size_t>(a.nnz));
  const std::vector<int64_t> openRow = visitPattern(a, [&](auto pattern) {
    const bool narrow = index.column == ElementType::i32;
    if (index.offset == ElementType::i32)
      return narrow ? packCsr5Typed<int32_t, int32_t>(pattern, shape, out)
                    : packCsr5Typed<int32_t, int64_t>(pattern, shape, out);
    return narrow ? packCsr5Typed<int64_t, int32_t>(pattern, shape, out)
                  : packCsr5Typed<int64_t, int64_t>(pattern, shape, out);
  });
  fillOpenRows(out, openRow);
  if (shape.hot > 0)
    renumberHotColumns(a, out);
  return out;
}

} // namespace specmv
