// Implements the C API functions that create and destroy matrices.
#include "runtime/api/arguments.h"
#include "runtime/api/guarded.h"
#include "runtime/api/handles.h"

using namespace specmv;

// C enums are converted to C++ enums by their numbers, which must be equal. asked_task.cpp checks
// those of the options.
static_assert(static_cast<int>(IndexType::i32) == SPECMV_INDEX_32I &&
              static_cast<int>(IndexType::i64) == SPECMV_INDEX_64I);
static_assert(static_cast<int>(ValueType::f32) == SPECMV_R_32F &&
              static_cast<int>(ValueType::f64) == SPECMV_R_64F);
static_assert(static_cast<int>(MatrixLayout::csr) == SPECMV_FORMAT_CSR &&
              static_cast<int>(MatrixLayout::csc) == SPECMV_FORMAT_CSC &&
              static_cast<int>(MatrixLayout::coo) == SPECMV_FORMAT_COO &&
              static_cast<int>(MatrixLayout::bsr) == SPECMV_FORMAT_BSR);

static llvm::Error checkEnums(const specmvMatrixDescription_t &d) {
  if (llvm::Error error = wantEnum(d.format, SPECMV_FORMAT_BSR, "format"))
    return error;
  if (llvm::Error error = wantDataType(d.dataType))
    return error;
  if (llvm::Error error = wantEnum(d.offsetType, SPECMV_INDEX_64I, "offsetType"))
    return error;
  if (llvm::Error error = wantEnum(d.indexType, SPECMV_INDEX_64I, "indexType"))
    return error;
  return d.indexBase == 0 || d.indexBase == 1
             ? llvm::Error::success()
             : fail(Status::badCall,
                    "indexBase = {0} is not a valid value; indices count from 0 "
                    "or from 1",
                    d.indexBase);
}

static llvm::Error checkBlocks(const specmvMatrixDescription_t &d) {
  if (d.blockRows < 1 || d.blockCols < 1)
    return fail(Status::badCall, "blocks of {0} x {1} values: both must be 1 or more", d.blockRows,
                d.blockCols);
  const int64_t values = int64_t{d.blockRows} * d.blockCols;
  if (d.rows % d.blockRows == 0 && d.cols % d.blockCols == 0 && d.nnz % values == 0)
    return llvm::Error::success();
  return fail(Status::badCall,
              "blocks of {0} x {1} do not divide {2} rows, {3} columns and {4} values", d.blockRows,
              d.blockCols, d.rows, d.cols, d.nnz);
}

static MatrixDescription descriptionOf(const specmvMatrixDescription_t &d) {
  const bool isBlocks = numberOf(d.format) == SPECMV_FORMAT_BSR;
  return {.layout = static_cast<MatrixLayout>(d.format),
          .rows = d.rows,
          .cols = d.cols,
          .nnz = d.nnz,
          .offsetType = static_cast<IndexType>(d.offsetType),
          .indexType = static_cast<IndexType>(d.indexType),
          .valueType = static_cast<ValueType>(d.dataType),
          .base = d.indexBase,
          .blockRows = isBlocks ? d.blockRows : 1,
          .blockCols = isBlocks ? d.blockCols : 1,
          .blocksByColumn = isBlocks && d.blocksByColumn != 0,
          .offsets = d.offsets,
          .rowIndices = d.rowIndices,
          .colIndices = d.colIndices,
          .values = d.values};
}

// Checks that each array is given if and only if the format has elements in it.
static llvm::Error checkArrays(const MatrixDescription &a) {
  const DescriptionSizes sizes = sizesOf(a);
  const bool isCoo = a.layout == MatrixLayout::coo, isCsc = a.layout == MatrixLayout::csc;
  const struct {
    const void *array;
    const char *name;
    int64_t size;
    bool isOfFormat;
  } arrays[] = {{a.offsets, "offsets", sizes.offsets, !isCoo},
                {a.rowIndices, "rowIndices", sizes.rowIndices, isCoo || isCsc},
                {a.colIndices, "colIndices", sizes.colIndices, !isCsc}};
  for (const auto &each : arrays) {
    if (each.isOfFormat && each.size > 0)
      if (llvm::Error error = wantPointer(each.array, each.name))
        return error;
    if (!each.isOfFormat && each.array)
      return fail(Status::badCall, "{0} must be NULL: the format has no such array", each.name);
  }
  return llvm::Error::success();
}

