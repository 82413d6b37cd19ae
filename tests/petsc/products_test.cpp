// Products of matrices of several shapes, by the type and by the hook.
#include "tests/petsc/testing.h"

using namespace petsctest;

namespace {

// mult, multadd and multtranspose in each of two ways; in parallel for two blocks, of which those
// without entries leave their products to the type.
PetscInt64 productsOf(PetscInt64 blocks) { return 6 * blocks; }

} // namespace

TEST_CASE("an attached matrix has the products of its type") {
  const Matrix a = makeMatrix();
  must(MatSpecmvAttach(a));
  CHECK(checkProducts(a) == productsOf(processes() > 1 ? 2 : 1));
  // One plan for the products and one for those of the transpose.
  CHECK(countsOf(a).plans == 2 * (processes() > 1 ? 2 : 1));
  CHECK(countsOf(a).updates == 0);
}

TEST_CASE("the type aijspecmv has the products of its base") {
  const Matrix a = makeMatrix({}, MATAIJSPECMV);
  PetscBool isBase = PETSC_FALSE;
  must(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a.object),
                                  processes() > 1 ? MATMPIAIJ : MATSEQAIJ, &isBase));
  CHECK(isBase);
  CHECK(checkProducts(a) == productsOf(processes() > 1 ? 2 : 1));
}

TEST_CASE("a matrix that is not square") {
  const Matrix wide = makeMatrix({.rows = 11, .cols = 40});
  must(MatSpecmvAttach(wide));
  CHECK(checkProducts(wide) > 0);
  const Matrix high = makeMatrix({.rows = 40, .cols = 7});
  must(MatSpecmvAttach(high));
  CHECK(checkProducts(high) > 0);
}

// PETSc keeps the rows of such a matrix without the empty ones, where the products run.
TEST_CASE("a matrix of which most rows are empty") {
  const Matrix a = makeMatrix({.mostlyEmpty = true});
  must(MatSpecmvAttach(a));
  CHECK(checkProducts(a) > 0);
  must(MatScale(a, -3));
  CHECK(checkProducts(a) > 0);
}

TEST_CASE("processes without rows, and a matrix without entries") {
  const Matrix a = makeMatrix({.firstOnly = true});
  must(MatSpecmvAttach(a));
  checkProducts(a);
  Matrix empty;
  must(MatCreate(PETSC_COMM_WORLD, &empty));
  must(MatSetSizes(empty, 6, 4, PETSC_DETERMINE, PETSC_DETERMINE));
  must(MatSetType(empty, MATAIJ));
  must(MatSetUp(empty));
  must(MatAssemblyBegin(empty, MAT_FINAL_ASSEMBLY));
  must(MatAssemblyEnd(empty, MAT_FINAL_ASSEMBLY));
  must(MatSpecmvAttach(empty));
  CHECK(checkProducts(empty) == 0);
}

TEST_CASE("entries that are set without preallocation") {
  Matrix a;
  must(MatCreate(PETSC_COMM_WORLD, &a));
  must(MatSetSizes(a, 19, 19, PETSC_DETERMINE, PETSC_DETERMINE));
  must(MatSetType(a, MATAIJSPECMV));
  must(MatSetUp(a));
  must(MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  fill(a, 1);
  CHECK(checkProducts(a) > 0);
}

TEST_CASE("a program sees the plan") {
  const Matrix a = makeMatrix();
  specmvPlan_t plan = nullptr;
  must(MatSpecmvGetPlan(a, &plan));
  CHECK(!plan);
  must(MatSpecmvAttach(a));
  must(MatSpecmvGetPlan(a, &plan));
  CHECK(!plan);
  checkProducts(a);
  must(MatSpecmvGetPlan(a, &plan));
  REQUIRE(plan);
  specmvTarget_t target = SPECMV_TARGET_AUTO;
  REQUIRE(specmvGetPlanTarget(plan, &target) == SPECMV_STATUS_SUCCESS);
  VecType vectors = nullptr;
  must(MatGetVecType(a, &vectors));
  CHECK(target == (std::string(vectors) == VECCUDA ? SPECMV_TARGET_GPU : SPECMV_TARGET_HOST));
}

TEST_CASE("a block of a matrix in parallel has the products of its type too") {
  const Matrix a = makeMatrix();
  must(MatSpecmvAttach(a));
  Mat block = nullptr;
  must(MatGetDiagonalBlock(a, &block));
  CHECK(checkProducts(block) == productsOf(1));
  CHECK(countsOf(block).products == productsOf(1));
}

TEST_CASE("detached, the type computes its products again") {
  const Matrix a = makeMatrix();
  must(MatSpecmvAttach(a));
  CHECK(checkProducts(a) > 0);
  must(MatSpecmvDetach(a));
  CHECK(checkProducts(a) == 0);
  must(MatSpecmvDetach(a));
  must(MatSpecmvAttach(a));
  CHECK(checkProducts(a) > 0);
}

// The limits of the tests see it, as ctest checks.
TEST_CASE("leaks a matrix" * doctest::skip()) {
  Matrix a = makeMatrix();
  a.object = nullptr;
}
