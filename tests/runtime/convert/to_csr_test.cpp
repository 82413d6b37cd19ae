// Tests of the conversion to CSR: every layout, base and pair of index types gives the same matrix,
// and invalid arrays are refused with the number at fault.
#include "runtime/convert/to_csr.h"

#include "models/base/error.h"
#include "models/base/parallel.h"
#include "models/csr_check.h"
#include "tests/matrix_layouts.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

// Returns the product of the CSR matrix with x.
std::vector<double> multiplied(const CsrView &a, const std::vector<double> &x) {
  std::vector<double> y(static_cast<size_t>(a.rows));
  const auto *val = static_cast<const double *>(a.val);
  visitPattern(a, [&](const auto &p) {
    for (int64_t row = 0; row < p.rows; ++row)
      for (int64_t e = p.rowPtr[row]; e < p.rowPtr[row + 1]; ++e)
        y[static_cast<size_t>(row)] += val[e] * x[static_cast<size_t>(p.col[e])];
    return 0;
  });
  return y;
}

std::vector<double> counting(int64_t count) {
  std::vector<double> out;
  for (int64_t i = 0; i < count; ++i)
    out.push_back(static_cast<double>(i % 13 - 6));
  return out;
}

std::string refusal(const MatrixDescription &a) {
  auto made = toCsr(a, false, true);
  REQUIRE_FALSE(static_cast<bool>(made));
  const auto [status, sentence] = describe(made.takeError());
  CHECK(status == Status::badInput);
  return sentence;
}

void checkMatrix(int64_t rows, int64_t cols, int64_t count, int64_t blockRows, int64_t blockCols) {
  const auto entries = randomEntries(rows, cols, count, static_cast<uint64_t>(rows + 3 * count));
  for (const InLayout &a : allLayouts(rows, cols, entries, blockRows, blockCols)) {
    CAPTURE(a.name);
    for (const bool isTransposed : {false, true}) {
      CAPTURE(isTransposed);
      const ConvertedMatrix made = llvm::cantFail(toCsr(a.described(), isTransposed, true));
      CHECK_FALSE(llvm::errorToBool(checkCsr(made.csr->view)));
      CHECK(made.csr->view.rows == (isTransposed ? cols : rows));
      CHECK(made.csr->view.cols == (isTransposed ? rows : cols));
      const std::vector<double> x = counting(made.csr->view.cols);
      CHECK(multiplied(made.csr->view, x) ==
            testing::productOf(a.entries, a.values, rows, cols, isTransposed, x));
      // New values, in the layout's order.
      const std::vector<double> next = counting(static_cast<int64_t>(a.values.size()));
      std::vector<double> ordered(next.size());
      reorderValues(made.order.get(), ValueType::f64, made.csr->view.nnz, next.data(),
                    ordered.data());
      CsrView updated = made.csr->view;
      updated.val = ordered.data();
      CHECK(multiplied(updated, x) ==
            testing::productOf(a.entries, next, rows, cols, isTransposed, x));
    }
  }
}

} // namespace

TEST_CASE("every layout gives the matrix and its transpose, and takes values in its order") {
  checkMatrix(12, 20, 60, 3, 4);
  checkMatrix(30, 6, 10, 2, 3);
  checkMatrix(1, 1, 1, 1, 1);
  checkMatrix(6, 4, 0, 2, 2);
  checkMatrix(0, 5, 0, 1, 5);
  checkMatrix(5, 0, 0, 5, 1);
}

TEST_CASE("sorted rows keep their order, and need none") {
  const std::vector<MatrixEntry> entries = {{0, 3, 1}, {0, 1, 2}, {2, 0, 3}, {2, 0, 4}};
  const InLayout csr =
      inLayout(MatrixLayout::csr, 3, 4, entries, 1, IndexType::i64, IndexType::i32);
  const ConvertedMatrix made = llvm::cantFail(toCsr(csr.described(), false, true));
  CHECK_FALSE(made.order);
  const auto *col = static_cast<const int32_t *>(made.csr->view.col);
  CHECK(std::vector<int32_t>(col, col + 4) == std::vector<int32_t>{3, 1, 0, 0});
  const ConvertedMatrix transposed = llvm::cantFail(toCsr(csr.described(), true, true));
  REQUIRE(transposed.order);
  CHECK(*transposed.order == EntryOrder{2, 3, 1, 0}); // repeated entries in the caller's order
}

