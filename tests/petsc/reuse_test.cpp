// Results of PETSc that are computed again into the same matrix, which specmv multiplies with: the
// values, and what the first call kept for the second one, change behind its back.
#include "tests/petsc/testing.h"

#include <array>
#include <cstdlib>
#include <unistd.h>

using namespace petsctest;

namespace {

struct Result {
  std::string name;
  std::function<void(Mat a, MatReuse reuse, Mat *b)> compute;
};

IS rowsOf(Mat a, PetscInt first, PetscInt step) {
  PetscInt begin = 0, end = 0;
  IS rows = nullptr;
  must(MatGetOwnershipRange(a, &begin, &end));
  must(ISCreateStride(PETSC_COMM_WORLD, (end - begin - first + step - 1) / step, begin + first,
                      step, &rows));
  return rows;
}

void takeRows(Mat a, PetscInt step, MatReuse reuse, Mat *b) {
  IS rows = rowsOf(a, 0, step), cols = rowsOf(a, 0, 1);
  must(MatCreateSubMatrix(a, rows, step == 1 ? cols : rows, reuse, b));
  must(ISDestroy(&rows));
  must(ISDestroy(&cols));
}

// Takes the same part of the matrix on each process: all of it, or the entries from the third row
// and column on.
void takePart(Mat a, PetscInt first, MatReuse reuse, Mat *b) {
  PetscInt size = 0;
  IS all = nullptr;
  must(MatGetSize(a, &size, nullptr));
  must(ISCreateStride(PETSC_COMM_SELF, size - first, first, 1, &all));
  Mat *parts = b;
  must(MatCreateSubMatrices(a, 1, &all, &all, reuse, &parts));
  must(ISDestroy(&all));
  if (reuse == MAT_REUSE_MATRIX)
    return;
  *b = parts[0];
  must(PetscObjectReference(reinterpret_cast<PetscObject>(*b)));
  must(MatDestroySubMatrices(1, &parts));
}

// PETSc 3.18 destroys what an aijperm has if it is converted into another matrix again.
void copyToType(Mat a, MatReuse reuse, Mat *b) {
  MatType type = nullptr;
  must(MatGetType(a, &type));
  const bool again = reuse == MAT_REUSE_MATRIX;
  if (again && std::string(type).find(MATAIJPERM) != std::string::npos)
    must(MatCopy(a, *b, SAME_NONZERO_PATTERN));
  else
    must(MatConvert(a, MATAIJSPECMV, reuse, b));
}

void toDenseAndBack(Mat a, MatReuse reuse, Mat *b) {
  Matrix dense;
  must(MatConvert(a, MATDENSE, MAT_INITIAL_MATRIX, &dense));
  must(MatConvert(dense, MATAIJSPECMV, reuse, b));
}

const std::vector<Result> kResults = {
    {"A A", [](Mat a, MatReuse reuse, Mat *b) { must(MatMatMult(a, a, reuse, PETSC_DEFAULT, b)); }},
    {"A' A", [](Mat a, MatReuse reuse,
                Mat *b) { must(MatTransposeMatMult(a, a, reuse, PETSC_DEFAULT, b)); }},
    {"A' A A", [](Mat a, MatReuse reuse, Mat *b) { must(MatPtAP(a, a, reuse, PETSC_DEFAULT, b)); }},
    {"the transpose", [](Mat a, MatReuse reuse, Mat *b) { must(MatTranspose(a, reuse, b)); }},
    {"some rows and columns", [](Mat a, MatReuse reuse, Mat *b) { takeRows(a, 2, reuse, b); }},
    {"all rows and columns", [](Mat a, MatReuse reuse, Mat *b) { takeRows(a, 1, reuse, b); }},
    {"all of it on each process", [](Mat a, MatReuse reuse, Mat *b) { takePart(a, 0, reuse, b); }},
    {"a part of it on each process",
     [](Mat a, MatReuse reuse, Mat *b) { takePart(a, 2, reuse, b); }},
    {"a copy of the type", copyToType},
    {"by way of a dense one", toDenseAndBack},
};

const std::vector<Result> kResultsInParallel = {
    {"the rows of this process",
     [](Mat a, MatReuse reuse, Mat *b) { must(MatMPIAIJGetLocalMat(a, reuse, b)); }},
    {"the columns of a process that have entries",
     [](Mat a, MatReuse reuse, Mat *b) {
       must(MatMPIAIJGetLocalMatCondensed(a, reuse, nullptr, nullptr, b));
     }},
    {"on fewer processes",
     [](Mat a, MatReuse reuse, Mat *b) {
       must(MatCreateRedundantMatrix(a, processes(), MPI_COMM_NULL, reuse, b));
     }},
    {"with the same communicator",
     [](Mat a, MatReuse reuse, Mat *b) {
       must(MatGetMultiProcBlock(a, PETSC_COMM_SELF, reuse, b));
     }},
};

void computeAgain(const std::vector<Result> &results, const char *type) {
  for (const Result &one : results) {
    CAPTURE(one.name);
    const Matrix a = makeMatrix({}, type);
    if (!type)
      must(MatSpecmvAttach(a));
    must(MatShift(a, 1));
    Matrix b;
    one.compute(a, MAT_INITIAL_MATRIX, &b);
    must(MatSpecmvAttach(b));
    for (int times = 0; times < 2; ++times) { // a new plan, and one that takes new values
      CHECK(checkProducts(b) > 0);
      fill(a, 2.5 + times);
      one.compute(a, MAT_REUSE_MATRIX, &b.object);
    }
    CHECK(checkProducts(b) > 0);
    CHECK(checkProducts(a) > 0);
  }
}

} // namespace

