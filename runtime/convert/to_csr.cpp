// Sorts the entries of a matrix by rows, or of its transpose by columns: the first pass counts, the
// second one places them. Lines that are sorted already are copied.
#include "runtime/convert/to_csr.h"

#include "models/base/error.h"
#include "models/base/memory.h"
#include "models/base/parallel.h"
#include "runtime/convert/check.h"
#include "runtime/convert/indices.h"

#include <algorithm>
#include <atomic>
#include <limits>

namespace specmv {

// --- Entries in the caller's order

// Calls f(e, line, index) for each entry; the offsets delimit the lines.
template <class O, class I, class F>
static void forEachOfLines(const O *offsets, int64_t lines, const I *indices, int64_t base, F &&f) {
  for (int64_t line = 0; line < lines; ++line)
    for (int64_t e = offsets[line] - base; e < offsets[line + 1] - base; ++e)
      f(e, line, indices[e] - base);
}

template <class F>
static void forEachOfLines(const MatrixDescription &a, int64_t lines, const void *indices, F &&f) {
  visitIndices(a.offsetType, a.offsets, [&](const auto *offsets) {
    visitIndices(a.indexType, indices,
                 [&](const auto *typed) { forEachOfLines(offsets, lines, typed, a.base, f); });
  });
}

// Calls f(e, row, col) for each entry. Entries of one row, and of one column, come in the caller's
// order.
template <class F> static void forEachEntry(const MatrixDescription &a, F &&f) {
  switch (a.layout) {
  case MatrixLayout::csr:
    return forEachOfLines(a, a.rows, a.colIndices, f);
  case MatrixLayout::csc:
    return forEachOfLines(a, a.cols, a.rowIndices,
                          [&](int64_t e, int64_t col, int64_t row) { f(e, row, col); });
  case MatrixLayout::coo:
    return visitIndices(a.indexType, a.rowIndices, [&](const auto *rows) {
      const auto *cols = static_cast<decltype(rows)>(a.colIndices);
      for (int64_t e = 0; e < a.nnz; ++e)
        f(e, rows[e] - a.base, cols[e] - a.base);
    });
  case MatrixLayout::bsr:
    break;
  }
  const int64_t r = a.blockRows, c = a.blockCols;
  forEachOfLines(a, a.rows / r, a.colIndices, [&](int64_t block, int64_t row, int64_t col) {
    for (int64_t k = 0; k < r * c; ++k)
      f(block * r * c + k, row * r + (a.blocksByColumn ? k % r : k / c),
        col * c + (a.blocksByColumn ? k / r : k % c));
  });
}

// --- The conversion

static IndexType indexTypeFor(const MatrixDescription &a) {
  const int64_t most = std::max({a.rows, a.cols, a.nnz});
  return most <= std::numeric_limits<int32_t>::max() ? IndexType::i32 : IndexType::i64;
}

// Returns true if the caller's lines are those of the result, so that no sorting is needed.
static bool isInOrder(const MatrixDescription &a, bool isTransposed) {
  return a.layout == (isTransposed ? MatrixLayout::csc : MatrixLayout::csr);
}

// Returns what Filling allocates; sorting needs each line's next position as well.
static int64_t bytesToFill(const MatrixDescription &a, bool isTransposed, bool wantsOrder) {
  const auto ofIndex = static_cast<int64_t>(sizeOf(indexTypeFor(a)));
  const int64_t lines = isTransposed ? a.cols : a.rows;
  const int64_t next = isInOrder(a, isTransposed) ? 0 : lines * ofIndex;
  return (lines + 1) * ofIndex + next +
         a.nnz * (ofIndex + static_cast<int64_t>(sizeOf(a.valueType)) +
                  (wantsOrder ? static_cast<int64_t>(sizeof(EntryOrder::value_type)) : 0));
}

// Checks the memory before it is allocated: if it runs out, Linux would kill the process.
static llvm::Error wantMemory(const MatrixDescription &a, bool isTransposed, int64_t bytes) {
  if (memoryHolds(bytes))
    return llvm::Error::success();
  return fail(Status::hostMemory,
              "converting a {0} x {1} matrix with {2} entries{3} to CSR needs {4} bytes on the "
              "host, but this machine has {5} available; leave out empty rows and columns, or use "
              "a machine with more memory",
              a.rows, a.cols, a.nnz, isTransposed ? ", transposed," : "", bytes, availableMemory());
}

namespace {
// The arrays of CSR while they are filled.
template <class I> class Filling {
public:
  Filling(const MatrixDescription &a, bool isTransposed, bool wantsOrder)
      : a_(a), isTransposed_(isTransposed), lines_(isTransposed ? a.cols : a.rows),
        rowPtr_(static_cast<size_t>(lines_ + 1) * sizeof(I)),
        col_(static_cast<size_t>(a.nnz) * sizeof(I)),
        val_(static_cast<size_t>(a.nnz) * sizeOf(a.valueType)),
        order_(wantsOrder ? static_cast<size_t>(a.nnz) : 0) {}

  ConvertedMatrix fill(IndexType type) {
    if (isInOrder(a_, isTransposed_))
      copy();
    else
      sort();
    ConvertedMatrix out;
    if (!order_.empty() && !isOrdered_)
      out.order = std::make_shared<const EntryOrder>(std::move(order_));
    out.csr = std::make_shared<HostCopy>(
        HostCopy{{lines_, isTransposed_ ? a_.rows : a_.cols, a_.nnz, type, a_.valueType},
                 std::move(rowPtr_),
                 std::move(col_),
                 std::move(val_)});
    CsrView &view = out.csr->view;
    view.rowPtr = out.csr->rowPtr.data();
    view.col = out.csr->col.data();
    view.val = out.csr->val.data();
    return out;
  }

private:
  I *offsets() { return reinterpret_cast<I *>(rowPtr_.data()); }
  I *indices() { return reinterpret_cast<I *>(col_.data()); }

  void copy() {
    const auto converted = [&](const void *from, IndexType type, int64_t count, I *to) {
      visitIndices(type, from, [&](const auto *typed) {
        parallelFor(count, kCopyGrain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            to[i] = static_cast<I>(typed[i] - a_.base);
        });
      });
    };
    converted(a_.offsets, a_.offsetType, lines_ + 1, offsets());
    if (a_.nnz > 0)
      converted(isTransposed_ ? a_.rowIndices : a_.colIndices, a_.indexType, a_.nnz, indices());
    if (a_.values)
      reorderValues(nullptr, a_.valueType, a_.nnz, a_.values, val_.data());
  }

