// Utilities for the benchmarks of the C API on a GPU: matrices by name, errors of the API as
// values, and how such a program ends.
#pragma once

#include "models/base/error.h"
#include "models/lab/families/families.h"
#include "models/lab/matrix_market/matrix_market.h"
#include "runtime/include/specmv.h"
#include "runtime/machine.h"
#include "runtime/measure/measure.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdio>
#include <string>
#include <vector>

namespace specmv::bench {

inline llvm::Error apiError(specmvStatus_t status) {
  return status == SPECMV_STATUS_SUCCESS
             ? llvm::Error::success()
             : fail(Status::internal, "{0}: {1}", specmvStatusName(status),
                    specmvGetLastErrorDetail());
}

// Reads a .mtx file or generates a SPEC.
inline llvm::Expected<CsrMatrix> matrixNamed(const std::string &name) {
  auto matrix =
      llvm::StringRef(name).contains(".mtx") ? readMatrixMarket(name) : generateFamily(name);
  if (matrix)
    matrix->name = name;
  return matrix;
}

// Makes a matrix of arrays with 32-bit indices, on the host or on the GPU.
inline llvm::Error createCsr(const CsrView &a, specmvMatrix_t &out) {
  return apiError(specmvCreateCsr(&out, a.rows, a.cols, a.nnz, a.rowPtr, a.col, a.val,
                                  SPECMV_INDEX_32I,
                                  a.valueType == ValueType::f32 ? SPECMV_R_32F : SPECMV_R_64F));
}

// Makes a plan of such arrays for the GPU with the given options.
inline llvm::Expected<specmvPlan_t> gpuPlan(const CsrView &a, specmvPlanOptions_t options) {
  specmvMatrix_t matrix = nullptr;
  specmvPlan_t plan = nullptr;
  options.target = SPECMV_TARGET_GPU;
  options.vectorsOnGpu = 1;
  if (llvm::Error error = createCsr(a, matrix))
    return error;
  llvm::Error error = apiError(specmvCreatePlan(&plan, matrix, &options));
  specmvDestroyMatrix(matrix);
  if (error)
    return error;
  return plan;
}

// Calls use(matrix, machine) for each of the matrices, on the GPU's machine.
template <class Use>
llvm::Error forMatricesOnGpu(llvm::ArrayRef<std::string> names, const Use &use) {
  auto machine = Machine::find({.target = Target::gpu});
  if (!machine)
    return machine.takeError();
  for (const std::string &name : names) {
    auto matrix = matrixNamed(name);
    if (!matrix)
      return matrix.takeError();
    if (llvm::Error error = use(*matrix, *machine))
      return error;
  }
  return llvm::Error::success();
}

// A matrix with its values in T.
template <class T> class InType {
public:
  explicit InType(const CsrMatrix &matrix)
      : val_(matrix.val.begin(), matrix.val.end()), view_(matrix.view()) {
    view_.valueType = sizeof(T) == 4 ? ValueType::f32 : ValueType::f64;
    view_.val = val_.data();
  }
  InType(const InType &) = delete;
  InType &operator=(const InType &) = delete;

  const CsrView &view() const { return view_; }

private:
  std::vector<T> val_;
  CsrView view_;
};

// Puts y = A x on the default stream.
template <class T> llvm::Error multiply(specmvPlan_t plan, const DeviceVectors &vectors) {
  const T one = 1, zero = 0;
  return apiError(specmvExecute(plan, &one, reinterpret_cast<void *>(vectors.x.pointer()), &zero,
                                reinterpret_cast<void *>(vectors.y.pointer()), nullptr));
}

inline std::string textOf(specmvPlan_t plan) {
  const char *text = "";
  specmvGetPlanText(plan, &text);
  return text;
}

inline int badCall(const char *why) {
  std::fprintf(stderr, "error: %s\n", why);
  return 2;
}

inline int statusOf(llvm::Error error) {
  if (!error)
    return 0;
  std::fprintf(stderr, "error: %s\n", describe(std::move(error)).second.c_str());
  return 1;
}

// main() of a benchmark whose only arguments are matrices.
inline int runOver(int argc, char **argv, llvm::Error (*run)(llvm::ArrayRef<std::string> names)) {
  const std::vector<std::string> names(argv + 1, argv + argc);
  if (names.empty())
    return badCall("name matrices: .mtx files or SPECs");
  return statusOf(run(names));
}

} // namespace specmv::bench
