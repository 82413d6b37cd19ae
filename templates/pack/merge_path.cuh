// The merge path of a matrix: the items in their order, in which the end of a row follows its
// entries. This one definition is compiled by the host's packing and by the kernels of
// templates/pack. Item q is the end of row r if endOf(r) = q, otherwise an entry. After the last
// row come as many ends of rows that do not exist as are needed.
//
// Example: rows of 2, 0 and 1 entries, rowPtr = 0 2 2 3, with 3 items per thread:
//   item      0   1   2    3    4   5      endOf(0) = 2, endOf(1) = 3, endOf(2) = 5
//   is        e0  e1  end0 end1 e2  end2
//   thread    0   0   0    1    1   1
// Thread 0 begins in row 0 and has an end at its item 2: bits 100. Thread 1 begins in row 1, since
// one row has ended, and has ends at its items 0 and 2: bits 101. Above these `items` bits, a
// thread's path has the number of rows that ended earlier in its warp: 0 and 1.
#pragma once

namespace specmv {

// Returns the blocks that share a row if the row is open at the boundary before block `boundary`,
// that is, if it has items on both sides. The row has items `first` .. `last`, and a block has
// `share` items. If the row is not open there, both results are `boundary`.
struct SharedBy {
  long long first, last;
};
constexpr SharedBy sharedBy(long long boundary, long long first, long long last, long long share) {
  const long long item = boundary * share;
  return first < item && item <= last ? SharedBy{first / share, last / share}
                                      : SharedBy{boundary, boundary};
}

template <class Index> struct MergePath {
  const Index *rowPtr;
  long long rows, entries;

  constexpr long long firstOf(long long row) const { return rowPtr[row] + row; }
  constexpr long long endOf(long long row) const {
    return (row < rows ? static_cast<long long>(rowPtr[row + 1]) : entries) + row;
  }
  // An upper bound of the number of rows that end before the item.
  constexpr long long mostRowsBefore(long long item) const {
    return item - entries > rows ? item - entries : rows;
  }
  // The row to which the item belongs, which is the number of rows that end before it.
  constexpr long long rowOf(long long item) const {
    long long low = 0, high = mostRowsBefore(item);
    while (low < high) {
      const long long middle = low + (high - low) / 2;
      endOf(middle) < item ? low = middle + 1 : high = middle;
    }
    return low;
  }
  // The blocks that share the row that is open at a boundary.
  constexpr SharedBy sharedAt(long long boundary, long long share) const {
    const long long row = rowOf(boundary * share);
    return row < rows ? sharedBy(boundary, firstOf(row), endOf(row), share)
                      : SharedBy{boundary, boundary};
  }
};

// The bit of a row end that is item number `item` of its thread, and the encoded path of a thread.
constexpr int pathBit(long long item) { return 1 << item; }
constexpr int pathOf(int bits, int rowsBefore, int items) { return rowsBefore << items | bits; }

} // namespace specmv
