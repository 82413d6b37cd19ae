// Tests products on a GPU with vectors in host memory, and updates that store a part of the values
// or store them in another order. The GPU is a fake, whose cuSPARSE multiplies rightly; of kernels
// the tests see the arguments.
#include "tests/api/recode_testing.h"
#include "tests/api/start_testing.h"

using namespace apitest;

namespace {

using Vector = std::vector<double>;

bool is(const Csr<int32_t, double> &a, const Vector &x, const Vector &y, const Vector &result) {
  return result == naiveProduct(a, 2.0, x, -3.0, y);
}

// A COO matrix whose entries are in no order, and the same matrix in CSR.
struct Shuffled {
  Csr<int32_t, double> csr = randomCsr<int32_t, double>(30, 20, 4);
  std::vector<int32_t> rows, cols;
  Vector val;

  Shuffled() {
    const size_t nnz = csr.col.size();
    std::vector<int32_t> rowOf;
    for (int32_t row = 0; row < csr.rows; ++row)
      rowOf.insert(rowOf.end(),
                   static_cast<size_t>(csr.rowPtr[static_cast<size_t>(row) + 1] -
                                       csr.rowPtr[static_cast<size_t>(row)]),
                   row);
    for (size_t i = 0; i < nnz; ++i) {
      const size_t e = (i * 37 + 11) % nnz; // 37 is a prime, of which nnz is no multiple
      rows.push_back(rowOf[e]);
      cols.push_back(csr.col[e]);
      val.push_back(csr.val[e]);
    }
  }
  specmvMatrixDescription_t description() const {
    specmvMatrixDescription_t out = SPECMV_MATRIX_DESCRIPTION_INIT;
    out.format = SPECMV_FORMAT_COO;
    out.rows = csr.rows;
    out.cols = csr.cols;
    out.nnz = static_cast<int64_t>(val.size());
    out.rowIndices = rows.data();
    out.colIndices = cols.data();
    out.values = val.data();
    return out;
  }
};

} // namespace

TEST_CASE("child: vectors in host memory" * doctest::skip()) {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  const Plan plan(a, optionsOf(SPECMV_TARGET_GPU, "cusparse-csr"));
  const Vector x = integers<double>(40, 3), y = integers<double>(50, 4);
  const double alpha = 2, beta = -3;
  Vector result = y;
  const std::string calls = fakeCallsOf([&] {
    CHECK(specmvExecute(plan, &alpha, x.data(), &beta, result.data(), kStream) ==
          SPECMV_STATUS_SUCCESS);
  });
  CHECK(is(a, x, y, result));
  CHECK(waitsIn(calls) == 1); // the result is in host memory when the call returns
  Vector z(50, 7);
  CHECK(specmvExecuteInto(plan, &alpha, x.data(), &beta, y.data(), z.data(), kStream) ==
        SPECMV_STATUS_SUCCESS);
  CHECK(is(a, x, y, z));
  CHECK(y == integers<double>(50, 4));
}

TEST_CASE("child: an update that ends half-way" * doctest::skip()) {
  auto a = randomCsr<int32_t, double>(50, 40, 5);
  const Plan plan(a, gpuOptions("cusparse-csr", true));
  CHECK(multipliesRight(plan, a));
  a.val.assign(a.val.size(), 3);
  setenv("SPECMV_FAKE_FAILS", "cuStreamSynchronize", 1); // when the values are stored
  CHECK_FALSE(updates(plan, a.val));
  unsetenv("SPECMV_FAKE_FAILS");
  const Vector x(40, 1);
  Vector y(50, 1);
  const double one = 1;
  CHECK(specmvExecute(plan, &one, x.data(), &one, y.data(), nullptr) ==
        SPECMV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE(detailHas("the plan has no whole values"), detail());
  CHECK(updates(plan, a.val));
  CHECK(multipliesRight(plan, a));
}

TEST_CASE("child: new values in the order of the caller" * doctest::skip()) {
  const Shuffled given;
  specmvMatrix_t matrix = nullptr;
  const specmvMatrixDescription_t description = given.description();
  REQUIRE(specmvCreateMatrix(&matrix, &description) == SPECMV_STATUS_SUCCESS);
  const Plan plan(matrix, gpuOptions("csr-vector", true));
  *ofFakeDriver<int>("fakeSetupArgumentCount") = 1;
  CHECK_MESSAGE(updates(plan, given.val), detail());
  const auto *slots = reinterpret_cast<const uint32_t *>(
      static_cast<uintptr_t>(*ofFakeDriver<uint64_t>("fakeSetupArguments")));
  REQUIRE(slots);
  // Rows become sorted by the order of the caller's entries.
  std::vector<std::vector<size_t>> inRow(30);
  for (size_t i = 0; i < given.rows.size(); ++i)
    inRow[static_cast<size_t>(given.rows[i])].push_back(i);
  uint32_t slot = 0;
  for (const std::vector<size_t> &row : inRow)
    for (const size_t entry : row)
      CHECK(slots[entry] == slot++);
  CHECK(specmvDestroyMatrix(matrix) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("vectors in host memory are copied, and the result is there on return") {
  passesOnFakeGpu("child: vectors in host memory");
}

TEST_CASE("a plan has no whole values after an update that failed half-way") {
  passesOnFakeGpu("child: an update that ends half-way");
}

TEST_CASE("new values in the caller's order find the slots of their entries") {
  passesOnFakeGpu("child: new values in the order of the caller");
}
