// The partition says which rows a rank owns, which columns of theirs other ranks own (the halo),
// and who sends what to whom.
#ifndef SPECMV_SAMPLES_DISTRIBUTED_PARTITION_H
#define SPECMV_SAMPLES_DISTRIBUTED_PARTITION_H

#include "matrix.h"
#include "ranks.h"

#include <limits>
#include <mutex>

namespace distributed {

struct Csr {
  int64_t rows = 0, cols = 0;
  std::vector<int> rowPtr{0}, col = {};
  std::vector<double> val = {};
};

// A partition describes the rows of one rank. A vector that is multiplied is "wide": before and
// behind its own elements it has those of the halo. All columns stay in the order of the whole
// matrix, so that a stencil remains a stencil, with the same diagonals.
struct Partition {
  std::vector<int64_t> firstRow; // of each rank, and the number of all rows
  int64_t begin = 0, own = 0;    // the rank's own rows
  std::vector<int64_t> halo;     // the columns of other ranks, in order
  int64_t before = 0;            // how many of them lie before the own ones
  int64_t entries = 0;           // of the whole matrix

  int64_t wide() const { return own + static_cast<int64_t>(halo.size()); }
  // Returns where an element of the halo lies in a wide vector.
  int64_t place(int64_t inHalo) const { return inHalo < before ? inHalo : inHalo + own; }
};

// Runs work(first, last) on each thread with a part of 0 .. count - 1. The order of the parts is
// that of the threads.
template <class Work> void inParallel(int threads, int64_t count, const Work &work) {
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t)
    others.emplace_back([&, t] { work(count * t / threads, count * (t + 1) / threads); });
  work(0, count / threads);
  for (std::thread &other : others)
    other.join();
}

