// Sorts the entries of a matrix by rows, or of its transpose by columns: one pass counts, a second
// one places them.
#include "runtime/convert/to_csr.h"

#include "models/base/error.h"
#include "models/base/parallel.h"
#include "models/base/rounding.h"

#include <limits>

namespace specmv {

// Calls f with the elements as const int32_t * or const int64_t *.
template <class F> static auto visitIndices(IndexType type, const void *indices, F &&f) {
  if (type == IndexType::i32)
    return f(static_cast<const int32_t *>(indices));
  return f(static_cast<const int64_t *>(indices));
}

// --- Checks

template <class I>
static llvm::Error checkOffsets(const I *offsets, int64_t lines, int64_t end, int64_t base,
                                const char *line) {
  if (offsets[0] != base)
    return fail(Status::badInput, "offsets begin with {0}, but must begin with the index base {1}",
                static_cast<int64_t>(offsets[0]), base);
  for (int64_t i = 0; i < lines; ++i)
    if (offsets[i + 1] < offsets[i])
      return fail(Status::badInput, "{0} {1}: offsets decrease from {2} to {3}", line, i,
                  static_cast<int64_t>(offsets[i]), static_cast<int64_t>(offsets[i + 1]));
  if (offsets[lines] != end + base)
    return fail(Status::badInput, "offsets end with {0}, but must end with {1}, counted from {2}",
                static_cast<int64_t>(offsets[lines]), end + base, base);
  return llvm::Error::success();
}

template <class I>
static llvm::Error checkIndices(const I *indices, int64_t count, int64_t size, int64_t base,
                                const char *name) {
  for (int64_t e = 0; e < count; ++e)
    if (indices[e] < base || indices[e] - base >= size)
      return fail(Status::badInput, "entry {0}: {1} {2} is not in {3} .. {4}", e, name,
                  static_cast<int64_t>(indices[e]), base, size - 1 + base);
  return llvm::Error::success();
}

static llvm::Error check(const MatrixDescription &a) {
  const DescriptionSizes sizes = sizesOf(a);
  const bool isBlocks = a.layout == MatrixLayout::bsr;
  const int64_t entries = a.layout == MatrixLayout::coo || !isBlocks ? a.nnz : sizes.colIndices;
  const char *line = isBlocks ? "block row" : a.layout == MatrixLayout::csc ? "column" : "row";
  if (sizes.offsets > 0)
    if (llvm::Error error = visitIndices(a.offsetType, a.offsets, [&](const auto *offsets) {
          return checkOffsets(offsets, sizes.offsets - 1, entries, a.base, line);
        }))
      return error;
  if (sizes.rowIndices > 0)
    if (llvm::Error error = visitIndices(a.indexType, a.rowIndices, [&](const auto *indices) {
          return checkIndices(indices, sizes.rowIndices, a.rows, a.base, "row");
        }))
      return error;
  if (sizes.colIndices == 0)
    return llvm::Error::success();
  return visitIndices(a.indexType, a.colIndices, [&](const auto *indices) {
    return checkIndices(indices, sizes.colIndices, isBlocks ? a.cols / a.blockCols : a.cols, a.base,
                        isBlocks ? "block column" : "column");
  });
}

// --- Entries in the caller's order

// Calls f(e, line, index) for each entry of lines that offsets divide.
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

// Calls f(e, row, col) for each entry; those of a row, and those of a column, in the caller's
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

namespace {
template <class I> struct Placed {
  ZeroedArray<std::byte> offsets, indices;
  EntryOrder order;
  bool isOrdered = true; // whether the order is the caller's
};
} // namespace

template <class I>
static Placed<I> place(const MatrixDescription &a, int64_t lines, bool isTransposed) {
  Placed<I> out{ZeroedArray<std::byte>(static_cast<size_t>(lines + 1) * sizeof(I)),
                ZeroedArray<std::byte>(static_cast<size_t>(a.nnz) * sizeof(I)),
                EntryOrder(static_cast<size_t>(a.nnz))};
  auto *const offsets = reinterpret_cast<I *>(out.offsets.data());
  auto *const indices = reinterpret_cast<I *>(out.indices.data());
  forEachEntry(
      a, [&](int64_t, int64_t row, int64_t col) { ++offsets[(isTransposed ? col : row) + 1]; });
  for (int64_t line = 0; line < lines; ++line)
    offsets[line + 1] += offsets[line];
  std::vector<I> next(offsets, offsets + lines);
  forEachEntry(a, [&](int64_t e, int64_t row, int64_t col) {
    const int64_t to = next[static_cast<size_t>(isTransposed ? col : row)]++;
    indices[to] = static_cast<I>(isTransposed ? row : col);
    out.order[static_cast<size_t>(to)] = e;
    out.isOrdered &= to == e;
  });
  return out;
}

template <class I>
static ConvertedMatrix converted(const MatrixDescription &a, IndexType type, bool isTransposed) {
  const int64_t rows = isTransposed ? a.cols : a.rows, cols = isTransposed ? a.rows : a.cols;
  Placed<I> placed = place<I>(a, rows, isTransposed);
  ConvertedMatrix out;
  if (!placed.isOrdered)
    out.order = std::make_shared<const EntryOrder>(std::move(placed.order));
  ZeroedArray<std::byte> values(static_cast<size_t>(a.nnz) * sizeOf(a.valueType));
  if (a.values)
    reorderValues(out.order.get(), a.valueType, a.nnz, a.values, values.data());
  out.csr = std::make_shared<HostCopy>(HostCopy{{rows, cols, a.nnz, type, a.valueType},
                                                std::move(placed.offsets),
                                                std::move(placed.indices),
                                                std::move(values)});
  CsrView &view = out.csr->view;
  view.rowPtr = out.csr->rowPtr.data();
  view.col = out.csr->col.data();
  view.val = out.csr->val.data();
  return out;
}

llvm::Expected<ConvertedMatrix> toCsr(const MatrixDescription &a, bool isTransposed) {
  if (llvm::Error error = check(a))
    return error;
  const IndexType type = indexTypeFor(a);
  return type == IndexType::i32 ? converted<int32_t>(a, type, isTransposed)
                                : converted<int64_t>(a, type, isTransposed);
}

// --- Arrays on a GPU

static llvm::Error download(const GpuDevice &gpu, const void *&array, size_t bytes,
                            ZeroedArray<std::byte> &to) {
  if (!array || bytes == 0)
    return llvm::Error::success();
  to = ZeroedArray<std::byte>(bytes);
  const auto from = reinterpret_cast<DevicePointer>(array);
  array = to.data();
  return gpu.download(to.data(), from, bytes);
}

llvm::Expected<ConvertedMatrix> toCsr(const MatrixDescription &a, const GpuDevice &gpu,
                                      bool isTransposed) {
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
  for (const auto &[array, size, to] : arrays)
    if (llvm::Error error = download(gpu, *array, size, *to))
      return error;
  return toCsr(onHost, isTransposed);
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
