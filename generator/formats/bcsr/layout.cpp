// Packs BCSR: the blocks of each block row by ascending column, interleaved in slices, with a mask
// of its entries for each block that may lack some.
#include "generator/formats/bcsr/layout.h"

#include "generator/emit.h"
#include "generator/shared/typed_array.h"
#include "models/base/error.h"
#include "models/base/parallel.h"
#include "templates/pack/slots.cuh"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>

namespace specmv {

std::string whyNotBcsr(int64_t r, int64_t c, int64_t steps, int64_t slices, int64_t nnz,
                       int64_t padding) {
  const int64_t slotsPerStep = 32 * r * c;
  if (steps > kMaxSlots / slotsPerStep)
    return llvm::formatv("bcsr with {0} x {1} blocks needs {2} x {3} slots; the limit is {4}", r, c,
                         slotsPerStep, steps, kMaxSlots);
  if ((steps - slices) * slotsPerStep > padding * nnz)
    return llvm::formatv("bcsr with {0} x {1} blocks would store {2:f1} slots for each of {3} "
                         "entries; the limit is {4}",
                         r, c, static_cast<double>(steps * slotsPerStep) / static_cast<double>(nnz),
                         nnz, padding);
  return "";
}

ElementType bcsrLocalType(bool local, ElementType column) {
  return local ? ElementType::u16 : column;
}

ElementType bcsrLocalType(const Plan &plan) {
  return bcsrLocalType(plan.get(key::kBcsrLocal) != 0, indexTypesOf(plan).column);
}

int64_t bcsrLaneBits(const Plan &plan) {
  return bcsrIsGeneral(plan) ? 0 : llvm::Log2_64(static_cast<uint64_t>(plan.get(key::kBcsrLanes)));
}

ElementType bcsrMaskType(int64_t r, int64_t c) {
  const int64_t bits = r * c;
  return bits <= 8    ? ElementType::u8
         : bits <= 16 ? ElementType::u16
         : bits <= 32 ? ElementType::i32
                      : ElementType::i64;
}

Fields bcsrFields(const Plan &plan, const Problem &problem, const BcsrCounts &counts) {
  const auto [offset, column] = indexTypesOf(plan);
  const int64_t r = plan.get(key::kBcsrR), c = plan.get(key::kBcsrC), blocks = counts.steps * 32;
  Fields own = {array("sliceStart", offset, counts.slices),
                array("blocks", column, ceilDiv(counts.rows, r)),
                array("col", bcsrLocalType(plan), blocks)};
  if (!plan.get(key::kBcsrFull))
    own.push_back(array("mask", bcsrMaskType(r, c), blocks));
  return joined({own,
                 valueFields(plan, problem, blocks * r * c),
                 vectors(problem),
                 {number("rows", offset, counts.rows),
                  ifGeneral(bcsrIsGeneral(plan),
                            number(kBcsrLaneBits, ElementType::i32, bcsrLaneBits(plan)))}});
}

namespace {
struct BcsrShape {
  int64_t r, c, lanes;
  bool full, local;
  int laneBits, rowBits; // logarithms of the lanes of a block row and of the block rows of a slice

  explicit BcsrShape(const Plan &plan)
      : r(plan.get(key::kBcsrR)), c(plan.get(key::kBcsrC)), lanes(plan.get(key::kBcsrLanes)),
        full(plan.get(key::kBcsrFull) != 0), local(plan.get(key::kBcsrLocal) != 0),
        laneBits(static_cast<int>(bcsrLaneBits(plan))), rowBits(5 - laneBits) {}