// Divides the rows so that all ranks have about as many entries. Each rank counts equally many
// rows; a block begins at the first row before which there are enough entries.
inline void divideByEntries(const RowSource &source, const Ranks &ranks, Partition &p) {
  if (source.rows / ranks.count > std::numeric_limits<int>::max())
    stop("there are " + std::to_string(source.rows / ranks.count) +
         " rows for each rank, more than a 32-bit index counts; use more ranks");
  const int64_t each = source.rows / ranks.count, more = source.rows % ranks.count;
  const int64_t from = each * ranks.rank + std::min<int64_t>(ranks.rank, more);
  const int64_t to = from + each + (ranks.rank < more ? 1 : 0);
  std::vector<int64_t> sum(to - from + 1); // the entries before each row
  inParallel(ranks.threads, to - from, [&](int64_t first, int64_t last) {
    std::vector<Entry> entries;
    for (int64_t row = first; row < last; ++row) {
      source.read(from + row, entries);
      sum[row + 1] = static_cast<int64_t>(entries.size());
    }
  });
  std::partial_sum(sum.begin(), sum.end(), sum.begin());
  int64_t earlier = 0;
  MPI_Exscan(&sum.back(), &earlier, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (ranks.rank == 0)
    earlier = 0; // MPI_Exscan() leaves it undefined there
  p.entries = ofAll(sum.back(), MPI_SUM);
  sum.pop_back();
  p.firstRow.assign(ranks.count + 1, 0);
  for (int r = 1; r < ranks.count; ++r) {
    const auto enough =
        std::lower_bound(sum.begin(), sum.end(), p.entries * r / ranks.count - earlier);
    p.firstRow[r] = enough - sum.begin();
  }
  MPI_Allreduce(MPI_IN_PLACE, p.firstRow.data(), ranks.count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  p.firstRow.back() = source.rows;
}

inline void sortOnce(std::vector<int64_t> &columns) {
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
}

inline void findHalo(const RowSource &source, int threads, Partition &p) {
  std::mutex mutex;
  inParallel(threads, p.own, [&](int64_t first, int64_t last) {
    std::vector<Entry> entries;
    std::vector<int64_t> found;
    for (int64_t row = first; row < last; ++row) {
      source.read(p.begin + row, entries);
      for (const Entry &e : entries)
        if (e.col < p.begin || e.col >= p.begin + p.own)
          found.push_back(e.col);
    }
    sortOnce(found);
    const std::lock_guard<std::mutex> lock(mutex);
    p.halo.insert(p.halo.end(), found.begin(), found.end());
  });
  sortOnce(p.halo);
  p.before = std::lower_bound(p.halo.begin(), p.halo.end(), p.begin) - p.halo.begin();
}

inline Partition divide(const RowSource &source, const Ranks &ranks) {
  Partition p;
  divideByEntries(source, ranks, p);
  p.begin = p.firstRow[ranks.rank];
  p.own = p.firstRow[ranks.rank + 1] - p.begin;
  findHalo(source, ranks.threads, p);
  if (p.wide() > std::numeric_limits<int>::max())
    stop("a vector has " + std::to_string(p.wide()) +
         " elements here, more than a 32-bit index counts; use more ranks");
  return p;
}

// Makes a matrix in two passes: visit(row, take) calls take(column, value) for each entry of the
// row. Each thread has a copy of visit.
template <class Visit> Csr makeCsr(int threads, int64_t rows, int64_t cols, const Visit &visit) {
  Csr a{rows, cols};
  a.rowPtr.resize(rows + 1);
  inParallel(threads, rows, [&](int64_t first, int64_t last) {
    Visit own = visit;
    for (int64_t row = first; row < last; ++row)
      own(row, [&](int64_t, double) { ++a.rowPtr[row + 1]; });
  });
  if (std::accumulate(a.rowPtr.begin(), a.rowPtr.end(), int64_t{0}) >
      std::numeric_limits<int>::max())
    stop("there are more entries here than a 32-bit offset counts; use more ranks");
  std::partial_sum(a.rowPtr.begin(), a.rowPtr.end(), a.rowPtr.begin());
  a.col.resize(a.rowPtr.back());
  a.val.resize(a.rowPtr.back());
  inParallel(threads, rows, [&](int64_t first, int64_t last) {
    Visit own = visit;
    int at = a.rowPtr[first];
    for (int64_t row = first; row < last; ++row)
      own(row, [&](int64_t col, double value) {
        a.col[at] = static_cast<int>(col);
        a.val[at++] = value;
      });
  });
  return a;
}

// Makes the rank's rows, with the columns of a wide vector.
inline Csr ownRows(const RowSource &source, int threads, const Partition &p) {
  const auto visit = [&, entries = std::vector<Entry>()](int64_t row, const auto &take) mutable {
    source.read(p.begin + row, entries);
    for (const Entry &e : entries) {
      const bool isOwn = e.col >= p.begin && e.col < p.begin + p.own;
      take(isOwn ? p.before + e.col - p.begin
                 : p.place(std::lower_bound(p.halo.begin(), p.halo.end(), e.col) - p.halo.begin()),
           e.value);
    }
  };
  return makeCsr(threads, p.own, p.wide(), visit);
}

// Copies the rows first .. last - 1 of `a`, with the entries that `isWanted` by their columns.
template <class IsWanted>
Csr select(const Csr &a, int threads, int64_t first, int64_t last, const IsWanted &isWanted) {
  return makeCsr(threads, last - first, a.cols, [&](int64_t row, const auto &take) {
    for (int e = a.rowPtr[first + row]; e < a.rowPtr[first + row + 1]; ++e)
      if (isWanted(a.col[e]))
        take(a.col[e], a.val[e]);
  });
}

// These rows follow one another; row `first` of the rank is among them, row `last` is not.
struct Rows {
  int64_t first, last;
};

// Finds the rows with entries in the halo, as at most two ranges, so that the product with the halo
// passes over few others. A block of a grid has them at its begin and at its end.
inline std::vector<Rows> rowsWithHalo(const Csr &a, const Partition &p) {
  std::vector<int64_t> found;
  for (int64_t row = 0; row < a.rows; ++row)
    if (std::any_of(a.col.begin() + a.rowPtr[row], a.col.begin() + a.rowPtr[row + 1],
                    [&](int col) { return col < p.before || col >= p.before + p.own; }))
      found.push_back(row);
  if (found.empty())
    return {};
  size_t widest = 0; // the gap behind this one
  for (size_t i = 0; i + 1 < found.size(); ++i)
    if (found[i + 1] - found[i] > found[widest + 1] - found[widest])
      widest = i;
  const int64_t first = found.front(), last = found.back() + 1;
  // A second product pays only if it saves a pass over many rows.
  if (found.size() < 2 || found[widest + 1] - found[widest] <= (last - first) / 2)
    return {{first, last}};
  return {{first, found[widest] + 1}, {found[widest + 1], last}};
}

// These lists say what a rank sends and receives in an exchange of the halo.
struct Messages {
  std::vector<int> sendCounts, sendBegins, receiveCounts, receiveBegins; // for each rank
  std::vector<int64_t> rows; // own rows in the order in which they are sent, from 0
};

inline std::vector<int> beginsOf(const std::vector<int> &counts) {
  std::vector<int> begins(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  return begins;
}

// Tells each owner which elements this rank needs; the owners thus learn what to send.
inline Messages arrange(const Partition &p, const Ranks &ranks) {
  Messages m;
  m.receiveCounts.assign(ranks.count, 0);
  m.sendCounts.assign(ranks.count, 0);
  for (const int64_t col : p.halo) {
    const auto behind = std::upper_bound(p.firstRow.begin(), p.firstRow.end(), col);
    ++m.receiveCounts[behind - p.firstRow.begin() - 1];
  }
  MPI_Alltoall(m.receiveCounts.data(), 1, MPI_INT, m.sendCounts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  if (std::accumulate(m.sendCounts.begin(), m.sendCounts.end(), int64_t{0}) >
      std::numeric_limits<int>::max())
    stop("this rank sends more elements than a 32-bit index counts; use more ranks");
  m.receiveBegins = beginsOf(m.receiveCounts);
  m.sendBegins = beginsOf(m.sendCounts);
  m.rows.resize(m.sendBegins.back() + m.sendCounts.back());
  MPI_Alltoallv(p.halo.data(), m.receiveCounts.data(), m.receiveBegins.data(), MPI_INT64_T,
                m.rows.data(), m.sendCounts.data(), m.sendBegins.data(), MPI_INT64_T,
                MPI_COMM_WORLD);
  for (int64_t &row : m.rows)
    row -= p.begin;
  return m;
}

} // namespace distributed

#endif
