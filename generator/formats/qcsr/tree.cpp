// Builds the quadtree as printed by splitting lists of entries: each level reads each entry once.
#include "generator/formats/qcsr/tree.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace specmv {

// A half-open range of rows or of columns.
struct Range {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
  int64_t middle() const { return begin + size() / 2; }
};

template <class I> using Entries = std::vector<std::pair<I, I>>; // (row, column)

// Builds the tree below the region of the entries first .. last - 1, and reorders these entries.
template <class I> class QcsrTreeGrower {
  using Iterator = typename Entries<I>::iterator;

public:
  QcsrTreeGrower(int64_t d, double fill) : d_(d), fill_(fill) {}

  void grow(Iterator first, Iterator last, Range rows, Range columns, int64_t level) {
    tree.depth = std::max(tree.depth, level);
    if (first == last) {
      ++tree.empty;
    } else if (rows.size() > d_ || columns.size() > d_) {
      split(first, last, rows, columns, level + 1);
    } else {
      const double area = static_cast<double>(rows.size()) * static_cast<double>(columns.size());
      ++(static_cast<double>(last - first) > fill_ * area ? tree.full : tree.sparse);
    }
  }

  QcsrTree tree;

private:
  void split(Iterator first, Iterator last, Range rows, Range columns, int64_t level) {
    ++tree.inner;
    if (rows.size() <= d_)
      return splitColumns(first, last, rows, columns, level);
    const int64_t middle = rows.middle();
    const Iterator cut =
        std::partition(first, last, [&](const auto &entry) { return entry.first < middle; });
    splitColumns(first, cut, {rows.begin, middle}, columns, level);
    splitColumns(cut, last, {middle, rows.end}, columns, level);
  }

  void splitColumns(Iterator first, Iterator last, Range rows, Range columns, int64_t level) {
    if (columns.size() <= d_)
      return grow(first, last, rows, columns, level);
    const int64_t middle = columns.middle();
    const Iterator cut =
        std::partition(first, last, [&](const auto &entry) { return entry.second < middle; });
    grow(first, cut, rows, {columns.begin, middle}, level);
    grow(cut, last, rows, {middle, columns.end}, level);
  }

  int64_t d_;
  double fill_;
};

int64_t qcsrTreeBytes(const QcsrTree &tree) {
  constexpr int64_t kPlace = sizeof(int32_t), kLength = sizeof(int32_t); // S_I, S_D
  return (2 * kPlace + kLength) * tree.inner;
}

QcsrTree qcsrTreeAsPrinted(const CsrView &a, int64_t d, double fill) {
  return visitPattern(a, [&](auto p) {
    using I = typename decltype(p)::Index;
    Entries<I> entries;
    entries.reserve(p.nnz);
    for (int64_t row = 0; row < p.rows; ++row)
      for (int64_t e = p.rowPtr[row]; e < p.rowPtr[row + 1]; ++e)
        entries.emplace_back(static_cast<I>(row), p.col[e]);
    QcsrTreeGrower<I> grower(d, fill);
    grower.grow(entries.begin(), entries.end(), {0, p.rows}, {0, p.cols}, 0);
    return grower.tree;
  });
}

} // namespace specmv
