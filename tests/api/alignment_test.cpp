// Tests that arrays and vectors which are not aligned to their type are refused before anything is
// read: on a GPU, a kernel that reads them would end the context of the program.
#include "tests/api/fake_gpu_testing.h"

#include <cstring>

using namespace apitest;

namespace {

constexpr double kAlpha = 1, kNoBeta = 0;

// Memory of 40 numbers that begins `shift` bytes behind a multiple of 8.
template <class T = double> struct Shifted {
  alignas(16) unsigned char bytes[40 * sizeof(T) + 8] = {};
  T *at(size_t shift) { return reinterpret_cast<T *>(bytes + shift); }
  std::string whole() const { return {reinterpret_cast<const char *>(bytes), sizeof bytes}; }
};

void isRefused(specmvStatus_t status, const std::string &name, size_t size) {
  CHECK(status == SPECMV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE(detail().starts_with(name + " at "), detail());
  CHECK_MESSAGE(detailHas(" is not aligned to its type, " + std::to_string(size) + " bytes"),
                detail());
}

} // namespace

TEST_CASE("vectors on the host that are not aligned are refused, and y stays as it was") {
  specmvPlanOptions_t options = hostOptions();
  options.vectors = 2;
  const Plan plan(smallCsr(), options);
  Shifted<> x, y, z;
  const std::string before = z.whole();
  for (const size_t shift : {1, 4, 7}) {
    CAPTURE(shift);
    isRefused(specmvExecute(plan, &kAlpha, x.at(shift), &kNoBeta, y.at(0), nullptr), "x", 8);
    isRefused(specmvExecute(plan, &kAlpha, x.at(0), &kNoBeta, y.at(shift), nullptr), "y", 8);
    isRefused(specmvExecuteInto(plan, &kAlpha, x.at(0), &kAlpha, y.at(shift), z.at(0), nullptr),
              "y", 8);
    isRefused(specmvExecuteInto(plan, &kAlpha, x.at(0), &kAlpha, y.at(0), z.at(shift), nullptr),
              "z", 8);
    isRefused(specmvExecuteMulti(plan, 2, &kAlpha, x.at(shift), 2, &kNoBeta, y.at(0), 2,
                                 SPECMV_ORDER_ROW, nullptr),
              "X", 8);
    isRefused(specmvExecuteMulti(plan, 2, &kAlpha, x.at(0), 2, &kNoBeta, y.at(shift), 2,
                                 SPECMV_ORDER_ROW, nullptr),
              "Y", 8);
    // With beta = 0, nobody reads y.
    CHECK(specmvExecuteInto(plan, &kAlpha, x.at(0), &kNoBeta, y.at(shift), z.at(0), nullptr) ==
          SPECMV_STATUS_SUCCESS);
  }
  CHECK(y.whole() == before);
  CHECK(specmvExecute(plan, &kAlpha, x.at(8), &kNoBeta, y.at(8), nullptr) == SPECMV_STATUS_SUCCESS);
  CHECK(specmvExecuteMulti(plan, 0, &kAlpha, x.at(1), 2, &kNoBeta, y.at(3), 2, SPECMV_ORDER_ROW,
                           nullptr) == SPECMV_STATUS_SUCCESS); // there is no value
}

TEST_CASE("vectors have the type of the plan's vectors, and values that of the matrix") {
  const Csr<int32_t, float> a{1, 1, {0, 1}, {0}, {3}};
  specmvPlanOptions_t options = hostOptions();
  const Plan narrow(a, options);
  options.doubleVectors = 1, options.updatable = 1;
  const Plan wide(a, options);
  Shifted<float> x, y;
  const float one = 1, zero = 0;
  CHECK(specmvExecute(narrow, &one, x.at(4), &zero, y.at(4), nullptr) == SPECMV_STATUS_SUCCESS);
  isRefused(specmvExecute(narrow, &one, x.at(2), &zero, y.at(4), nullptr), "x", 4);
  isRefused(specmvExecute(wide, &kAlpha, x.at(4), &kNoBeta, y.at(0), nullptr), "x", 8);
  CHECK(specmvUpdateValues(wide, x.at(4), nullptr) == SPECMV_STATUS_SUCCESS);
  isRefused(specmvUpdateValues(wide, x.at(3), nullptr), "val", 4);
}

TEST_CASE("alpha and beta on the host may have any address") {
  const Plan plan(Csr<int32_t, double>{1, 1, {0, 1}, {0}, {3}});
  unsigned char scalars[20];
  const double alpha = 2, beta = 10;
  std::memcpy(scalars + 1, &alpha, sizeof alpha);
  std::memcpy(scalars + 11, &beta, sizeof beta);
  const double x = 5;
  double y = 1;
  CHECK(specmvExecute(plan, scalars + 1, &x, scalars + 11, &y, nullptr) == SPECMV_STATUS_SUCCESS);
  CHECK(y == 40);
}

TEST_CASE("arrays of a matrix that are not aligned are refused by their names") {
  Shifted<int64_t> offsets, rows, cols;
  Shifted<> values;
  const auto csr = [&](size_t ofOffsets, size_t ofCols, size_t ofValues, specmvIndexType_t index) {
    specmvMatrix_t matrix = nullptr;
    const specmvStatus_t status =
        specmvCreateCsr(&matrix, 3, 3, 3, offsets.at(ofOffsets), cols.at(ofCols),
                        values.at(ofValues), index, SPECMV_R_64F);
    CHECK((matrix == nullptr) == (status != SPECMV_STATUS_SUCCESS));
    specmvDestroyMatrix(matrix);
    return status;
  };
  isRefused(csr(4, 0, 0, SPECMV_INDEX_64I), "rowPtr", 8);
  isRefused(csr(0, 4, 0, SPECMV_INDEX_64I), "col", 8);
  isRefused(csr(0, 0, 4, SPECMV_INDEX_64I), "val", 8);
  isRefused(csr(2, 0, 0, SPECMV_INDEX_32I), "rowPtr", 4);
  CHECK(csr(4, 4, 0, SPECMV_INDEX_32I) == SPECMV_STATUS_SUCCESS);

  const auto described = [&](specmvFormat_t format, const void *o, const void *r, const void *c,
                             const void *v) {
    specmvMatrixDescription_t d = SPECMV_MATRIX_DESCRIPTION_INIT;
    d.format = format;
    d.rows = d.cols = d.nnz = 3;
    d.offsetType = SPECMV_INDEX_64I, d.indexType = SPECMV_INDEX_32I;
    d.offsets = o, d.rowIndices = r, d.colIndices = c, d.values = v;
    specmvMatrix_t matrix = nullptr;
    const specmvStatus_t status = specmvCreateMatrix(&matrix, &d);
    CHECK((matrix == nullptr) == (status != SPECMV_STATUS_SUCCESS));
    specmvDestroyMatrix(matrix);
    return status;
  };
  constexpr auto kCsr = SPECMV_FORMAT_CSR, kCsc = SPECMV_FORMAT_CSC, kCoo = SPECMV_FORMAT_COO;
  const void *none = nullptr;
  isRefused(described(kCsr, offsets.at(4), none, cols.at(0), values.at(0)), "offsets", 8);
  isRefused(described(kCsr, offsets.at(0), none, cols.at(2), values.at(0)), "colIndices", 4);
  isRefused(described(kCsc, offsets.at(0), rows.at(1), none, values.at(0)), "rowIndices", 4);
  isRefused(described(kCoo, none, rows.at(0), cols.at(4), values.at(4)), "values", 8);
  CHECK(described(kCoo, none, rows.at(4), cols.at(4), none) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("child: scalars on the fake GPU that are not aligned" * doctest::skip()) {
  for (const int vectorsOnGpu : {0, 1}) {
    specmvPlanOptions_t options = optionsOf(SPECMV_TARGET_GPU, "csr-vector");
    options.scalarsOnGpu = 1, options.vectorsOnGpu = vectorsOnGpu;
    const Plan plan(fakeGpuMatrix(), options);
    *ofFakeDriver<unsigned>("fakeMemoryType") = 2; // from here on all memory is the device's
    Shifted<> x, y, scalars;
    const auto run = [&](size_t alpha, size_t beta, size_t xAt) {
      return specmvExecute(plan, scalars.at(alpha), x.at(xAt), scalars.at(beta), y.at(0), nullptr);
    };
    isRefused(run(4, 8, 0), "alpha", 8);
    isRefused(run(0, 9, 0), "beta", 8);
    isRefused(run(0, 8, 4), "x", 8);
    CHECK_MESSAGE(run(0, 8, 0) == SPECMV_STATUS_SUCCESS, detail());
    *ofFakeDriver<unsigned>("fakeMemoryType") = 0;
  }
}

TEST_CASE("on a GPU, alpha and beta must be aligned too") {
  passesOnFakeGpu("child: scalars on the fake GPU that are not aligned");
}
