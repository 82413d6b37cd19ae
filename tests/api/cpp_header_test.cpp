// Tests specmv.hpp as a C++ program uses it, with each of its own refusals.
#include "tests/api/cpp_testing.h"

#include <array>

using namespace cpptest;

TEST_CASE("C++: a matrix and its transpose are multiplied, and take new values") {
  const Small small;
  const auto a = small.matrix();
  REQUIRE(a);
  specmv::PlanOptions options = onHost();
  options.updatable = 1;
  auto plan = specmv::Plan<double>::create(*a, options);
  REQUIRE(plan);
  std::vector<double> y(3, 1.0);
  REQUIRE(plan->multiply(std::array<double, 3>{1, 2, 3}, y));
  CHECK(y == std::vector<double>{6, 6, 17});
  REQUIRE(plan->multiply(std::array<double, 3>{1, 2, 3}, y, 2, -1));
  CHECK(y == std::vector<double>{6, 6, 17});
  REQUIRE(plan->updateValues(std::vector<double>{1, 0, 1, 0, 1}));
  REQUIRE(plan->multiply(std::array<double, 3>{1, 2, 3}, y));
  CHECK(y == std::vector<double>{1, 2, 3});

  options = onHost();
  options.operation = SPECMV_OPERATION_TRANSPOSE;
  auto transposed = specmv::Plan<double>::create(*a, options);
  REQUIRE(transposed);
  specmv::Plan<double> moved = std::move(*transposed);
  REQUIRE(moved.multiply(std::array<double, 3>{1, 2, 3}, y));
  CHECK(y == std::vector<double>{10, 7, 15});
  CHECK(*moved.ready());
  REQUIRE(moved.wait());
  REQUIRE(moved.cancel());
  const std::string text = moved.text();
  options.planText = text.c_str();
  CHECK(specmv::Plan<double>::create(*a, options)->text() == text);
  options.planText = "ell";
  CHECK_FALSE(specmv::Plan<double>::create(*a, options));
  CHECK_FALSE(moved.report().empty());
  CHECK(moved.json().front() == '{');
  CHECK_FALSE(moved.isOnGpu());
  CHECK(moved.bytes() > 0);
  CHECK(moved.setupMilliseconds() > 0);
  CHECK(moved.get() != nullptr);
  CHECK(moved.destroyOn(nullptr));
  CHECK(moved.get() == nullptr);
}

TEST_CASE("C++: spans of wrong sizes are refused with the numbers at fault") {
  const Small small;
  const auto tooFew = specmv::Matrix<double>::csr(4, 3, small.rowPtr, small.col, small.val);
  REQUIRE_FALSE(tooFew);
  CHECK(tooFew.error().status == SPECMV_STATUS_INVALID_VALUE);
  CHECK(tooFew.error().detail ==
        "rowPtr has 4 elements; a matrix of 4 rows needs one more than that");
  const std::vector<double> four(4);
  const auto uneven = specmv::Matrix<double>::csr(3, 3, small.rowPtr, small.col, four);
  REQUIRE_FALSE(uneven);
  CHECK(uneven.error().detail == "col has 5 elements and val 4; both need one for each entry");
  const auto a = small.matrix();
  auto plan = specmv::Plan<double>::create(*a, onHost());
  REQUIRE(plan);
  std::vector<double> y(2);
  const auto product = plan->multiply(std::vector<double>(3), y);
  REQUIRE_FALSE(product);
  CHECK(product.error().detail == "x has 3 elements and y 2; the plan needs 3 and 3");
  const auto update = plan->updateValues(std::vector<double>(4));
  REQUIRE_FALSE(update);
  CHECK(update.error().detail == "val has 4 elements; the matrix has 5 entries");
  const auto estimate = specmv::Plan<double>::estimate(*a, onHost());
  REQUIRE(estimate);
  CHECK(estimate->bytes == plan->bytes());
  CHECK_FALSE(specmv::addPack("/nowhere/at/all.pack"));
}

