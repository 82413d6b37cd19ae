// What the tests of cuSPARSE share: small matrices of any type, and refusals as values.
#pragma once

#include "runtime/cusparse_formats.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace specmv {

// A matrix of any index and value type.
template <class I, class V> struct Csr {
  int64_t rows = 0, cols = 0;
  std::vector<I> rowPtr{0}, col;
  std::vector<V> val;

  void addRow(const std::vector<I> &columns, const std::vector<V> &values) {
    col.insert(col.end(), columns.begin(), columns.end());
    val.insert(val.end(), values.begin(), values.end());
    rowPtr.push_back(static_cast<I>(col.size()));
    ++rows;
  }
  CsrPattern<I> pattern() const {
    return {rows, cols, static_cast<int64_t>(col.size()), rowPtr.data(), col.data()};
  }
  CsrView view() const {
    return {rows,
            cols,
            static_cast<int64_t>(col.size()),
            sizeof(I) == 4 ? IndexType::i32 : IndexType::i64,
            sizeof(V) == 4 ? ValueType::f32 : ValueType::f64,
            rowPtr.data(),
            col.data(),
            val.data()};
  }
};

// 0 to 4 entries a row with unsorted and repeated columns, empty rows, one dense row, all values
// small integers; rows is no multiple of the slice, and rows 64 .. 95 make an empty slice.
template <class I, class V> Csr<I, V> irregular() {
  Csr<I, V> a;
  a.cols = 60;
  for (int i = 0; i < 130; ++i) {
    std::vector<I> columns;
    std::vector<V> values;
    const int length = i == 40 ? 60 : i >= 64 && i < 96 ? 0 : i % 5;
    for (int k = 0; k < length; ++k) {
      columns.push_back(static_cast<I>(i == 40 ? 59 - k : (i * 7 + k / 2 * 31) % 60));
      values.push_back(static_cast<V>((i + 3 * k) % 9 - 4));
    }
    a.addRow(columns, values);
  }
  return a;
}

// One row of `length` ones, then `empty` empty rows.
inline Csr<int32_t, float> oneLongRow(int length, int empty) {
  Csr<int32_t, float> a;
  a.cols = length;
  std::vector<int32_t> columns;
  for (int k = 0; k < length; ++k)
    columns.push_back(k);
  a.addRow(columns, std::vector<float>(columns.size(), 1.0F));
  for (int i = 0; i < empty; ++i)
    a.addRow({}, {});
  return a;
}

inline const CusparseAlgorithm &algorithmNamed(const std::string &name) {
  for (const CusparseAlgorithm &algorithm : kCusparseAlgorithms)
    if (name == algorithm.name)
      return algorithm;
  FAIL("no algorithm " << name);
  return kCusparseAlgorithms[0];
}

inline std::pair<Status, std::string> refusal(llvm::Error error) {
  if (!error)
    return {Status::internal, "accepted"};
  return describe(std::move(error));
}

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace specmv