namespace {
// The names by which the caller knows the arrays.
struct ArrayNames {
  const char *offsets, *rowIndices, *colIndices, *values;
};
} // namespace

static llvm::Error checkAlignment(const MatrixDescription &a, const ArrayNames &names) {
  const DescriptionSizes sizes = sizesOf(a);
  const struct {
    const void *array;
    int64_t count;
    size_t element;
    const char *name;
  } arrays[] = {{a.offsets, sizes.offsets, sizeOf(a.offsetType), names.offsets},
                {a.rowIndices, sizes.rowIndices, sizeOf(a.indexType), names.rowIndices},
                {a.colIndices, sizes.colIndices, sizeOf(a.indexType), names.colIndices},
                {a.values, a.nnz, sizeOf(a.valueType), names.values}};
  for (const auto &each : arrays)
    if (each.count > 0)
      if (llvm::Error error = wantAligned(each.array, each.element, each.name))
        return error;
  return llvm::Error::success();
}

extern "C" {

specmvStatus_t specmvCreateCsr(specmvMatrix_t *matrix, int64_t rows, int64_t cols, int64_t nnz,
                               const void *rowPtr, const void *col, const void *val,
                               specmvIndexType_t indexType, specmvDataType_t dataType) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantPointer(matrix, "matrix"))
      return error;
    *matrix = nullptr;
    if (llvm::Error error = wantDimensions(rows, cols, nnz))
      return error;
    if (!rowPtr || (nnz > 0 && (!col || !val)))
      return fail(Status::badCall, "{0} is a null pointer",
                  !rowPtr ? "rowPtr"
                  : !col  ? "col"
                          : "val");
    if (llvm::Error error = wantEnum(indexType, SPECMV_INDEX_64I, "indexType"))
      return error;
    if (llvm::Error error = wantDataType(dataType))
      return error;
    const MatrixDescription a{.rows = rows,
                              .cols = cols,
                              .nnz = nnz,
                              .offsetType = static_cast<IndexType>(indexType),
                              .indexType = static_cast<IndexType>(indexType),
                              .valueType = static_cast<ValueType>(dataType),
                              .offsets = rowPtr,
                              .colIndices = col,
                              .values = val};
    if (llvm::Error error = checkAlignment(a, {"rowPtr", "", "col", "val"}))
      return error;
    *matrix = new specmvMatrix(a);
    return llvm::Error::success();
  });
}

specmvStatus_t specmvDestroyMatrix(specmvMatrix_t matrix) {
  return guarded([&]() -> llvm::Error {
    if (matrix)
      if (llvm::Error error = wantHandle(matrix, "matrix"))
        return error;
    delete matrix;
    return llvm::Error::success();
  });
}

specmvStatus_t specmvCreateMatrix(specmvMatrix_t *matrix,
                                  const specmvMatrixDescription_t *description) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantPointer(matrix, "matrix"))
      return error;
    *matrix = nullptr;
    if (llvm::Error error = wantPointer(description, "description"))
      return error;
    constexpr size_t kEnds[] = {sizeof(specmvMatrixDescription_t)};
    auto complete = completed(description, kEnds, "specmvMatrixDescription_t");
    if (!complete)
      return complete.takeError();
    if (llvm::Error error = checkEnums(*complete))
      return error;
    if (llvm::Error error = wantDimensions(complete->rows, complete->cols, complete->nnz))
      return error;
    if (numberOf(complete->format) == SPECMV_FORMAT_BSR)
      if (llvm::Error error = checkBlocks(*complete))
        return error;
    const MatrixDescription a = descriptionOf(*complete);
    if (llvm::Error error = checkArrays(a))
      return error;
    if (llvm::Error error = checkAlignment(a, {"offsets", "rowIndices", "colIndices", "values"}))
      return error;
    *matrix = new specmvMatrix(a);
    return llvm::Error::success();
  });
}

} // extern "C"
