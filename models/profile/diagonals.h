// Counts the entries of each diagonal, as long as there are few diagonals.
#pragma once

#include "models/profile/profile.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace specmv {

// --- Place table ---------------------------------------------------------------------------------

// A small hash table that numbers the different keys that it meets.

// Gives up to `most` keys the places 0, 1, ... in the order in which they come.
template <size_t most> class PlaceTable {
public:
  // Returns the key's place, which is the size before this call if the key is new; `most` if there
  // is no place left for it.
  size_t placeOf(uint64_t key) {
    size_t slot = key * kGolden >> (64 - kSlotBits);
    while (slots_[slot] != 0 && keys_[slots_[slot] - 1U] != key)
      slot = (slot + 1) % kSlots;
    if (slots_[slot] == 0) {
      if (size_ == most)
        return most;
      keys_[size_] = key;
      slots_[slot] = static_cast<uint16_t>(++size_);
    }
    return slots_[slot] - size_t{1};
  }

  std::span<const uint64_t> keys() const { return {keys_.data(), size_}; }

private:
  // Twice as many slots as keys or more, so that a search is short.
  static constexpr int kSlotBits = std::max(10, static_cast<int>(std::bit_width(2 * most - 1)));
  static constexpr size_t kSlots = size_t{1} << kSlotBits;
  static_assert(2 * most <= kSlots && most < 1 << 16);
  static constexpr uint64_t kGolden = 0x9e3779b97f4a7c15ULL; // 2^64 over the golden ratio

  std::array<uint16_t, kSlots> slots_{}; // place + 1; 0: free
  std::array<uint64_t, most> keys_;
  size_t size_ = 0;
};

// --- Diagonals -----------------------------------------------------------------------------------

// Counts the entries of each diagonal, as long as there are few diagonals.

// The diagonals of one thread's rows. If there are more than kMaxListedDiagonals, or a row has more
// entries than that, the counter records only this fact.
class DiagonalCounter {
public:
  template <class I> void addRow(Count row, std::span<const I> cols);
  void add(const DiagonalCounter &other);

  bool areMany() const { return areMany_; }
  // By ascending offset; empty if there are many.
  std::vector<DiagonalCount> list() const;

private:
  // Twice as many slots as are counted, so that a free slot is found soon.
  static constexpr size_t kSlots = 512;

  void add(Count offset, Count entries);

  std::array<DiagonalCount, kSlots> slots_{}; // a slot is free if its entries are 0
  Count used_ = 0;
  bool areMany_ = false;
};

// The number of diagonals that have an entry, without a limit.
Count countDiagonals(const CsrView &a);

} // namespace specmv
