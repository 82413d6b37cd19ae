// Counts the entries of each diagonal.
#pragma once

#include "models/profile/profile.h"

#include <memory>
#include <span>

namespace specmv {

struct Diagonals {
  Count occupied = 0;
  std::vector<DiagonalCount> listed; // as in SparsityProfile
};

// The counters of one thread. A page of counters is made when the first of its diagonals is seen,
// so that a banded matrix costs little. If the matrix has far fewer entries than diagonals, the
// offsets are listed instead, so that declaring many columns does not take memory.
class DiagonalCounter {
public:
  explicit DiagonalCounter(const SparsityProfile &size);

  template <class I> void addRow(Count row, std::span<const I> cols);
  void add(DiagonalCounter &&other);
  Diagonals result();

  // The most memory that one counter takes.
  static Count bytes(const SparsityProfile &size);

private:
  using Page = std::unique_ptr<Count[]>;
  static constexpr int kPageBits = 13; // 64 KiB
  static constexpr Count kPageSize = Count{1} << kPageBits;

  void count(Count place);

  Count rows_;
  std::vector<Page> pages_;    // indexed by offset + rows
  std::vector<Count> offsets_; // if there are no pages
};

} // namespace specmv
