// Tests of matrices in every layout through the C API, and of transposes, on the host.
#include "tests/api/api_testing.h"
#include "tests/api/layouts_testing.h"

using namespace apitest;
using namespace specmv;
using namespace specmv::testing;

namespace {

specmvMatrixDescription_t smallCoo() {
  static const int32_t rows[] = {0, 1, 1}, cols[] = {1, 0, 1};
  static const double values[] = {1, 2, 3};
  specmvMatrixDescription_t d = SPECMV_MATRIX_DESCRIPTION_INIT;
  d.format = SPECMV_FORMAT_COO;
  d.rows = d.cols = 2;
  d.nnz = 3;
  d.rowIndices = rows;
  d.colIndices = cols;
  d.values = values;
  return d;
}

} // namespace

TEST_CASE("every layout and its transpose is multiplied, and takes new values in its order") {
  for (const bool isTransposed : {false, true})
    for (const specmvStart_t start : {SPECMV_START_WAIT, SPECMV_START_NOW}) {
      specmvPlanOptions_t options = hostOptions();
      options.operation =
          isTransposed ? SPECMV_OPERATION_TRANSPOSE : SPECMV_OPERATION_NON_TRANSPOSE;
      options.start = start;
      for (const InLayout &a : allLayouts(12, 20, randomEntries(12, 20, 70, 3), 3, 4))
        checkLayout(a, options, onHost());
    }
}

