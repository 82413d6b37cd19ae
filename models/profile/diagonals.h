// Counts the entries of each diagonal, as long as there are few diagonals.
#pragma once

#include "models/profile/profile.h"

#include <array>
#include <span>

namespace specmv {

// The diagonals of one thread's rows. When there are more than kMaxListedDiagonals, or a row has
// more entries, only that is known.
class DiagonalCounter {
public:
  template <class I> void addRow(Count row, std::span<const I> cols);
  void add(const DiagonalCounter &other);

  bool areMany() const { return areMany_; }
  // By ascending offset; none if there are many.
  std::vector<DiagonalCount> list() const;

private:
  // Twice as many as are counted, so that a free slot is soon found.
  static constexpr size_t kSlots = 512;

  void add(Count offset, Count entries);

  std::array<DiagonalCount, kSlots> slots_{}; // free where entries is 0
  Count used_ = 0;
  bool areMany_ = false;
};

// The number of diagonals that have an entry, however many.
Count countDiagonals(const CsrView &a);

} // namespace specmv