  int64_t origin(int64_t blockRow) const { return local ? bcsrOrigin(blockRow, r, c) : 0; }
};
} // namespace

// Block rows that a thread packs at a time; a multiple of every slice.
constexpr int64_t kPackBlockRows = 1024;

namespace {
template <class I> class BcsrPacker {
public:
  BcsrPacker(const CsrPattern<I> &a, const BcsrShape &shape)
      : a_(a), shape_(shape), blockRows_(ceilDiv(a.rows, shape.r)),
        counts_(static_cast<size_t>(blockRows_)) {}

  // Counts the blocks of each block row, and how far their columns lie from the origin.
  void count() {
    std::mutex mutex;
    parallelFor(blockRows_, kPackBlockRows, [&](int64_t begin, int64_t end) {
      std::vector<int64_t> columns;
      int64_t least = 0, most = 0;
      for (int64_t blockRow = begin; blockRow < end; ++blockRow) {
        findColumns(blockRow, columns);
        counts_[blockRow] = static_cast<int64_t>(columns.size());
        if (!columns.empty()) {
          least = std::min(least, columns.front() - shape_.origin(blockRow));
          most = std::max(most, columns.back() - shape_.origin(blockRow));
        }
      }
      const std::lock_guard<std::mutex> lock(mutex);
      leastLocal_ = std::min(leastLocal_, least);
      mostLocal_ = std::max(mostLocal_, most);
    });
    for (int64_t begin = 0; begin < blockRows_; begin += bcsrSliceRows(shape_.lanes))
      addSlice(begin, std::min(begin + bcsrSliceRows(shape_.lanes), blockRows_));
  }

  int64_t slices() const { return static_cast<int64_t>(sliceStart_.size()); }
  BcsrBlocks found() const {
    const int64_t blocks = std::accumulate(counts_.begin(), counts_.end(), int64_t{0});
    return {slices(), steps_, blocks, leastLocal_, mostLocal_};
  }
  bool repeats() const { return repeats_; }

  void fill(Layout &out) {
    ArrayWriter sliceStart(out.find("sliceStart")), blocks(out.find("blocks"));
    for (int64_t slice = 0; slice < slices(); ++slice)
      sliceStart.set(slice, sliceStart_[slice]);
    for (int64_t blockRow = 0; blockRow < blockRows_; ++blockRow)
      blocks.set(blockRow, counts_[blockRow]);
    LayoutArray &col = *out.find("col"), *mask = out.find("mask");
    parallelFor(blockRows_, kPackBlockRows, [&](int64_t begin, int64_t end) {
      std::vector<int64_t> columns;
      std::vector<uint64_t> masks;
      for (int64_t blockRow = begin; blockRow < end; ++blockRow) {
        findColumns(blockRow, columns);
        placeEntries(blockRow, columns, masks, out.slots);
        writeColumns(blockRow, columns, ArrayWriter(&col));
        if (mask)
          writeMasks(blockRow, masks, ArrayWriter(mask));
      }
    });
  }

private:
  int64_t endRow(int64_t blockRow) const { return std::min((blockRow + 1) * shape_.r, a_.rows); }

  bool isIn(int64_t col, int64_t blockColumn) const {
    return static_cast<uint64_t>(col - blockColumn * shape_.c) < static_cast<uint64_t>(shape_.c);
  }

  // The block columns of a block row, ascending.
  void findColumns(int64_t blockRow, std::vector<int64_t> &columns) const {
    columns.clear();
    const int64_t begin = a_.rowPtr[blockRow * shape_.r], end = a_.rowPtr[endRow(blockRow)];
    for (int64_t e = begin; e < end; ++e)
      if (columns.empty() || !isIn(a_.col[e], columns.back()))
        columns.push_back(a_.col[e] / shape_.c);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  }

  void addSlice(int64_t begin, int64_t end) {
    sliceStart_.push_back(steps_);
    steps_ +=
        ceilDiv(*std::max_element(counts_.begin() + begin, counts_.begin() + end), shape_.lanes);
  }

  // The index of block k of a block row among the blocks of all steps.
  int64_t place(int64_t blockRow, int64_t k) const {
    return bcsrPlace(sliceStart_[blockRow >> shape_.rowBits], blockRow, k, shape_.laneBits);
  }

  // Gives the entries of a block row their slots, and each block its mask.
  void placeEntries(int64_t blockRow, const std::vector<int64_t> &columns,
                    std::vector<uint64_t> &masks, Slots &slots) {
    masks.assign(columns.size(), 0);
    for (int64_t row = blockRow * shape_.r; row < endRow(blockRow); ++row) {
      auto at = columns.begin();
      for (int64_t e = a_.rowPtr[row]; e < a_.rowPtr[row + 1]; ++e) {
        const int64_t col = a_.col[e];
        // If columns ascend, the entry is in the same block or in the next one; else search.
        if (!isIn(col, *at) && (++at == columns.end() || !isIn(col, *at)))
          at = std::lower_bound(columns.begin(), columns.end(), col / shape_.c);
        const int64_t k = at - columns.begin(), block = place(blockRow, k);
        const int64_t bit = (col - *at * shape_.c) * shape_.r + row - blockRow * shape_.r;
        if (masks[k] >> bit & 1)
          repeats_ = true;
        masks[k] |= uint64_t{1} << bit;
        slots[e] = static_cast<uint32_t>(bcsrSlot(block, bit, shape_.r * shape_.c));
      }
    }
  }

  void writeColumns(int64_t blockRow, const std::vector<int64_t> &columns, ArrayWriter col) const {
    for (size_t k = 0; k < columns.size(); ++k)
      col.set(place(blockRow, static_cast<int64_t>(k)), columns[k] - shape_.origin(blockRow));
  }

  void writeMasks(int64_t blockRow, const std::vector<uint64_t> &masks, ArrayWriter mask) const {
    for (size_t k = 0; k < masks.size(); ++k)
      mask.set(place(blockRow, static_cast<int64_t>(k)), static_cast<int64_t>(masks[k]));
  }

  CsrPattern<I> a_;
  const BcsrShape &shape_;
  int64_t blockRows_, steps_ = 0;
  std::vector<int64_t> counts_, sliceStart_;
  int64_t leastLocal_ = 0, mostLocal_ = 0;
  std::atomic<bool> repeats_ = false;
};
} // namespace

llvm::Error checkBcsrBlocks(const Plan &plan, const MatrixSize &a, const BcsrBlocks &found) {
  const BcsrShape shape(plan);
  if (llvm::Error error = checkIndexTypes(plan, a.rows, a.cols, found.steps))
    return error;
  if (shape.local && (found.least < 0 || found.most > 0xffff))
    return fail(Status::notApplicable,
                "the plan's local = 1 (16-bit block columns) has room for 0..65535; the matrix "
                "needs {0}..{1}",
                found.least, found.most);
  if (shape.full && found.blocks * shape.r * shape.c != a.nnz)
    return fail(Status::notApplicable,
                "the plan's full = 1 needs an entry in every place of a block; the matrix has {0} "
                "entries in {1} blocks of {2} x {3}",
                a.nnz, found.blocks, shape.r, shape.c);
  if (const std::string why =
          whyNotBcsr(shape.r, shape.c, found.steps, found.slices, a.nnz, 2 * kMaxBcsrPadding);
      !why.empty())
    return failWith(Status::notApplicable, why);
  return llvm::Error::success();
}

template <class I>
static llvm::Error pack(const CsrPattern<I> &a, const Plan &plan, const Problem &problem,
                        Layout &out) {
  const BcsrShape shape(plan);
  BcsrPacker<I> packer(a, shape);
  packer.count();
  const BcsrBlocks found = packer.found();
  if (llvm::Error error = checkBcsrBlocks(plan, {a.rows, a.cols, a.nnz}, found))
    return error;
  addFields(out, bcsrFields(plan, problem, {a.rows, found.slices, found.steps}));
  out.slots = Slots(static_cast<size_t>(a.nnz));
  packer.fill(out);
  out.slotsAreShared = packer.repeats();
  // There are as many entries as places (checkBcsrBlocks), so if none repeats, every place has one.
  if (shape.full && packer.repeats())
    return fail(Status::notApplicable,
                "the plan's full = 1 needs an entry in every place of a block; some of the "
                "matrix's {0} entries repeat others, so places are empty",
                a.nnz);
  return llvm::Error::success();
}

llvm::Expected<Layout> bcsrLayout(const CsrView &a, const Plan &plan, const Problem &problem) {
  Layout out;
  if (llvm::Error error =
          visitPattern(a, [&](auto pattern) { return pack(pattern, plan, problem, out); }))
    return error;
  return out;
}

} // namespace specmv
