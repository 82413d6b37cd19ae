// PETSc's functions that write into a matrix, each after a product and before the next one: those
// that raise the state of the object, of a block only, or of nothing.
#include "tests/petsc/testing.h"

#include <array>

using namespace petsctest;

// PETSc's manual has these functions, and its public headers do not declare them.
PETSC_EXTERN PetscErrorCode PetscObjectStateGet(PetscObject object, PetscObjectState *state);
PETSC_EXTERN PetscErrorCode PetscObjectStateSet(PetscObject object, PetscObjectState state);

namespace {

// A matrix of one process, or the blocks of one in parallel.
std::vector<Mat> blocksOf(Mat a) {
  std::array<Mat, 2> blocks = {a, nullptr};
  PetscBool parallel = PETSC_FALSE;
  MatType type = nullptr;
  must(MatGetType(a, &type));
  must(PetscStrbeginswith(type, MATMPIAIJ, &parallel));
  if (!parallel)
    return {a};
  must(MatMPIAIJGetSeqAIJ(a, blocks.data(), &blocks[1], nullptr));
  return {blocks.begin(), blocks.end()};
}

PetscInt storedIn(Mat block) {
  MatInfo info;
  must(MatGetInfo(block, MAT_LOCAL, &info));
  return static_cast<PetscInt>(info.nz_used);
}

void multiply(Mat a) {
  const Vector x = vectorOf(a, false, 0.4), y = vectorOf(a, true, 0.4);
  must(MatMult(a, x, y));
}

void storeAndRetrieve(Mat a) {
  must(MatSetOption(a, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  must(MatStoreValues(a));
  must(MatScale(a, 9));
  multiply(a);
  must(MatRetrieveValues(a));
  must(MatSetOption(a, MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
}

// MatStoreValues() came long before, and the plans have been updated since.
void retrieveTwice(Mat a) {
  storeAndRetrieve(a);
  must(MatSetOption(a, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  for (double scale : {2.0, 3.0}) {
    must(MatScale(a, scale));
    multiply(a);
    must(MatRetrieveValues(a));
    multiply(a);
  }
}

void writeArrays(Mat a) {
  for (Mat block : blocksOf(a)) {
    PetscScalar *values = nullptr;
    must(MatSeqAIJGetArray(block, &values));
    for (PetscInt i = 0; i < storedIn(block); ++i)
      values[i] += 0.5;
    must(MatSeqAIJRestoreArray(block, &values));
  }
}

void writeNewArrays(Mat a) {
  for (Mat block : blocksOf(a)) {
    PetscScalar *values = nullptr;
    must(MatSeqAIJGetArrayWrite(block, &values));
    for (PetscInt i = 0; i < storedIn(block); ++i)
      values[i] = static_cast<PetscScalar>(i % 7) - 2.5;
    must(MatSeqAIJRestoreArrayWrite(block, &values));
  }
}

// MatSeqAIJGetCSRAndMemType() has no counterpart that would tell of what was written.
void writeSilently(Mat block) {
  PetscScalar *values = nullptr;
  must(MatSeqAIJGetCSRAndMemType(block, nullptr, nullptr, &values, nullptr));
  PetscMemType where = PETSC_MEMTYPE_HOST;
  must(MatSeqAIJGetCSRAndMemType(block, nullptr, nullptr, nullptr, &where));
  for (PetscInt i = 0; PetscMemTypeHost(where) && i < storedIn(block); ++i)
    values[i] -= 0.75;
}

void writeCsr(Mat a) {
  for (Mat block : blocksOf(a)) {
    writeSilently(block);
    assemble(block);
  }
}

// As PetscObjectStateIncrease() of Fortran and of the private headers does: no block's state is
// raised.
void writeCsrAndRaise(Mat a) {
  for (Mat block : blocksOf(a))
    writeSilently(block);
  PetscObjectState state = 0;
  must(PetscObjectStateGet(reinterpret_cast<PetscObject>(a), &state));
  must(PetscObjectStateSet(reinterpret_cast<PetscObject>(a), state + 1));
}

void setRandom(Mat a) {
  PetscRandom random = nullptr;
  must(PetscRandomCreate(PETSC_COMM_WORLD, &random));
  must(MatSetRandom(a, random));
  must(PetscRandomDestroy(&random));
}

void setDiagonal(Mat a, InsertMode mode) {
  const Vector diagonal = vectorOf(a, true, 0.1);
  must(MatDiagonalSet(a, diagonal, mode));
}

void zeroRowsAndColumns(Mat a) {
  PetscInt row = 0;
  must(MatGetOwnershipRange(a, &row, nullptr));
  must(MatZeroRowsColumns(a, 1, &row, 5, nullptr, nullptr));
}

void setLocal(Mat a) {
  std::vector<PetscInt> rows;
  PetscInt begin = 0, end = 0;
  ISLocalToGlobalMapping mapping = nullptr;
  must(MatGetOwnershipRange(a, &begin, &end));
  for (PetscInt row = begin; row < end; ++row)
    rows.push_back(row);
  must(ISLocalToGlobalMappingCreate(PETSC_COMM_WORLD, 1, end - begin, rows.data(),
                                    PETSC_COPY_VALUES, &mapping));
  must(MatSetLocalToGlobalMapping(a, mapping, mapping));
  must(ISLocalToGlobalMappingDestroy(&mapping));
  must(MatSetValueLocal(a, 1, 1, 12, ADD_VALUES));
  assemble(a);
}

void sum(Mat a, MatStructure structure) {
  Matrix other;
  must(MatDuplicate(a, MAT_COPY_VALUES, &other));
  must(MatScale(other, -0.75));
  must(MatAYPX(a, 1.25, other, structure));
}

// A Jacobian by differences, whose colors PETSc writes into the arrays of the blocks.
PetscErrorCode cube(void *, Vec x, Vec y, void *) {
  must(VecPointwiseMult(y, x, x));
  must(VecShift(y, 1));
  return VecPointwiseMult(y, y, x);
}

// The type of the function has changed.
template <class Function> Function functionOf(PetscErrorCode (*)(MatFDColoring, Function, void *));

void differentiate(Mat a, const char *kind) {
  MatColoring coloring = nullptr;
  ISColoring colors = nullptr;
  MatFDColoring differences = nullptr;
  must(MatColoringCreate(a, &coloring));
  must(MatColoringSetType(coloring, MATCOLORINGSL));
  must(MatColoringApply(coloring, &colors));
  must(MatFDColoringCreate(a, colors, &differences));
  must(MatFDColoringSetFunction(differences,
                                reinterpret_cast<decltype(functionOf(MatFDColoringSetFunction))>(
                                    reinterpret_cast<void *>(cube)),
                                nullptr));
  must(MatFDColoringSetType(differences, kind));
  must(MatFDColoringSetUp(a, colors, differences));
  for (double seed : {0.3, 0.6}) {
    must(MatFDColoringApply(a, differences, vectorOf(a, false, seed), nullptr));
    multiply(a);
  }
  must(MatFDColoringApply(a, differences, vectorOf(a, false, 0.9), nullptr));
  must(MatFDColoringDestroy(&differences));
  must(ISColoringDestroy(&colors));
  must(MatColoringDestroy(&coloring));
}

struct Write {
  std::string name;
  std::function<void(Mat)> write;
};

const std::vector<Write> kWrites = {
    {"stored values come back", storeAndRetrieve},
    {"stored values come back again", retrieveTwice},
    {"the arrays", writeArrays},
    {"the arrays, unread", writeNewArrays},
    {"the arrays of CSR, and an assembly", writeCsr},
    {"the arrays of CSR, and a state raised", writeCsrAndRaise},
    {"random values", setRandom},
    {"the real part", [](Mat a) { must(MatRealPart(a)); }},
    {"the imaginary part", [](Mat a) { must(MatImaginaryPart(a)); }},
    {"the conjugate", [](Mat a) { must(MatConjugate(a)); }},
    {"a diagonal added", [](Mat a) { setDiagonal(a, ADD_VALUES); }},
    {"a diagonal put in", [](Mat a) { setDiagonal(a, INSERT_VALUES); }},
    {"a shift", [](Mat a) { must(MatShift(a, -1.5)); }},
    {"rows and columns of zeros", zeroRowsAndColumns},
    {"an entry by its local number", setLocal},
    {"a sum, same pattern", [](Mat a) { sum(a, SAME_NONZERO_PATTERN); }},
    {"a sum, subset", [](Mat a) { sum(a, SUBSET_NONZERO_PATTERN); }},
    {"a sum, other pattern", [](Mat a) { sum(a, DIFFERENT_NONZERO_PATTERN); }},
    {"a block scaled",
     [](Mat a) {
       for (Mat block : blocksOf(a))
         must(MatScale(block, 1.5));
     }},
};

// Each function on its own, then all of them one after the other on the same matrix.
void writeAll(const std::function<Matrix()> &make) {
  const Matrix all = make();
  for (const Write &one : kWrites) {
    CAPTURE(one.name);
    const Matrix a = make();
    for (int times = 0; times < 2; ++times) { // a new plan, and one that takes new values
      CHECK(checkProducts(a) > 0);
      one.write(a);
    }
    CHECK(checkProducts(a) > 0);
    one.write(all);
    CHECK(checkProducts(all) > 0);
  }
}

// With a full diagonal, which some of the functions need.
Matrix makeFull(const char *type) {
  Matrix a = makeMatrix({}, type);
  must(MatShift(a, 4));
  return a;
}

} // namespace

TEST_CASE("what writes into a matrix reaches its products") {
  writeAll([] {
    Matrix a = makeFull(nullptr);
    must(MatSpecmvAttach(a));
    return a;
  });
}

TEST_CASE("what writes into a copy of a matrix of the type reaches its products") {
  writeAll([] {
    Matrix copy;
    must(MatDuplicate(makeFull(MATAIJSPECMV), MAT_COPY_VALUES, &copy));
    return copy;
  });
}

TEST_CASE("the Jacobian by differences of colors") {
  for (const char *kind : {MATMFFD_WP, MATMFFD_DS}) {
    CAPTURE(std::string(kind));
    const Matrix a = makeFull(MATAIJSPECMV);
    CHECK(checkProducts(a) > 0);
    differentiate(a, kind);
    CHECK(checkProducts(a) > 0);
  }
}

TEST_CASE("a matrix with the caller's arrays, and an assembly that tells of new values") {
  std::array<PetscInt, 4> rowPtr = {0, 2, 3, 5};
  std::array<PetscInt, 5> col = {0, 2, 1, 0, 2};
  std::array<PetscScalar, 5> val = {1, 2, 3, 4, 5};
  Matrix a;
  must(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 3, 3, rowPtr.data(), col.data(), val.data(), &a));
  must(MatSpecmvAttach(a));
  for (PetscScalar value : {7.0, 8.0, 9.0}) {
    CHECK(checkProducts(a) > 0);
    val[3] = value;
    assemble(a);
  }
  CHECK(checkProducts(a) > 0);
}

TEST_CASE("new values of the caller's arrays in parallel") {
  PetscMPIInt rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  const std::array<PetscInt, 3> rowPtr = {0, 2, 4};
  const PetscInt last = 2 * processes() - 1;
  const std::array<PetscInt, 4> col = {0, last, 0, last};
  std::array<PetscScalar, 4> val = {1, 2, 3, 4};
  Matrix a;
  must(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, 2, 2, PETSC_DETERMINE, PETSC_DETERMINE,
                                 rowPtr.data(), col.data(), val.data(), &a));
  must(MatSpecmvAttach(a));
  PetscBool parallel = PETSC_FALSE;
  must(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(a.object), MATMPIAIJ, &parallel));
  for (PetscScalar value : {7.0, 8.0, 9.0}) {
    CHECK(checkProducts(a) > 0);
    val[1] = value + rank;
    if (parallel)
      must(MatUpdateMPIAIJWithArrays(a, 2, 2, PETSC_DETERMINE, PETSC_DETERMINE, rowPtr.data(),
                                     col.data(), val.data()));
  }
  CHECK(checkProducts(a) > 0);
}
