// Makes valid arrays from the fuzzed numbers, then breaks some: random arrays would almost never be
// valid.
#include "tests/fuzz/matrix_input.h"

#include "tests/fuzz/targets.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <limits>

namespace specmv::fuzz {

using testing::MatrixEntry;

static constexpr int64_t kExtremes[] = {-1,
                                        std::numeric_limits<int32_t>::min(),
                                        std::numeric_limits<int32_t>::max(),
                                        int64_t{1} << 31,
                                        int64_t{1} << 32,
                                        int64_t{1} << 48,
                                        (int64_t{1} << 48) + 1,
                                        std::numeric_limits<int64_t>::min(),
                                        std::numeric_limits<int64_t>::max()};

static bool isSeldom(Input &in) { return in.ConsumeIntegralInRange<int>(0, 63) == 63; }

int enumNumber(Input &in, int last) {
  return isSeldom(in) ? in.ConsumeIntegral<int>() : in.ConsumeIntegralInRange<int>(0, last);
}

int64_t anySize(Input &in, int64_t most) {
  return isSeldom(in) ? in.PickValueInArray(kExtremes)
                      : in.ConsumeIntegralInRange<int64_t>(0, most);
}

template <class E> static void setEnum(E &value, int number) {
  std::memcpy(&value, &number, sizeof value);
}

// --- Arrays --------------------------------------------------------------------------------------

static void addLines(Input &in, int64_t lines, int64_t across, int64_t base,
                     std::vector<int64_t> &offsets, std::vector<int64_t> &places) {
  offsets.assign(1, base);
  for (int64_t line = 0; line < lines; ++line) {
    for (int64_t left = across > 0 ? in.ConsumeIntegralInRange<int>(0, 5) : 0; left > 0; --left)
      places.push_back(base + in.ConsumeIntegralInRange<int64_t>(0, across - 1));
    offsets.push_back(base + static_cast<int64_t>(places.size()));
  }
}

static void addTriplets(Input &in, MatrixInput &a, int64_t base) {
  const auto &d = a.description;
  const int64_t count = d.rows > 0 && d.cols > 0 ? in.ConsumeIntegralInRange<int>(0, 60) : 0;
  for (int64_t k = 0; k < count; ++k) {
    a.rowIndices.push_back(base + in.ConsumeIntegralInRange<int64_t>(0, d.rows - 1));
    a.colIndices.push_back(base + in.ConsumeIntegralInRange<int64_t>(0, d.cols - 1));
  }
}

static void addArrays(Input &in, MatrixInput &a) {
  auto &d = a.description;
  const int64_t base = d.indexBase;
  if (d.format == SPECMV_FORMAT_CSR)
    addLines(in, d.rows, d.cols, base, a.offsets, a.colIndices);
  else if (d.format == SPECMV_FORMAT_CSC)
    addLines(in, d.cols, d.rows, base, a.offsets, a.rowIndices);
  else if (d.format == SPECMV_FORMAT_COO)
    addTriplets(in, a, base);
  else
    addLines(in, d.rows / d.blockRows, d.cols / d.blockCols, base, a.offsets, a.colIndices);
  const size_t entries = std::max(a.rowIndices.size(), a.colIndices.size());
  const bool isBlocks = d.format == SPECMV_FORMAT_BSR;
  d.nnz = static_cast<int64_t>(entries) * (isBlocks ? int64_t{d.blockRows} * d.blockCols : 1);
}

static void breakNumbers(Input &in, MatrixInput &a) {
  for (int left = isSeldom(in) || in.ConsumeBool() ? 0 : 2; left > 0; --left)
    for (std::vector<int64_t> *array : {&a.offsets, &a.rowIndices, &a.colIndices})
      if (!array->empty() && in.ConsumeIntegralInRange<int>(0, 3) == 0) {
        const size_t at = in.ConsumeIntegralInRange<size_t>(0, array->size() - 1);
        (*array)[at] = isSeldom(in) ? in.PickValueInArray(kExtremes)
                                    : (*array)[at] + in.ConsumeIntegralInRange<int>(-2, 2);
      }
}

// Returns the bytes of the numbers in their type, and rounds the numbers to that type.
static std::vector<char> typedBytes(std::vector<int64_t> &numbers, specmvIndexType_t type) {
  const bool isNarrow = type == SPECMV_INDEX_32I;
  std::vector<char> bytes(numbers.size() * (isNarrow ? 4 : 8));
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto narrow = static_cast<int32_t>(numbers[i]);
    if (isNarrow)
      std::memcpy(bytes.data() + 4 * i, &narrow, 4), numbers[i] = narrow;
    else
      std::memcpy(bytes.data() + 8 * i, &numbers[i], 8);
  }
  return bytes;
}

// --- The description -----------------------------------------------------------------------------

static void setShape(Input &in, specmvMatrixDescription_t &d) {
  const bool isBlocks = d.format == SPECMV_FORMAT_BSR;
  d.blockRows = isBlocks ? in.ConsumeIntegralInRange<int>(1, 4) : 0;
  d.blockCols = isBlocks ? in.ConsumeIntegralInRange<int>(1, 4) : 0;
  d.rows = in.ConsumeIntegralInRange<int64_t>(0, 24) * std::max(d.blockRows, 1);
  d.cols = in.ConsumeIntegralInRange<int64_t>(0, 24) * std::max(d.blockCols, 1);
}