TEST_CASE("C++: every layout, from arrays of either index type, with values or without") {
  // 4 1 0 0
  // 0 3 0 0
  // 0 0 5 6
  // 0 0 7 8
  using M = specmv::Matrix<double>;
  const std::vector<int64_t> wide{0, 2, 3, 5, 7};
  const std::array<int, 7> col{0, 1, 1, 2, 3, 2, 3}, row{0, 0, 1, 2, 2, 3, 3};
  const std::vector<int64_t> wideCol(col.begin(), col.end());
  const std::vector<double> val{4, 1, 3, 5, 6, 7, 8}, byCol{4, 1, 3, 5, 7, 6, 8};
  const std::vector<int> colPtr{0, 1, 3, 5, 7}, rowOfCol{0, 0, 1, 2, 3, 2, 3};
  const std::vector<int> blockPtr{0, 1, 2}, block{0, 1}, from1{1, 2, 3}, block1{1, 2};
  const std::vector<double> blocks{4, 1, 0, 3, 5, 6, 7, 8}, turned{4, 0, 1, 3, 5, 7, 6, 8};
  const auto gives = [](specmv::Result<M> a, const std::vector<double> *values = nullptr) {
    REQUIRE_MESSAGE(a, a.error().detail);
    auto plan = specmv::Plan<double>::create(*a, onHost());
    REQUIRE(plan);
    std::vector<double> y(4);
    CHECK(static_cast<bool>(plan->multiply(std::vector<double>{1, 10, 100, 1000}, y)) == !values);
    if (values) {
      REQUIRE(plan->updateValues(*values));
      REQUIRE(plan->multiply(std::vector<double>{1, 10, 100, 1000}, y));
    }
    CHECK(y == std::vector<double>{14, 30, 6500, 8700});
  };
  gives(M::csr(4, 4, wide, col, val));
  gives(M::csr(4, 4, wide, wideCol, std::span(val)));
  gives(M::csr(4, 4, wide, col), &val);
  gives(M::csr<int64_t>(4, 4, {wide.data(), 5}, {wideCol.data(), 7}, {val.data(), 7}));
  gives(M::csr<int64_t>(4, 4, {wide}, {wideCol}, {val}));
  gives(M::csr(4, 4, std::span(wide), std::span(wideCol), std::span(val)));
  gives(M::csc(4, 4, colPtr, rowOfCol, byCol));
  gives(M::csc(4, 4, colPtr, rowOfCol), &byCol);
  gives(M::coo(4, 4, row, col, val));
  gives(M::coo(4, 4, row, col), &val);
  gives(M::bsr(4, 4, {2, 2}, blockPtr, block, blocks));
  gives(M::bsr(4, 4, {2, 2, true}, blockPtr, block, turned));
  gives(M::bsr(4, 4, {2, 2}, from1, block1, blocks, 1));
  gives(M::bsr(4, 4, {2, 2}, blockPtr, block), &blocks);

  const auto says = [](specmv::Result<M> a, const std::string &sentence) {
    REQUIRE_FALSE(a);
    CHECK(a.error().status == SPECMV_STATUS_INVALID_VALUE);
    CHECK(a.error().detail == sentence);
  };
  says(M::csc(4, 3, colPtr, rowOfCol, byCol),
       "colPtr has 5 elements; a matrix of 3 columns needs one more than that");
  says(M::csr(-1, 3, wide, col), "rows = -1, cols = 3 and nnz = 7 must not be negative");
  says(M::coo(4, 4, row, block, val), "row has 7 elements and col 2; both need one for each entry");
  says(M::coo(4, 4, row, col, blocks),
       "col has 7 elements and val 8; both need one for each entry");
  says(M::coo(4, 4, row, wideCol, val),
       "row and col have indices of 4 and of 8 bytes; both need one size");
  says(M::bsr(4, 4, {2, 2}, blockPtr, block, val),
       "col has 2 elements and val 7; a block needs 4 values");
  says(M::bsr(6, 4, {2, 2}, blockPtr, block, blocks),
       "rowPtr has 3 elements; a matrix of 6 rows in blocks of 2 needs one more than these make");
  says(M::bsr(4, 4, {0, 2}, blockPtr, block, blocks),
       "blocks of 0 x 2 values: both must be 1 or more");
  says(M::bsr(5, 4, {2, 2}, blockPtr, block, blocks),
       "blocks of 2 x 2 do not divide 5 rows, 4 columns and 8 values");
  CHECK_FALSE(M::csr(4, 4, wide, col, val, 2)); // counted from 2
}