TEST_CASE("without values there are zeros to take them") {
  const InLayout coo = inLayout(MatrixLayout::coo, 3, 3, randomEntries(3, 3, 5, 1), 0,
                                IndexType::i32, IndexType::i32);
  MatrixDescription a = coo.described();
  a.values = nullptr;
  const ConvertedMatrix made = llvm::cantFail(toCsr(a, false, true));
  CHECK(multiplied(made.csr->view, {1, 2, 3}) == std::vector<double>{0, 0, 0});
}

TEST_CASE("arrays that form no matrix are refused with the number at fault") {
  const std::vector<MatrixEntry> entries = {{0, 3, 1}, {1, 1, 2}, {2, 0, 3}};
  const auto with = [&](MatrixLayout layout, const auto &change) {
    InLayout a = inLayout(layout, 3, 4, entries, 1, IndexType::i32, IndexType::i32);
    change(a);
    return refusal(a.described());
  };
  CHECK(with(MatrixLayout::csr, [](InLayout &a) { a.offsets.narrow[0] = 0; }) ==
        "offsets begin with 0, but must begin with the index base 1");
  CHECK(with(MatrixLayout::csr, [](InLayout &a) { a.offsets.narrow[2] = 1; }) ==
        "row 1: offsets decrease from 2 to 1");
  CHECK(with(MatrixLayout::csc, [](InLayout &a) { a.offsets.narrow[1] = 9; }) ==
        "column 1: offsets decrease from 9 to 3");
  CHECK(with(MatrixLayout::csr, [](InLayout &a) { a.offsets.narrow[3] = 5; }) ==
        "offsets end with 5, but must end with 4, counted from 1");
  CHECK(with(MatrixLayout::csr, [](InLayout &a) { a.cols.narrow[1] = 0; }) ==
        "entry 1: column 0 is not in 1 .. 4");
  CHECK(with(MatrixLayout::coo, [](InLayout &a) { a.rows.narrow[2] = 4; }) ==
        "entry 2: row 4 is not in 1 .. 3");
  CHECK(with(MatrixLayout::csc, [](InLayout &a) { a.rows.narrow[0] = -7; }) ==
        "entry 0: row -7 is not in 1 .. 3");
  InLayout blocks =
      inLayout(MatrixLayout::bsr, 4, 4, entries, 0, IndexType::i32, IndexType::i32, 2, 2);
  blocks.cols.narrow[0] = 2;
  CHECK(refusal(blocks.described()) == "entry 0: block column 2 is not in 0 .. 1");
}

TEST_CASE("one thread gives the arrays that all give, with the order or without") {
  const auto entries = randomEntries(3000, 17, 40000, 11);
  for (const MatrixLayout layout : {MatrixLayout::csr, MatrixLayout::coo, MatrixLayout::csc})
    for (const bool isTransposed : {false, true}) {
      const InLayout a = inLayout(layout, 3000, 17, entries, 0, IndexType::i32, IndexType::i32);
      CAPTURE(a.name);
      const ConvertedMatrix all = llvm::cantFail(toCsr(a.described(), isTransposed, true));
      const ThreadLimit one(1);
      const ConvertedMatrix alone = llvm::cantFail(toCsr(a.described(), isTransposed, false));
      CHECK_FALSE(alone.order);
      CHECK(all.csr->rowPtr == alone.csr->rowPtr);
      CHECK(all.csr->col == alone.csr->col);
      CHECK(all.csr->val == alone.csr->val);
    }
}