  // Calls f(e, line, index) for the entries of the lines begin .. end - 1.
  template <class F> void forEachIn(int64_t begin, int64_t end, F &&f) const {
    forEachEntry(a_, [&](int64_t e, int64_t row, int64_t col) {
      const int64_t line = isTransposed_ ? col : row;
      if (line >= begin && line < end)
        f(e, line, isTransposed_ ? row : col);
    });
  }
  // Every thread reads all entries, in their order, and takes those of its own lines. Reading is
  // cheap compared with writing all over the result, and no two threads write to the same place.
  template <class F> static void forParts(const std::vector<int64_t> &bounds, F &&body) {
    parallelFor(static_cast<int64_t>(bounds.size()) - 1, 1, [&](int64_t part, int64_t) {
      const auto i = static_cast<size_t>(part);
      body(bounds[i], bounds[i + 1]);
    });
  }

  // Gives each thread the same number of lines.
  std::vector<int64_t> equalParts() const {
    const int64_t parts = std::clamp<int64_t>(lines_, 1, threadCount());
    std::vector<int64_t> out;
    for (int64_t part = 0; part <= parts; ++part)
      out.push_back(lines_ * part / parts);
    return out;
  }
  // Gives each thread about the same number of entries.
  std::vector<int64_t> balancedParts() {
    const int64_t parts = std::clamp<int64_t>(lines_, 1, threadCount());
    std::vector<int64_t> out{0};
    for (int64_t part = 1; part < parts; ++part) {
      const I *at = std::lower_bound(offsets(), offsets() + lines_ + 1,
                                     static_cast<I>(a_.nnz / parts * part));
      out.push_back(std::clamp<int64_t>(at - offsets(), out.back(), lines_));
    }
    out.push_back(lines_);
    return out;
  }