TEST_CASE("C++: what a plan multiplies, a limit for waiting, and working memory") {
  const std::vector<int> rowPtr{0, 1, 2}, col{2, 1};
  const std::vector<float> val{2, 3};
  const auto a = specmv::Matrix<float>::csr(2, 3, rowPtr, col, val);
  specmv::PlanOptions options = onHost();
  options.operation = SPECMV_OPERATION_TRANSPOSE;
  options.vectors = 3;
  auto plan = specmv::Plan<float>::create(*a, options);
  REQUIRE(plan);
  CHECK(plan->rows() == 3);
  CHECK(plan->cols() == 2);
  CHECK(plan->nnz() == 2);
  CHECK(plan->vectors() == 4);
  CHECK(*plan->waitFor(std::chrono::seconds(1)));
  CHECK(*plan->waitFor(std::chrono::milliseconds::max()));
  CHECK(plan->workspaceBytes() == 0); // on the host
  CHECK(plan->setWorkspace(nullptr, 0));
  CHECK_FALSE(plan->setWorkspace(nullptr, -1));

  specmvPlan_t made = nullptr;
  REQUIRE(specmvCreatePlan(&made, a->get(), &options) == SPECMV_STATUS_SUCCESS);
  CHECK_FALSE(specmv::Plan<double>::adopt(made)); // of float; it stays the caller's
  auto adopted = specmv::Plan<float>::adopt(made);
  REQUIRE(adopted);
  std::vector<float> y(3);
  REQUIRE(adopted->multiply(std::vector<float>{1, 10}, y));
  CHECK(y == std::vector<float>{0, 30, 2});
  CHECK_FALSE(specmv::Plan<float>::adopt(nullptr));
}

TEST_CASE("C++: a matrix in another layout, without values") {
  const std::vector<int64_t> rows{1, 2, 2}, cols{2, 1, 2};
  specmvMatrixDescription_t description = SPECMV_MATRIX_DESCRIPTION_INIT;
  description.format = SPECMV_FORMAT_COO;
  description.rows = description.cols = 2;
  description.nnz = 3;
  description.indexType = SPECMV_INDEX_64I;
  description.indexBase = 1;
  description.rowIndices = rows.data();
  description.colIndices = cols.data();
  const auto a = specmv::Matrix<float>::create(description);
  REQUIRE(a);
  auto plan = specmv::Plan<float>::create(*a, onHost());
  REQUIRE(plan);
  std::vector<float> y(2);
  CHECK_FALSE(plan->multiply(std::vector<float>{10, 100}, y));
  REQUIRE(plan->updateValues(std::vector<float>{1, 2, 3}));
  REQUIRE(plan->multiply(std::vector<float>{10, 100}, y));
  CHECK(y == std::vector<float>{100, 320});
}

TEST_CASE("C++: several vectors at once") {
  const Small small;
  const auto a = small.matrix();
  REQUIRE(a);
  specmv::PlanOptions options = onHost();
  options.vectors = 2;
  auto plan = specmv::Plan<double>::create(*a, options);
  REQUIRE(plan);
  std::vector<double> y(6, 1.0);
  const std::vector<double> rows{1, 10, 2, 20, 3, 30}, columns{1, 2, 3, 10, 20, 30};
  REQUIRE(plan->multiplySeveral(2, rows, y));
  CHECK(y == std::vector<double>{6, 60, 6, 60, 17, 170});
  REQUIRE(plan->multiplySeveral(2, columns, y, SPECMV_ORDER_COLUMN, 2));
  CHECK(y == std::vector<double>{12, 12, 34, 120, 120, 340});
  const auto refused = plan->multiplySeveral(3, rows, y);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().detail ==
        "X has 6 elements and Y 6; 3 vectors need that many times 3 and 3");
  CHECK_FALSE(plan->multiplySeveral(-1, rows, y));
  REQUIRE(plan->multiplySeveral(0, {}, {}));
}

