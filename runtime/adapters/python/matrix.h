// A description of a matrix for the C API, which keeps the arrays that it names alive.
#pragma once

#include "runtime/adapters/python/array.h"

#include <memory>
#include <vector>

namespace specmv_python {

// Python's Matrix hands these over; absent arrays are None.
struct MatrixParts {
  std::string format; // "csr", "csc", "coo", "bsr"
  int64_t rows, cols;
  nb::object offsets, rowIndices, colIndices, values;
  std::string valueType; // where there are no values
  int indexBase;
};

// Returns a copy of an array, in the same place; see Matrix::copy().
nb::object copyOf(const Array &array);

class Matrix {
public:
  explicit Matrix(MatrixParts given);
  Matrix(const Matrix &) = delete;
  Matrix &operator=(const Matrix &) = delete;
  ~Matrix();

  specmvMatrix_t handle() const { return handle_; }
  int64_t rows() const { return description_.rows; }
  int64_t cols() const { return description_.cols; }
  int64_t nnz() const { return description_.nnz; }
  const char *type() const;
  // The number of the GPU that has the arrays; kOnHost, or kOnSomeGpu if they do not tell.
  int device() const { return device_; }
  const char *format() const;
  int indexBase() const { return description_.indexBase; }
  // The objects that were given: offsets, indices of rows and of columns, values, without those
  // that the format has not.
  nb::list arrays() const;
  // A new matrix of copies of the arrays, in host memory as arrays of NumPy. An array on a GPU that
  // is none of cupy or torch is not copied.
  Matrix *copy() const;
  bool isCopy() const { return isCopy_; }
  // Copies new values over those of a copy and returns true, if both are in host memory.
  bool takeValues(const Array &values);
  bool hasValues() const { return description_.values != nullptr || description_.nnz == 0; }
  // Waits for the streams on which the libraries of arrays on a GPU work now, since the C API waits
  // for the default stream only.
  void synchronize() const;

private:
  const Array *take(nb::handle object, const char *name);
  const Array *takeIndices(nb::handle object, const char *name);
  void takeValues(const MatrixParts &parts);
  void takeBlocks(const Array *values);
  void checkPlace(const Array &array, const char *name);

  specmvMatrixDescription_t description_ = SPECMV_MATRIX_DESCRIPTION_INIT;
  MatrixParts parts_;
  std::vector<Array> arrays_; // of the parts that are not None, in their order
  int device_ = kOnHost;
  bool isCopy_ = false;
  specmvMatrix_t handle_ = nullptr;
};

} // namespace specmv_python
