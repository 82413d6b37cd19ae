// Copies and conversions: specmv multiplies by what comes of a matrix that it has, as long as it is
// of the AIJ family.
#include "tests/petsc/testing.h"

using namespace petsctest;

namespace {

void convertThere(MatType type, bool stays) {
  CAPTURE(std::string(type));
  const Matrix a = makeMatrix();
  must(MatSpecmvAttach(a));
  CHECK(checkProducts(a) > 0);
  Matrix b;
  must(MatConvert(a, type, MAT_INITIAL_MATRIX, &b));
  CHECK((countsOf(b).products == 0));
  CHECK((checkProducts(b) > 0) == stays);
  CHECK(checkProducts(a) > 0);
  must(MatScale(a, 3));
  // PETSc 3.18 and 3.26 leak what an aijperm was if it is made again.
  if (type != std::string(MATAIJPERM)) {
    must(MatConvert(a, type, MAT_REUSE_MATRIX, &b.object));
    CHECK((checkProducts(b) > 0) == stays);
  }
  must(MatConvert(a, type, MAT_INPLACE_MATRIX, const_cast<Mat *>(&a.object)));
  CHECK((checkProducts(a) > 0) == stays);
  must(MatConvert(a, MATAIJ, MAT_INPLACE_MATRIX, const_cast<Mat *>(&a.object)));
  CHECK((checkProducts(a) > 0) == stays);
}

} // namespace

TEST_CASE("a duplicate with and without values") {
  const Matrix a = makeMatrix();
  must(MatSpecmvAttach(a));
  Matrix values, structure;
  must(MatDuplicate(a, MAT_COPY_VALUES, &values));
  CHECK(checkProducts(values) > 0);
  CHECK(countsOf(a).products == 0);
  must(MatDuplicate(a, MAT_DO_NOT_COPY_VALUES, &structure));
  fill(structure, 5);
  CHECK(checkProducts(structure) > 0);
  Matrix second;
  must(MatDuplicate(values, MAT_SHARE_NONZERO_PATTERN, &second));
  fill(second, 6);
  CHECK(checkProducts(second) > 0);
}

TEST_CASE("conversions within the family stay with specmv") { convertThere(MATAIJPERM, true); }

TEST_CASE("conversions to other kinds leave it") {
  convertThere(MATBAIJ, false);
  convertThere(MATDENSE, false);
}

TEST_CASE("conversions to aijspecmv") {
  const Matrix a = makeMatrix();
  Matrix b;
  must(MatConvert(a, MATAIJSPECMV, MAT_INITIAL_MATRIX, &b));
  CHECK(checkProducts(b) > 0);
  CHECK(checkProducts(a) == 0);
  must(MatConvert(a, MATAIJSPECMV, MAT_INPLACE_MATRIX, const_cast<Mat *>(&a.object)));
  CHECK(checkProducts(a) > 0);
  const Matrix dense = [] {
    Matrix d;
    const Matrix from = makeMatrix();
    must(MatConvert(from, MATDENSE, MAT_INITIAL_MATRIX, &d));
    return d;
  }();
  Matrix c;
  must(MatConvert(dense, MATAIJSPECMV, MAT_INITIAL_MATRIX, &c));
  CHECK(checkProducts(c) > 0);
}

// MatSetType() keeps the entries where the new name begins with the last one, as that of aijspecmv
// does with aij. Of another type, such as aijcusparse, it makes an empty matrix.
TEST_CASE("the type is set again") {
  const Matrix a = makeMatrix();
  MatType last = nullptr;
  must(MatGetType(a, &last));
  const bool kept = std::string(last) == (processes() > 1 ? MATMPIAIJ : MATSEQAIJ);
  must(MatSetType(a, MATAIJSPECMV));
  PetscBool assembled = PETSC_FALSE;
  must(MatAssembled(a, &assembled));
  CHECK(assembled == kept);
  if (!assembled) {
    must(MatSetUp(a));
    fill(a, 1);
  }
  CHECK(checkProducts(a) > 0);
}

TEST_CASE("bound to the CPU and back") {
  const Matrix a = makeMatrix();
  must(MatSpecmvAttach(a));
  for (PetscBool bound : {PETSC_TRUE, PETSC_FALSE}) {
    must(MatBindToCPU(a, bound));
    CHECK(checkProducts(a) > 0);
  }
}

TEST_CASE("products of matrices and submatrices are the type's") {
  const Matrix a = makeMatrix(), own = makeMatrix();
  must(MatSpecmvAttach(a));
  CHECK(checkProducts(a) > 0);
  Matrix square, ownSquare;
  must(MatMatMult(a, a, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &square));
  must(MatMatMult(own, own, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &ownSquare));
  PetscBool same = PETSC_FALSE;
  must(MatEqual(square, ownSquare, &same));
  CHECK(same);
  Matrix galerkin;
  must(MatPtAP(a, square, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &galerkin));
  must(MatScale(a, 2));
  must(MatPtAP(a, square, MAT_REUSE_MATRIX, PETSC_DEFAULT, &galerkin.object));
  must(MatSpecmvAttach(galerkin));
  CHECK(checkProducts(galerkin) > 0);
}
