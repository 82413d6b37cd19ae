// Tests of specmv.hpp: as a C++ program uses it, with every refusal of its own.
#include "specmv.hpp"

#include <doctest/doctest.h>

#include <array>
#include <vector>

namespace {

struct Small {
  // 4 1 0
  // 0 3 0
  // 2 0 5
  std::vector<int> rowPtr{0, 2, 3, 5}, col{0, 1, 1, 0, 2};
  std::vector<double> val{4, 1, 3, 2, 5};
  specmv::Result<specmv::Matrix<double>> matrix() const {
    return specmv::Matrix<double>::csr(3, 3, rowPtr, col, val);
  }
};

specmv::PlanOptions onHost() {
  specmv::PlanOptions options;
  options.target = SPECMV_TARGET_HOST;
  return options;
}

} // namespace

TEST_CASE("C++: a matrix and its transpose are multiplied, and take new values") {
  const Small small;
  const auto a = small.matrix();
  REQUIRE(a);
  auto plan = specmv::Plan<double>::create(*a, onHost());
  REQUIRE(plan);
  std::vector<double> y(3, 1.0);
  REQUIRE(plan->multiply(std::array<double, 3>{1, 2, 3}, y));
  CHECK(y == std::vector<double>{6, 6, 17});
  REQUIRE(plan->multiply(std::array<double, 3>{1, 2, 3}, y, 2, -1));
  CHECK(y == std::vector<double>{6, 6, 17});
  REQUIRE(plan->updateValues(std::vector<double>{1, 0, 1, 0, 1}));
  REQUIRE(plan->multiply(std::array<double, 3>{1, 2, 3}, y));
  CHECK(y == std::vector<double>{1, 2, 3});

  specmv::PlanOptions options = onHost();
  options.operation = SPECMV_OPERATION_TRANSPOSE;
  auto transposed = specmv::Plan<double>::create(*a, options);
  REQUIRE(transposed);
  specmv::Plan<double> moved = std::move(*transposed);
  REQUIRE(moved.multiply(std::array<double, 3>{1, 2, 3}, y));
  CHECK(y == std::vector<double>{10, 7, 15});
  CHECK(*moved.ready());
  REQUIRE(moved.wait());
  REQUIRE(moved.cancel());
  CHECK_FALSE(moved.text().empty());
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

TEST_CASE("C++: an error of the library is a result, or an exception if it is asked for") {
  const auto none = specmv::Matrix<float>::csr<int64_t>(-1, 3, 0, nullptr, nullptr, nullptr);
  REQUIRE_FALSE(none);
  CHECK(none.error().status == SPECMV_STATUS_INVALID_VALUE);
  CHECK(none.error().detail.find("rows = -1") != std::string::npos);
  CHECK_THROWS_AS(
      (void)specmv::Matrix<float>::csr<int64_t>(-1, 3, 0, nullptr, nullptr, nullptr).value(),
      std::runtime_error);
  const specmv::Matrix<double> a = Small().matrix().value();
  CHECK(a.rows() == 3);
}

TEST_CASE("C++: a context tells a function of the caller, also after it was moved") {
  std::vector<std::string> heard;
  auto context = specmv::Context::create(
      {.log = [&](specmvLogLevel_t, std::string_view text) { heard.emplace_back(text); },
       .logLevel = SPECMV_LOG_INFO});
  REQUIRE(context);
  const specmv::Context moved = std::move(*context);
  specmv::PlanOptions options = onHost();
  options.context = moved.get();
  const Small small;
  const auto a = small.matrix();
  REQUIRE(specmv::Plan<double>::create(*a, options));
  CHECK_FALSE(heard.empty());
  CHECK_FALSE(specmv::Context::create({.threads = -1}));
  CHECK_FALSE(specmv::Context::create({.allocate = [](void *, size_t, void *) -> void * {
    return nullptr;
  }})); // without its counterpart
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

TEST_CASE("C++: a result in another vector, and vectors in double of a matrix in float") {
  const std::vector<int32_t> rowPtr{0, 1, 2}, col{1, 0};
  const std::vector<float> val{3, 5};
  const auto a = specmv::Matrix<float>::csr(2, 2, rowPtr, col, val);
  REQUIRE(a);
  auto plan = specmv::Plan<float, double>::create(*a, onHost());
  REQUIRE(plan);
  const std::vector<double> x{1, 1 + 0x1p-40}, b{10, 20};
  std::vector<double> z(2);
  REQUIRE(plan->multiplyInto(x, b, z, -1));
  CHECK(z == std::vector<double>{7 - 3 * 0x1p-40, 15});
  REQUIRE(plan->multiply(x, z));
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
