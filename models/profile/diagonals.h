// Counts the entries of each diagonal, as long as there are few diagonals.
#pragma once

#include "models/profile/profile.h"

#include <array>
#include <span>

namespace specmv {

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