TEST_CASE("results that are computed again") {
  computeAgain(kResults, MATAIJSPECMV);
  if (processes() == 1)
    computeAgain(kResults, nullptr);
}

TEST_CASE("results in parallel that are computed again") {
  if (processes() == 1)
    return;
  computeAgain(kResultsInParallel, MATAIJSPECMV);
}

TEST_CASE("a Kronecker product that is computed again") {
  std::array<PetscInt, 3> rowPtr = {0, 2, 3};
  std::array<PetscInt, 3> col = {0, 1, 1};
  std::array<PetscScalar, 3> val = {1, 2, 3};
  Matrix a, b;
  must(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 2, 2, rowPtr.data(), col.data(), val.data(), &a));
  must(MatSpecmvAttach(a));
  must(MatSeqAIJKron(a, a, MAT_INITIAL_MATRIX, &b));
  must(MatSpecmvAttach(b));
  for (double scale : {2.0, 3.0}) {
    CHECK(checkProducts(b) > 0);
    must(MatScale(a, scale));
    must(MatSeqAIJKron(a, a, MAT_REUSE_MATRIX, &b.object));
  }
  CHECK(checkProducts(b) > 0);
}

// --- new columns in the old places, of which neither the pointers nor the state of nonzeros tell

namespace {

constexpr PetscInt kSize = 11;

// One entry in each row.
Matrix makeOnes(bool sorted) {
  Matrix a;
  must(MatCreate(PETSC_COMM_SELF, &a));
  must(MatSetSizes(a, kSize, kSize, kSize, kSize));
  must(MatSetType(a, MATAIJSPECMV));
  must(MatSeqAIJSetPreallocation(a, 1, nullptr));
  if (sorted)
    must(MatSetOption(a, MAT_SORTED_FULL, PETSC_TRUE));
  return a;
}

void setOnes(Mat a, PetscInt distance) {
  for (PetscInt row = 0; row < kSize; ++row)
    must(MatSetValue(a, row, (row + distance) % kSize, static_cast<PetscScalar>(row + 1),
                     INSERT_VALUES));
  assemble(a);
}

} // namespace

TEST_CASE("other columns after MatResetPreallocation()") {
  for (bool sorted : {false, true}) {
    CAPTURE(sorted);
    const Matrix a = makeOnes(sorted);
    for (PetscInt distance : {0, 1, 5}) {
      setOnes(a, distance);
      CHECK(checkProducts(a) > 0);
      must(MatResetPreallocation(a));
    }
    setOnes(a, 2);
    CHECK(checkProducts(a) > 0);
  }
}

TEST_CASE("other columns by MatSeqAIJSetColumnIndices()") {
  const Matrix a = makeOnes(false);
  setOnes(a, 0);
  for (PetscInt distance : {1, 5}) {
    CHECK(checkProducts(a) > 0);
    std::array<PetscInt, kSize> columns;
    for (PetscInt row = 0; row < kSize; ++row)
      columns[static_cast<size_t>(row)] = (row + distance) % kSize;
    must(MatSeqAIJSetColumnIndices(a, columns.data()));
    assemble(a);
  }
  CHECK(checkProducts(a) > 0);
}

TEST_CASE("other columns by a whole new structure") {
  const Matrix a = makeOnes(false);
  setOnes(a, 0);
  for (PetscInt distance : {1, 5}) {
    CHECK(checkProducts(a) > 0);
    std::array<PetscInt, kSize + 1> rowPtr;
    std::array<PetscInt, kSize> columns;
    for (PetscInt row = 0; row <= kSize; ++row)
      rowPtr[static_cast<size_t>(row)] = row;
    for (PetscInt row = 0; row < kSize; ++row)
      columns[static_cast<size_t>(row)] = (row + distance) % kSize;
    const std::array<PetscScalar, kSize> values = {1, 2, 3, 4};
    must(MatSeqAIJSetPreallocationCSR(a, rowPtr.data(), columns.data(), values.data()));
  }
  CHECK(checkProducts(a) > 0);
}

TEST_CASE("other matrices in the place of one, one after the other") {
  const Matrix a = makeOnes(false);
  setOnes(a, 0);
  for (PetscInt distance : {1, 5, 3}) {
    CHECK(checkProducts(a) > 0);
    for (PetscInt more : {0, 1}) { // the second one may be where the first matrix was
      Matrix b = makeOnes(false);
      setOnes(b, distance + more);
      must(MatHeaderReplace(a, &b.object));
    }
  }
  CHECK(checkProducts(a) > 0);
}

TEST_CASE("a matrix that is read again") {
  const Matrix a = makeMatrix({}, MATAIJSPECMV), other = makeMatrix({.mostlyEmpty = true});
  CHECK(checkProducts(a) > 0);
  PetscViewer viewer = nullptr;
  std::array<char, 64> name = {"/tmp/specmv_petsc_XXXXXX"};
  if (processes() == 1) {
    close(mkstemp(name.data()));
    must(PetscViewerBinaryOpen(PETSC_COMM_WORLD, name.data(), FILE_MODE_WRITE, &viewer));
    must(MatView(other, viewer));
    must(PetscViewerDestroy(&viewer));
    must(PetscViewerBinaryOpen(PETSC_COMM_WORLD, name.data(), FILE_MODE_READ, &viewer));
    must(MatLoad(a, viewer));
    must(PetscViewerDestroy(&viewer));
    remove(name.data());
    remove((std::string(name.data()) + ".info").c_str());
    CHECK(checkProducts(a) > 0);
  }
}