TEST_CASE("a matrix without values is multiplied only after they came") {
  specmvMatrixDescription_t d = smallCoo();
  d.values = nullptr;
  specmvMatrix_t matrix = nullptr;
  REQUIRE(specmvCreateMatrix(&matrix, &d) == SPECMV_STATUS_SUCCESS);
  const Plan plan(matrix);
  const double one = 1, zero = 0, x[] = {10, 100}, values[] = {1, 2, 3};
  double y[2];
  CHECK(specmvExecute(plan, &one, x, &zero, y, nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("specmvUpdateValues()"));
  REQUIRE(specmvUpdateValues(plan, values, nullptr) == SPECMV_STATUS_SUCCESS);
  REQUIRE(specmvExecute(plan, &one, x, &zero, y, nullptr) == SPECMV_STATUS_SUCCESS);
  CHECK(y[0] == 100);
  CHECK(y[1] == 320);
  specmvDestroyMatrix(matrix);
}

TEST_CASE("a description is refused for what cannot be, with the value at fault") {
  const auto refused = [](const auto &change, const std::string &text) {
    specmvMatrixDescription_t d = smallCoo();
    change(d);
    specmvMatrix_t matrix = nullptr;
    CHECK(specmvCreateMatrix(&matrix, &d) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(matrix == nullptr);
    CHECK_MESSAGE(detailHas(text), detail());
  };
  using D = specmvMatrixDescription_t;
  static const int32_t array[] = {0, 1};
  refused([](D &d) { d.structSize = 8; }, "sizeof(specmvMatrixDescription_t)");
  refused([](D &d) { d.format = static_cast<specmvFormat_t>(4); }, "format = 4");
  refused([](D &d) { d.dataType = static_cast<specmvDataType_t>(2); }, "dataType = 2");
  refused([](D &d) { d.dataType = SPECMV_C_32F; }, "dataType = 4 is complex");
  refused([](D &d) { d.dataType = SPECMV_C_64F; }, "[Re -Im; Im Re]");
  refused([](D &d) { d.indexBase = 2; }, "indexBase = 2");
  refused([](D &d) { d.rows = -1; }, "rows = -1");
  refused([](D &d) { d.rowIndices = nullptr; }, "rowIndices is a null pointer");
  refused([](D &d) { d.offsets = array; }, "offsets must be NULL");
  refused([](D &d) { d.format = SPECMV_FORMAT_BSR; }, "blocks of 0 x 0");
  refused([](D &d) { d.format = SPECMV_FORMAT_BSR, d.blockRows = d.blockCols = 2; },
          "do not divide 2 rows, 2 columns and 3 values");
  specmvMatrix_t matrix = nullptr;
  CHECK(specmvCreateMatrix(&matrix, nullptr) == SPECMV_STATUS_INVALID_VALUE);
  const specmvMatrixDescription_t d = smallCoo();
  CHECK(specmvCreateMatrix(nullptr, &d) == SPECMV_STATUS_INVALID_VALUE);
  specmvPlanOptions_t options = hostOptions();
  options.operation = static_cast<specmvOperation_t>(2); // conjugate transpose: values are real
  specmvPlan_t plan = nullptr;
  REQUIRE(specmvCreateMatrix(&matrix, &d) == SPECMV_STATUS_SUCCESS);
  CHECK(specmvCreatePlan(&plan, matrix, &options) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("operation = 2"));
  specmvDestroyMatrix(matrix);
}

TEST_CASE("what the arrays hold is checked when a plan is made") {
  specmvMatrixDescription_t d = smallCoo();
  static const int32_t rows[] = {0, 5, 1};
  d.rowIndices = rows;
  specmvMatrix_t matrix = nullptr;
  REQUIRE(specmvCreateMatrix(&matrix, &d) == SPECMV_STATUS_SUCCESS);
  const specmvPlanOptions_t options = hostOptions();
  specmvPlan_t plan = nullptr;
  CHECK(specmvCreatePlan(&plan, matrix, &options) == SPECMV_STATUS_INVALID_MATRIX);
  CHECK(detailHas("entry 1: row 5 is not in 0 .. 1"));
  CHECK(plan == nullptr);
  specmvDestroyMatrix(matrix);
}

// A former bug: the detail said only that memory ran out, if Linux did not end the process.
TEST_CASE("a conversion beyond the machine's memory is refused with the bytes that it needs") {
  const int64_t many = int64_t{1} << 40, entry[] = {0};
  const int32_t offsets[] = {0, 0, 1}, column[] = {0};
  const double value[] = {1};
  specmvMatrixDescription_t d = smallCoo();
  d.rows = many, d.cols = d.nnz = 1;
  d.indexType = SPECMV_INDEX_64I;
  d.rowIndices = d.colIndices = entry, d.values = value;
  specmvMatrix_t coo = nullptr, wide = nullptr;
  REQUIRE(specmvCreateMatrix(&coo, &d) == SPECMV_STATUS_SUCCESS);
  REQUIRE(specmvCreateCsr(&wide, 2, many, 1, offsets, column, value, SPECMV_INDEX_32I,
                          SPECMV_R_64F) == SPECMV_STATUS_SUCCESS);
  specmvPlanOptions_t options = hostOptions();
  for (const auto &[matrix, what] :
       {std::pair(coo, "1099511627776 x 1 matrix with 1 entries to CSR needs 175921860444"),
        std::pair(
            wide,
            "2 x 1099511627776 matrix with 1 entries, transposed, to CSR needs 1759218604")}) {
    specmvPlan_t plan = nullptr;
    CHECK(specmvCreatePlan(&plan, matrix, &options) == SPECMV_STATUS_MISSING);
    CHECK_MESSAGE(detailHas(what), detail());
    CHECK(detailHas("use a machine with more memory"));
    specmvPlanEstimate_t estimate = SPECMV_PLAN_ESTIMATE_INIT;
    CHECK(specmvEstimatePlan(&estimate, matrix, &options) == SPECMV_STATUS_MISSING);
    CHECK_MESSAGE(detailHas(what), detail());
    specmvDestroyMatrix(matrix);
    options.operation = SPECMV_OPERATION_TRANSPOSE;
  }
}

TEST_CASE("the plan of a transpose is that of structureOf for the next transpose") {
  const auto entries = randomEntries(40, 30, 200, 5);
  const InLayout a =
      inLayout(MatrixLayout::csr, 40, 30, entries, 0, IndexType::i32, IndexType::i32);
  specmvPlanOptions_t options = hostOptions();
  options.operation = SPECMV_OPERATION_TRANSPOSE;
  const MatrixHandle matrix(a.described());
  const Plan first(matrix.get(), options);
  options.structureOf = first;
  checkLayout(a, options, onHost());
}
