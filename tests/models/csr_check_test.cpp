// Tests checkCsr: invalid arrays are refused with the first row and number at fault.
#include "models/csr_check.h"

#include "models/base/error.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace specmv;

namespace {

struct Arrays {
  int64_t rows = 3, cols = 4;
  std::vector<int64_t> rowPtr{0, 2, 2, 3}, col{0, 3, 1};
};

// Returns "" for a matrix, otherwise the message.
std::string faultOf(const Arrays &a) {
  const CsrView view{a.rows,         a.cols,         static_cast<int64_t>(a.col.size()),
                     IndexType::i64, ValueType::f64, a.rowPtr.data(),
                     a.col.data(),   nullptr};
  llvm::Error error = checkCsr(view);
  if (!error)
    return "";
  auto [status, sentence] = describe(std::move(error));
  CHECK(status == Status::badInput);
  return sentence;
}

} // namespace

TEST_CASE("a matrix passes, also an empty one and one with repeated, unsorted columns") {
  CHECK(faultOf({}) == "");
  CHECK(faultOf({0, 0, {0}, {}}) == "");
  CHECK(faultOf({2, 0, {0, 0, 0}, {}}) == "");
  CHECK(faultOf({1, 5, {0, 4}, {4, 0, 4, 4}}) == "");
}

TEST_CASE("a column out of range is named with its row") {
  CHECK(faultOf({3, 4, {0, 2, 2, 3}, {0, 4, 1}}) ==
        "row 0: column 4 is out of range, the matrix has 4 columns, counted from 0");
  CHECK(faultOf({3, 4, {0, 2, 2, 3}, {0, 3, -1}}) ==
        "row 2: column -1 is negative; columns are counted from 0");
}

TEST_CASE("row pointers that form no matrix are named") {
  CHECK(faultOf({3, 4, {1, 2, 2, 3}, {0, 3, 1}}) == "rowPtr starts at 1, but must start at 0");
  CHECK(faultOf({3, 4, {1, 3, 3, 4}, {1, 4, 2}}) ==
        "rowPtr starts at 1 and ends at 4, the number of entries + 1, so the matrix counts from 1; "
        "describe it to specmvCreateMatrix() with indexBase = 1 (in Python, index_base=1)");
  CHECK(faultOf({3, 4, {0, 2, 2, 2}, {0, 3, 1}}) ==
        "rowPtr ends at 2, but must end at the number of entries, 3");
  CHECK(faultOf({3, 4, {0, 2, 1, 3}, {0, 3, 1}}) == "row 1: rowPtr decreases from 2 to 1");
  CHECK(faultOf({3, 4, {0, 9, 1, 3}, {0, 3, 1}}) ==
        "row 0: rowPtr gives entries 0 to 9, but the matrix has only 3");
}

TEST_CASE("of many faults in a large matrix the first row's is reported") {
  Arrays a{200000, 10, {0}, {}};
  for (int64_t row = 0; row < a.rows; ++row) {
    a.col.push_back(row < 70001 ? 1 : 10 + row);
    a.rowPtr.push_back(row + 1);
  }
  CHECK(faultOf(a) ==
        "row 70001: column 70011 is out of range, the matrix has 10 columns, counted from 0");
}

TEST_CASE("null arrays and negative sizes are refused") {
  CsrView view{1, 1, 1, IndexType::i32, ValueType::f32, nullptr, nullptr, nullptr};
  CHECK(describe(checkCsr(view)).second == "rowPtr is a null pointer");
  view.rows = -1;
  CHECK(describe(checkCsr(view)).second ==
        "-1 rows, 1 columns and 1 entries: none of these may be negative");
}
