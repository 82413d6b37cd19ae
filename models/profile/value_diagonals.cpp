// Compares the values along the diagonals of a matrix, as long as there are few diagonals.
#include "models/profile/value_diagonals.h"

#include "models/base/parallel.h"
#include "models/profile/place_table.h"

#include <atomic>
#include <mutex>

namespace specmv {

namespace {
// The diagonals seen so far, each with one value.
struct SeenDiagonals {
  PlaceTable<kMostComparedDiagonals> offsets;
  std::array<uint64_t, kMostComparedDiagonals> bits;

  // Returns false if the diagonal has another value, or there are too many diagonals.
  bool add(uint64_t offset, uint64_t value) {
    const size_t before = offsets.keys().size(), place = offsets.placeOf(offset);
    if (place == kMostComparedDiagonals)
      return false;
    if (place == before)
      bits[place] = value;
    return bits[place] == value;
  }
  bool add(const SeenDiagonals &other) {
    const std::span<const uint64_t> keys = other.offsets.keys();
    for (size_t k = 0; k < keys.size(); ++k)
      if (!add(keys[k], other.bits[k]))
        return false;
    return true;
  }
  std::vector<ValueOfDiagonal> list() const {
    const std::span<const uint64_t> keys = offsets.keys();
    std::vector<ValueOfDiagonal> out;
    out.reserve(keys.size());
    for (size_t k = 0; k < keys.size(); ++k)
      out.push_back({static_cast<int64_t>(keys[k]), bits[k]});
    return out;
  }
};
} // namespace

template <class I, class Value>
static bool addRowTo(SeenDiagonals &seen, const CsrPattern<I> &a, const Value *val, int64_t row) {
  if (a.rowPtr[row + 1] - a.rowPtr[row] > kMostInComparedRow)
    return false;
  for (int64_t e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e)
    if (!seen.add(static_cast<uint64_t>(a.col[e] - row), bitsOf(val[e])))
      return false;
  return true;
}

// Rows that a thread takes at a time: in a matrix with few diagonals, these have some ten thousand
// entries.
constexpr int64_t kComparedTogether = 1 << 13;

template <class I, class Value>
static std::optional<std::vector<ValueOfDiagonal>> compareOn(const CsrPattern<I> &a,
                                                             const Value *val) {
  SeenDiagonals all;
  std::mutex mutex;
  std::atomic<bool> isConstant{true};
  parallelFor(a.rows, kComparedTogether, [&](int64_t begin, int64_t end) {
    SeenDiagonals part;
    for (int64_t row = begin; row < end && isConstant; ++row)
      if (!addRowTo(part, a, val, row))
        isConstant = false;
    std::lock_guard lock(mutex);
    if (isConstant && !all.add(part))
      isConstant = false;
  });
  return isConstant ? std::optional(all.list()) : std::nullopt;
}

std::optional<std::vector<ValueOfDiagonal>> compareDiagonals(const CsrView &a) {
  return visitPattern(a, [&](const auto &p) {
    return visitValues(a, [&](auto *val) { return compareOn(p, val); });
  });
}

} // namespace specmv