  void sort() {
    forParts(equalParts(), [&](int64_t begin, int64_t end) {
      forEachIn(begin, end, [&](int64_t, int64_t line, int64_t) { ++offsets()[line + 1]; });
    });
    for (int64_t line = 0; line < lines_; ++line)
      offsets()[line + 1] += offsets()[line];
    if (a_.valueType == ValueType::f32)
      place<float>();
    else
      place<double>();
  }
  template <class Value> void place() {
    std::vector<I> next(offsets(), offsets() + lines_);
    const auto *from = static_cast<const Value *>(a_.values);
    auto *const values = reinterpret_cast<Value *>(val_.data());
    I *const columns = indices();
    std::atomic<bool> isOrdered{true};
    forParts(balancedParts(), [&](int64_t begin, int64_t end) {
      bool isMine = true;
      forEachIn(begin, end, [&](int64_t e, int64_t line, int64_t index) {
        const int64_t to = next[static_cast<size_t>(line)]++;
        columns[to] = static_cast<I>(index);
        if (from)
          values[to] = from[e];
        if (!order_.empty())
          order_[static_cast<size_t>(to)] = e;
        isMine &= to == e;
      });
      if (!isMine)
        isOrdered = false;
    });
    isOrdered_ = isOrdered;
  }

  const MatrixDescription &a_;
  bool isTransposed_;
  int64_t lines_;
  ZeroedArray<std::byte> rowPtr_, col_, val_;
  EntryOrder order_;
  bool isOrdered_ = true; // the result keeps the caller's order
};
} // namespace

llvm::Expected<ConvertedMatrix> toCsr(const MatrixDescription &a, bool isTransposed,
                                      bool wantsOrder) {
  if (llvm::Error error = inTurn(
          [&] { return checkDescription(a); },
          [&] { return wantMemory(a, isTransposed, bytesToFill(a, isTransposed, wantsOrder)); }))
    return error;
  const IndexType type = indexTypeFor(a);
  return type == IndexType::i32 ? Filling<int32_t>(a, isTransposed, wantsOrder).fill(type)
                                : Filling<int64_t>(a, isTransposed, wantsOrder).fill(type);
}

// --- Arrays on a GPU

llvm::Expected<ConvertedMatrix> toCsr(const MatrixDescription &a, const GpuDevice &gpu,
                                      bool isTransposed, bool wantsOrder) {
  MatrixDescription onHost = a;
  ZeroedArray<std::byte> offsets, rows, cols, values;
  const DescriptionSizes sizes = sizesOf(a);
  const auto bytes = [](int64_t count, size_t size) { return static_cast<size_t>(count) * size; };
  const size_t ofIndex = sizeOf(a.indexType);
  const std::tuple<const void **, size_t, ZeroedArray<std::byte> *> arrays[] = {
      {&onHost.offsets, bytes(sizes.offsets, sizeOf(a.offsetType)), &offsets},
      {&onHost.rowIndices, bytes(sizes.rowIndices, ofIndex), &rows},
      {&onHost.colIndices, bytes(sizes.colIndices, ofIndex), &cols},
      {&onHost.values, bytes(a.nnz, sizeOf(a.valueType)), &values}};
  int64_t copied = 0;
  for (const auto &[array, size, to] : arrays)
    copied += *array ? static_cast<int64_t>(size) : 0;
  if (llvm::Error error =
          wantMemory(a, isTransposed, copied + bytesToFill(a, isTransposed, wantsOrder)))
    return error;
  for (const auto &[array, size, to] : arrays)
    if (llvm::Error error = copyToHost(&gpu, *array, size, *to))
      return error;
  return toCsr(onHost, isTransposed, wantsOrder);
}

// --- Values

template <class Value> static void gather(const EntryOrder &order, const void *from, void *to) {
  const auto *source = static_cast<const Value *>(from);
  auto *target = static_cast<Value *>(to);
  parallelFor(static_cast<int64_t>(order.size()), kCopyGrain, [&](int64_t begin, int64_t end) {
    for (int64_t e = begin; e < end; ++e)
      target[e] = source[order[static_cast<size_t>(e)]];
  });
}

void reorderValues(const EntryOrder *order, ValueType type, int64_t count, const void *from,
                   void *to) {
  if (count == 0)
    return;
  if (!order)
    std::memmove(to, from, static_cast<size_t>(count) * sizeOf(type));
  else if (type == ValueType::f32)
    gather<float>(*order, from, to);
  else
    gather<double>(*order, from, to);
}

} // namespace specmv
