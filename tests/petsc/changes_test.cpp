// Matrices that change between products: new values, new structures, and what tells of neither.
#include "tests/petsc/testing.h"

#include <vector>

using namespace petsctest;

namespace {

struct Change {
  std::string name;
  std::function<void(Mat)> change;
};

Vector scaleOf(Mat a, bool ofRows) {
  Vector scale = vectorOf(a, ofRows, 0.2);
  must(VecShift(scale, 3));
  return scale;
}

PetscInt firstRow(Mat a) {
  PetscInt row = 0;
  must(MatGetOwnershipRange(a, &row, nullptr));
  return row;
}

const std::vector<Change> kNewValues = {
    {"scale", [](Mat a) { must(MatScale(a, 1.5)); }},
    {"diagonal scale",
     [](Mat a) {
       const Vector left = scaleOf(a, true), right = scaleOf(a, false);
       must(MatDiagonalScale(a, left, right));
     }},
    {"the same entries again", [](Mat a) { fill(a, -2); }},
    {"one entry",
     [](Mat a) {
       const PetscInt row = firstRow(a);
       must(MatSetValue(a, row, row, 77, INSERT_VALUES));
       assemble(a);
     }},
    {"an entry of another process",
     [](Mat a) {
       must(MatSetValue(a, 0, 0, 1, ADD_VALUES));
       assemble(a);
     }},
    {"a copy of the values",
     [](Mat a) {
       Matrix other;
       must(MatDuplicate(a, MAT_COPY_VALUES, &other));
       must(MatScale(other, 0.25));
       must(MatCopy(other, a, SAME_NONZERO_PATTERN));
     }},
    {"a sum with the same pattern",
     [](Mat a) {
       Matrix other;
       must(MatDuplicate(a, MAT_COPY_VALUES, &other));
       must(MatAXPY(a, 0.5, other, SAME_NONZERO_PATTERN));
     }},
    {"rows of zeros in the same pattern",
     [](Mat a) {
       const PetscInt row = firstRow(a);
       must(MatSetOption(a, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
       must(MatZeroRows(a, 1, &row, 4, nullptr, nullptr));
     }},
    {"zeros everywhere", [](Mat a) { must(MatZeroEntries(a)); }},
};

const std::vector<Change> kNewStructures = {
    {"a diagonal where entries lacked", [](Mat a) { must(MatShift(a, 3)); }},
    {"an entry more",
     [](Mat a) {
       must(MatSetValue(a, firstRow(a) + 4, firstRow(a), 9, INSERT_VALUES));
       assemble(a);
     }},
    {"rows without their entries",
     [](Mat a) {
       const PetscInt row = firstRow(a);
       must(MatSetOption(a, MAT_KEEP_NONZERO_PATTERN, PETSC_FALSE));
       must(MatZeroRows(a, 1, &row, 4, nullptr, nullptr));
     }},
    {"a sum with another pattern",
     [](Mat a) {
       Matrix other;
       must(MatTranspose(a, MAT_INITIAL_MATRIX, &other));
       must(MatAXPY(a, 0.5, other, DIFFERENT_NONZERO_PATTERN));
     }},
    {"the transpose in its place", [](Mat a) { must(MatTranspose(a, MAT_INPLACE_MATRIX, &a)); }},
    {"a new preallocation",
     [](Mat a) {
       must(MatSeqAIJSetPreallocation(a, 5, nullptr));
       must(MatMPIAIJSetPreallocation(a, 5, nullptr, 5, nullptr));
       fill(a, 3);
     }},
};

void change(const std::vector<Change> &changes, const char *type) {
  for (const Change &one : changes) {
    CAPTURE(one.name);
    const Matrix a = makeMatrix({}, type);
    must(MatSpecmvAttach(a));
    for (int times = 0; times < 3; ++times) {
      CHECK(checkProducts(a) > 0);
      one.change(a);
    }
    CHECK(checkProducts(a) > 0);
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
  const Matrix a = makeMatrix();
  must(MatSpecmvAttach(a));
  const PetscInt64 blocks = processes() > 1 ? 2 : 1;
  const Vector x = vectorOf(a, false, 0.4), y = vectorOf(a, true, 0.4);
  must(MatMult(a, x, y));
  must(MatMult(a, x, y));
  CHECK(countsOf(a).plans == blocks);
  for (int times = 0; times < 5; ++times) {
    must(MatScale(a, 1.25));
    must(MatMult(a, x, y));
    must(MatMult(a, x, y));
  }
  CHECK(countsOf(a).plans == 2 * blocks);
  CHECK(countsOf(a).updates == 4 * blocks);
  CHECK(countsOf(a).products == 12 * blocks);
}

TEST_CASE("entries by coordinates, set again and again") {
  Matrix a;
  must(MatCreate(PETSC_COMM_WORLD, &a));
  must(MatSetSizes(a, 20, 20, PETSC_DETERMINE, PETSC_DETERMINE));
  must(MatSetType(a, MATAIJSPECMV));
  PetscInt begin = 0, end = 0, total = 0;
  must(MatGetSize(a, &total, nullptr));
  must(MatSetUp(a));
  must(MatGetOwnershipRange(a, &begin, &end));
  for (PetscInt distance : {1, 3}) {
    std::vector<PetscInt> rows, cols;
    for (PetscInt row = begin; row < end; ++row)
      for (PetscInt col : {row, (row + distance) % total}) {
        rows.push_back(row);
        cols.push_back(col);
      }
    must(MatSetPreallocationCOO(a, static_cast<PetscCount>(rows.size()), rows.data(), cols.data()));
    for (int times = 1; times < 4; ++times) {
      const std::vector<PetscScalar> values(rows.size(), times);
      must(MatSetValuesCOO(a, values.data(), INSERT_VALUES));
      CHECK(checkProducts(a) > 0);
    }
  }
}

TEST_CASE("another matrix in the place of one") {
  const Matrix a = makeMatrix();
  must(MatSpecmvAttach(a));
  CHECK(checkProducts(a) > 0);
  Matrix other = makeMatrix({.rows = 31, .cols = 31});
  must(MatSpecmvAttach(other));
  CHECK(checkProducts(other) > 0);
  must(MatHeaderReplace(a, &other.object));
  CHECK(checkProducts(a) > 0);
}
