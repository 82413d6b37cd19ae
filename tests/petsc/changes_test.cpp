// Matrices that change between products: new values, new structures, and what tells of neither.
#include "tests/petsc/testing.h"

#include <vector>

using namespace petsctest;

namespace {

struct Change {
  const char *name;
  std::function<void(Mat)> change;
};

Vector scaleOf(Mat A, bool ofRows) {
  Vector scale = vectorOf(A, ofRows, 0.2);
  must(VecShift(scale, 3));
  return scale;
}

PetscInt firstRow(Mat A) {
  PetscInt row = 0;
  must(MatGetOwnershipRange(A, &row, nullptr));
  return row;
}

void assemble(Mat A) {
  must(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  must(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
}

const std::vector<Change> kNewValues = {
    {"scale", [](Mat A) { must(MatScale(A, 1.5)); }},
    {"diagonal scale",
     [](Mat A) {
       const Vector left = scaleOf(A, true), right = scaleOf(A, false);
       must(MatDiagonalScale(A, left, right));
     }},
    {"the same entries again", [](Mat A) { fill(A, -2); }},
    {"one entry",
     [](Mat A) {
       const PetscInt row = firstRow(A);
       must(MatSetValue(A, row, row, 77, INSERT_VALUES));
       assemble(A);
     }},
    {"an entry of another process",
     [](Mat A) {
       must(MatSetValue(A, 0, 0, 1, ADD_VALUES));
       assemble(A);
     }},
    {"a copy of the values",
     [](Mat A) {
       Matrix other;
       must(MatDuplicate(A, MAT_COPY_VALUES, &other));
       must(MatScale(other, 0.25));
       must(MatCopy(other, A, SAME_NONZERO_PATTERN));
     }},
    {"a sum with the same pattern",
     [](Mat A) {
       Matrix other;
       must(MatDuplicate(A, MAT_COPY_VALUES, &other));
       must(MatAXPY(A, 0.5, other, SAME_NONZERO_PATTERN));
     }},
    {"rows of zeros in the same pattern",
     [](Mat A) {
       const PetscInt row = firstRow(A);
       must(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
       must(MatZeroRows(A, 1, &row, 4, nullptr, nullptr));
     }},
    {"zeros everywhere", [](Mat A) { must(MatZeroEntries(A)); }},
};

const std::vector<Change> kNewStructures = {
    {"a diagonal where entries lacked", [](Mat A) { must(MatShift(A, 3)); }},
    {"an entry more",
     [](Mat A) {
       must(MatSetValue(A, firstRow(A) + 4, firstRow(A), 9, INSERT_VALUES));
       assemble(A);
     }},
    {"rows without their entries",
     [](Mat A) {
       const PetscInt row = firstRow(A);
       must(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, PETSC_FALSE));
       must(MatZeroRows(A, 1, &row, 4, nullptr, nullptr));
     }},
    {"a sum with another pattern",
     [](Mat A) {
       Matrix other;
       must(MatTranspose(A, MAT_INITIAL_MATRIX, &other));
       must(MatAXPY(A, 0.5, other, DIFFERENT_NONZERO_PATTERN));
     }},
    {"the transpose in its place", [](Mat A) { must(MatTranspose(A, MAT_INPLACE_MATRIX, &A)); }},
    {"a new preallocation",
     [](Mat A) {
       must(MatSeqAIJSetPreallocation(A, 5, nullptr));
       must(MatMPIAIJSetPreallocation(A, 5, nullptr, 5, nullptr));
       fill(A, 3);
     }},
};

void change(const std::vector<Change> &changes, const char *type) {
  for (const Change &one : changes) {
    CAPTURE(one.name);
    const Matrix A = makeMatrix({}, type);
    must(MatSpecmvAttach(A));
    for (int times = 0; times < 3; ++times) {
      CHECK(checkProducts(A) > 0);
      one.change(A);
    }
    CHECK(checkProducts(A) > 0);
  }
}

} // namespace

TEST_CASE("new values reach the products") { change(kNewValues, nullptr); }
TEST_CASE("new structures reach the products") { change(kNewStructures, nullptr); }
TEST_CASE("new values and structures of a matrix of the type") {
  change(kNewValues, MATAIJSPECMV);
  change(kNewStructures, MATAIJSPECMV);
}

TEST_CASE("values that change once make one plan more, and are only updated from then on") {
  const Matrix A = makeMatrix();
  must(MatSpecmvAttach(A));
  const PetscInt64 blocks = processes() > 1 ? 2 : 1;
  const Vector x = vectorOf(A, false, 0.4), y = vectorOf(A, true, 0.4);
  must(MatMult(A, x, y));
  must(MatMult(A, x, y));
  CHECK(countsOf(A).plans == blocks);
  for (int times = 0; times < 5; ++times) {
    must(MatScale(A, 1.25));
    must(MatMult(A, x, y));
    must(MatMult(A, x, y));
  }
  CHECK(countsOf(A).plans == 2 * blocks);
  CHECK(countsOf(A).updates == 4 * blocks);
  CHECK(countsOf(A).products == 12 * blocks);
}

TEST_CASE("entries by coordinates, set again and again") {
  Matrix A;
  must(MatCreate(PETSC_COMM_WORLD, &A));
  must(MatSetSizes(A, 20, 20, PETSC_DETERMINE, PETSC_DETERMINE));
  must(MatSetType(A, MATAIJSPECMV));
  PetscInt begin = 0, end = 0, total = 0;
  must(MatGetSize(A, &total, nullptr));
  must(MatSetUp(A));
  must(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt distance : {1, 3}) {
    std::vector<PetscInt> rows, cols;
    for (PetscInt row = begin; row < end; ++row)
      for (PetscInt col : {row, (row + distance) % total}) {
        rows.push_back(row);
        cols.push_back(col);
      }
    must(MatSetPreallocationCOO(A, static_cast<PetscCount>(rows.size()), rows.data(), cols.data()));
    for (int times = 1; times < 4; ++times) {
      const std::vector<PetscScalar> values(rows.size(), times);
      must(MatSetValuesCOO(A, values.data(), INSERT_VALUES));
      CHECK(checkProducts(A) > 0);
    }
  }
}

TEST_CASE("another matrix in the place of one") {
  const Matrix A = makeMatrix();
  must(MatSpecmvAttach(A));
  CHECK(checkProducts(A) > 0);
  Matrix other = makeMatrix({.rows = 31, .cols = 31});
  must(MatSpecmvAttach(other));
  CHECK(checkProducts(other) > 0);
  must(MatHeaderReplace(A, &other.object));
  CHECK(checkProducts(A) > 0);
}
