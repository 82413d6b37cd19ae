// Checks one matrix in one layout through the C API, on the host or on a GPU.
#pragma once

#include "specmv.h"
#include "tests/matrix_layouts.h"

#include <doctest/doctest.h>

#include <functional>
#include <memory>

namespace specmv::testing {

inline specmvMatrixDescription_t apiDescription(const MatrixDescription &a) {
  specmvMatrixDescription_t d = SPECMV_MATRIX_DESCRIPTION_INIT;
  d.format = static_cast<specmvFormat_t>(a.layout);
  d.dataType = static_cast<specmvDataType_t>(a.valueType);
  d.rows = a.rows, d.cols = a.cols, d.nnz = a.nnz;
  d.offsetType = static_cast<specmvIndexType_t>(a.offsetType);
  d.indexType = static_cast<specmvIndexType_t>(a.indexType);
  d.indexBase = static_cast<int>(a.base);
  d.blockRows = static_cast<int>(a.blockRows), d.blockCols = static_cast<int>(a.blockCols);
  d.blocksByColumn = a.blocksByColumn;
  d.offsets = a.offsets, d.rowIndices = a.rowIndices, d.colIndices = a.colIndices;
  d.values = a.values;
  return d;
}

class MatrixHandle {
public:
  explicit MatrixHandle(const MatrixDescription &a) {
    const specmvMatrixDescription_t d = apiDescription(a);
    const specmvStatus_t status = specmvCreateMatrix(&handle_, &d);
    REQUIRE_MESSAGE(status == SPECMV_STATUS_SUCCESS, specmvGetLastErrorDetail());
  }
  MatrixHandle(const MatrixHandle &) = delete;
  MatrixHandle &operator=(const MatrixHandle &) = delete;
  ~MatrixHandle() { specmvDestroyMatrix(handle_); }
  specmvMatrix_t get() const { return handle_; }

private:
  specmvMatrix_t handle_ = nullptr;
};

// Copies bytes to the place of the matrix or of its new values and returns their address, which is
// valid as long as the returned pointer lives.
using Place = std::function<std::shared_ptr<const void>(const void *from, size_t bytes)>;

inline Place onHost() {
  return [](const void *from, size_t) {
    return std::shared_ptr<const void>(from, [](const void *) {});
  };
}

// Checks the product of the layout's matrix, or of its transpose, before and after new values in
// the layout's order.
inline void checkLayout(const InLayout &a, const specmvPlanOptions_t &asked, const Place &place) {
  CAPTURE(a.name);
  CAPTURE(static_cast<int>(asked.operation));
  const bool isTransposed = asked.operation == SPECMV_OPERATION_TRANSPOSE;
  const DescriptionSizes sizes = sizesOf(a.description);
  MatrixDescription d = a.described();
  std::vector<std::shared_ptr<const void>> kept;
  const auto put = [&](const void *&array, int64_t count, size_t size) {
    if (!array || count == 0)
      return;
    kept.push_back(place(array, static_cast<size_t>(count) * size));
    array = kept.back().get();
  };
  put(d.offsets, sizes.offsets, sizeOf(d.offsetType));
  put(d.rowIndices, sizes.rowIndices, sizeOf(d.indexType));
  put(d.colIndices, sizes.colIndices, sizeOf(d.indexType));
  put(d.values, d.nnz, sizeof(double));
  specmvPlanOptions_t options = asked;
  options.updatable = 1;
  specmvPlan_t plan = nullptr;
  {
    const MatrixHandle matrix(d);
    const specmvStatus_t made = specmvCreatePlan(&plan, matrix.get(), &options);
    if (made == SPECMV_STATUS_NOT_APPLICABLE && options.formats)
      return;
    REQUIRE_MESSAGE(made == SPECMV_STATUS_SUCCESS, specmvGetLastErrorDetail());
  }
  std::vector<double> x(static_cast<size_t>(isTransposed ? d.rows : d.cols));
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<double>(i % 11) - 5;
  const auto product = [&] {
    std::vector<double> y(static_cast<size_t>(isTransposed ? d.cols : d.rows), 7);
    const double one = 1, zero = 0;
    const specmvStatus_t status = specmvExecute(plan, &one, x.data(), &zero, y.data(), nullptr);
    REQUIRE_MESSAGE(status == SPECMV_STATUS_SUCCESS, specmvGetLastErrorDetail());
    return y;
  };
  CHECK(product() == productOf(a.entries, a.values, d.rows, d.cols, isTransposed, x));
  std::vector<double> next(a.values.size());
  for (size_t e = 0; e < next.size(); ++e)
    next[e] = static_cast<double>(e % 17) - 8;
  const auto newValues = place(next.data(), next.size() * sizeof(double));
  const specmvStatus_t updated = specmvUpdateValues(plan, newValues.get(), nullptr);
  REQUIRE_MESSAGE(updated == SPECMV_STATUS_SUCCESS, specmvGetLastErrorDetail());
  CHECK(product() == productOf(a.entries, next, d.rows, d.cols, isTransposed, x));
  specmvDestroyPlan(plan);
}

} // namespace specmv::testing