// Makes a description that does not match the arrays, which must then not be read.
static bool breakDescription(Input &in, specmvMatrixDescription_t &d) {
  switch (in.ConsumeIntegralInRange<int>(0, 63)) {
  case 56:
    d.rows = anySize(in, 40);
    return true;
  case 57:
    d.cols = anySize(in, 40);
    return true;
  case 58:
    d.nnz = anySize(in, 40);
    return true;
  case 59:
    setEnum(d.format, in.ConsumeIntegral<int>());
    return true;
  case 60:
    setEnum(d.offsetType, in.ConsumeIntegral<int>());
    return true;
  case 61:
    d.blockRows = in.ConsumeIntegral<int>(), d.blockCols = in.ConsumeIntegral<int>();
    return true;
  case 62:
    d.structSize = in.ConsumeIntegral<size_t>();
    return true;
  case 63:
    setEnum(d.indexType, in.ConsumeIntegral<int>());
    d.indexBase = in.ConsumeIntegral<int>();
    return true;
  default:
    return false;
  }
}

MatrixInput matrixInput(Input &in) {
  MatrixInput a;
  auto &d = a.description;
  d.format = static_cast<specmvFormat_t>(in.ConsumeIntegralInRange<int>(0, 3));
  d.dataType = static_cast<specmvDataType_t>(in.ConsumeIntegralInRange<int>(0, 1));
  d.offsetType = static_cast<specmvIndexType_t>(in.ConsumeIntegralInRange<int>(0, 1));
  d.indexType = static_cast<specmvIndexType_t>(in.ConsumeIntegralInRange<int>(0, 1));
  d.indexBase = in.ConsumeIntegralInRange<int>(0, 1);
  d.blocksByColumn = in.ConsumeIntegralInRange<int>(-1, 1);
  setShape(in, d);
  addArrays(in, a);
  breakNumbers(in, a);
  a.memory[0] = typedBytes(a.offsets, d.offsetType);
  a.memory[1] = typedBytes(a.rowIndices, d.indexType);
  a.memory[2] = typedBytes(a.colIndices, d.indexType);
  d.offsets = a.offsets.empty() ? nullptr : a.memory[0].data();
  d.rowIndices = a.rowIndices.empty() ? nullptr : a.memory[1].data();
  d.colIndices = a.colIndices.empty() ? nullptr : a.memory[2].data();
  a.isHeld = !breakDescription(in, d);
  return a;
}

// --- The definition ------------------------------------------------------------------------------

static bool areOffsets(const std::vector<int64_t> &offsets, int64_t base, size_t entries) {
  for (size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] < offsets[i - 1])
      return false;
  return offsets.front() == base && offsets.back() == base + static_cast<int64_t>(entries);
}

static bool areWithin(const std::vector<int64_t> &indices, int64_t base, int64_t count) {
  return llvm::all_of(indices,
                      [&](int64_t index) { return index >= base && index - base < count; });
}

static std::vector<MatrixEntry> blocksOf(const MatrixInput &a) {
  const auto &d = a.description;
  std::vector<MatrixEntry> out;
  for (size_t line = 0; line + 1 < a.offsets.size(); ++line)
    for (int64_t at = a.offsets[line]; at < a.offsets[line + 1]; ++at)
      for (int k = 0; k < d.blockRows * d.blockCols; ++k) {
        const int64_t place = a.colIndices[static_cast<size_t>(at - d.indexBase)] - d.indexBase;
        const int i = d.blocksByColumn ? k % d.blockRows : k / d.blockCols;
        const int j = d.blocksByColumn ? k / d.blockRows : k % d.blockCols;
        out.push_back({static_cast<int64_t>(line) * d.blockRows + i, place * d.blockCols + j, 0});
      }
  return out;
}

static std::vector<MatrixEntry> placesOf(const MatrixInput &a) {
  const auto &d = a.description;
  std::vector<MatrixEntry> out;
  if (d.format == SPECMV_FORMAT_COO)
    for (size_t k = 0; k < a.rowIndices.size(); ++k)
      out.push_back({a.rowIndices[k] - d.indexBase, a.colIndices[k] - d.indexBase, 0});
  const bool isCsr = d.format == SPECMV_FORMAT_CSR;
  for (int64_t line = 0; line + 1 < static_cast<int64_t>(a.offsets.size()); ++line)
    for (int64_t at = a.offsets[static_cast<size_t>(line)];
         at < a.offsets[static_cast<size_t>(line + 1)]; ++at) {
      const auto k = static_cast<size_t>(at - d.indexBase);
      out.push_back(isCsr ? MatrixEntry{line, a.colIndices[k] - d.indexBase, 0}
                          : MatrixEntry{a.rowIndices[k] - d.indexBase, line, 0});
    }
  return out;
}

std::optional<std::vector<MatrixEntry>> entriesOf(const MatrixInput &a) {
  require(a.isHeld);
  const auto &d = a.description;
  const bool isBlocks = d.format == SPECMV_FORMAT_BSR;
  const size_t entries = std::max(a.rowIndices.size(), a.colIndices.size());
  if (!a.offsets.empty() && !areOffsets(a.offsets, d.indexBase, entries))
    return std::nullopt;
  if (!areWithin(a.rowIndices, d.indexBase, d.rows) ||
      !areWithin(a.colIndices, d.indexBase, isBlocks ? d.cols / d.blockCols : d.cols))
    return std::nullopt;
  return isBlocks ? blocksOf(a) : placesOf(a);
}

} // namespace specmv::fuzz
