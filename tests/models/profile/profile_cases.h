// Matrices that are awkward to profile, as lists of entries with views of both index types.
#pragma once

#include "models/profile/profile.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace specmv {

struct ProfileCase {
  std::string name;
  int64_t rows, cols;
  // The columns of each row, in the order in which the matrix holds them.
  std::vector<std::vector<int64_t>> columns;
};

// The CSR arrays of a case; `shuffle` != 0 changes the order of the entries of each row.
template <class I> struct CsrArrays {
  int64_t rows, cols;
  std::vector<I> rowPtr{0}, col;

  explicit CsrArrays(const ProfileCase &c, unsigned shuffle = 0) : rows(c.rows), cols(c.cols) {
    std::mt19937 random(shuffle);
    for (std::vector<int64_t> row : c.columns) {
      if (shuffle != 0)
        std::shuffle(row.begin(), row.end(), random);
      for (int64_t column : row)
        col.push_back(static_cast<I>(column));
      rowPtr.push_back(static_cast<I>(col.size()));
    }
  }
  CsrView view() const {
    return {rows,
            cols,
            static_cast<int64_t>(col.size()),
            sizeof(I) == 4 ? IndexType::i32 : IndexType::i64,
            ValueType::f64,
            rowPtr.data(),
            col.data(),
            nullptr};
  }
};

inline SparsityProfile profileOf(const ProfileCase &c, unsigned shuffle = 0) {
  return profile(CsrArrays<int64_t>(c, shuffle).view());
}

inline ProfileCase emptyCase(std::string name, int64_t rows, int64_t cols) {
  return {std::move(name), rows, cols,
          std::vector<std::vector<int64_t>>(static_cast<size_t>(rows))};
}

// About `entries` entries anywhere; every fourth is followed by a duplicate or a neighbour.
inline ProfileCase randomCase(int64_t rows, int64_t cols, int entries, unsigned seed) {
  ProfileCase c = emptyCase("random", rows, cols);
  std::mt19937_64 random(seed);
  for (int i = 0; i < entries; ++i) {
    std::vector<int64_t> &row = c.columns[random() % static_cast<uint64_t>(rows)];
    row.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(cols)));
    if (i % 4 == 0)
      row.push_back(std::min(row.back() + i % 3, cols - 1));
  }
  return c;
}

inline std::vector<ProfileCase> profileCases() {
  std::vector<ProfileCase> cases{emptyCase("0 x 0", 0, 0),
                                 emptyCase("0 x 5", 0, 5),
                                 emptyCase("5 x 0", 5, 0),
                                 {"1 x 1", 1, 1, {{0}}},
                                 {"1 x 1, three times", 1, 1, {{0, 0, 0}}},
                                 emptyCase("empty rows", 3000, 7)};
  ProfileCase row = emptyCase("one dense row", 300, 3000), column = emptyCase("column", 3000, 300);
  ProfileCase diagonal = emptyCase("diagonal", 1100, 1100), anti = diagonal;
  ProfileCase corner = emptyCase("dense corner", 70000, 70000);
  for (int64_t i = 0; i < 3000; ++i) {
    row.columns[77].push_back(i);
    column.columns[static_cast<size_t>(i)] = {299};
  }
  for (int64_t i = 0; i < 1100; ++i) {
    diagonal.columns[static_cast<size_t>(i)] = {i};
    anti.columns[static_cast<size_t>(i)] = {1099 - i};
  }
  for (int64_t i = 0; i < 100; ++i)
    for (int64_t j = 0; j < 100; ++j)
      corner.columns[static_cast<size_t>(69900 + i)].push_back(69999 - j);
  ProfileCase repeated = emptyCase("40 rows of one column 600 times", 40, 33);
  for (std::vector<int64_t> &r : repeated.columns)
    r.assign(600, 31);
  cases.insert(cases.end(), {row, column, diagonal, anti, corner, repeated});
  cases.push_back(randomCase(50, 70, 900, 1));
  cases.push_back(randomCase(9000, 3, 20000, 2));
  cases.push_back(randomCase(3, 90000, 5000, 3));
  cases.push_back(randomCase(140001, 200003, 40000, 4));
  cases.push_back(randomCase(2000, 6000000000, 3000, 5));
  return cases;
}

inline bool fitsInt32(const ProfileCase &c) { return c.cols < (int64_t{1} << 31); }

} // namespace specmv