// A former test had a square matrix, for which the leading dimension of Y may be that of X.
TEST_CASE("C++: several vectors of a rectangular matrix, in both orders and at any strides") {
  // 1 0 2
  // 0 3 0
  const std::vector<int> rowPtr{0, 2, 3}, col{0, 2, 1};
  const std::vector<double> val{1, 2, 3};
  const auto a = specmv::Matrix<double>::csr(2, 3, rowPtr, col, val);
  REQUIRE(a);
  specmv::PlanOptions options = onHost();
  options.vectors = 2;
  auto wide = specmv::Plan<double>::create(*a, options);
  options.operation = SPECMV_OPERATION_TRANSPOSE;
  auto tall = specmv::Plan<double>::create(*a, options);
  REQUIRE(wide);
  REQUIRE(tall);
  using Values = std::vector<double>;
  constexpr auto kColumn = SPECMV_ORDER_COLUMN;
  const Values wideX{1, 2, 3, 10, 20, 30}, tallX{1, 2, 10, 20};
  Values wideY(4, 1.0), tallY(6, 1.0);
  REQUIRE(wide->multiplySeveral(2, wideX, wideY, kColumn));
  CHECK(wideY == Values{7, 6, 70, 60});
  REQUIRE(wide->multiplySeveral(2, wideX, wideY, kColumn, 1, 2));
  CHECK(wideY == Values{21, 18, 210, 180});
  REQUIRE(tall->multiplySeveral(2, tallX, tallY, kColumn));
  CHECK(tallY == Values{1, 6, 2, 10, 60, 20});
  REQUIRE(wide->multiplySeveral(2, Values{1, 10, 2, 20, 3, 30}, wideY));
  CHECK(wideY == Values{7, 70, 6, 60});
  REQUIRE(tall->multiplySeveral(2, Values{1, 10, 2, 20}, tallY));
  CHECK(tallY == Values{1, 10, 6, 60, 2, 20});

  // With leading dimensions: of X and of Y, in columns and in rows. -1 is not read or written.
  Values y(8, -1.0);
  REQUIRE(wide->multiplySeveral(2, Values{1, 2, 3, -1, -1, 10, 20, 30}.data(), 5, y.data(), 3,
                                kColumn, nullptr));
  CHECK(y == Values{7, 6, -1, 70, 60, -1, -1, -1});
  y.assign(8, -1.0);
  REQUIRE(wide->multiplySeveral(2, Values{1, 10, -1, 2, 20, -1, 3, 30}.data(), 3, y.data(), 4,
                                SPECMV_ORDER_ROW, nullptr));
  CHECK(y == Values{7, 70, -1, -1, 6, 60, -1, -1});
}

TEST_CASE("C++: a result in another vector, and vectors in double of a matrix in float") {
  const std::vector<int32_t> rowPtr{0, 1, 2}, col{1, 0};
  const std::vector<float> val{3, 5};
  const auto a = specmv::Matrix<float>::csr(2, 2, rowPtr, col, val);
  REQUIRE(a);
  auto plan = specmv::Plan<float, double>::create(*a, onHost());
  REQUIRE(plan);
  const std::vector<double> x{1, 1 + 0x1p-40}, b{10, 20};
  std::vector<double> z(2);
  REQUIRE(plan->multiplyInto(x, b, z, -1, 1));
  CHECK(z == std::vector<double>{7 - 3 * 0x1p-40, 15});
  REQUIRE(plan->multiply(x, z));
  CHECK(z == std::vector<double>{3 + 3 * 0x1p-40, 5});
  // beta is 0 by default, as for multiply().
  z = {1, 1};
  REQUIRE(plan->multiplyInto(x, b, z));
  CHECK(z == std::vector<double>{3 + 3 * 0x1p-40, 5});
  const auto refused = plan->multiplyInto(x, b, {z.data(), 1});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().detail == "x has 2 elements, y 2 and z 1; the plan needs 2, 2 and 2");
  specmv::PlanOptions doubles = onHost();
  doubles.doubleVectors = 1;
  const auto wrong = specmv::Plan<float>::create(*a, doubles);
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().detail == "doubleVectors is for a Plan<float, double>");
  REQUIRE(specmv::Plan<float, double>::create(*a, doubles));
}
