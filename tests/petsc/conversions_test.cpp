// Conversions of copies: a copy has the functions of its original, and no state of specmv.
#include "tests/petsc/testing.h"

#include <array>

using namespace petsctest;

namespace {

// A copy of a matrix of the type, in all the ways in which PETSc makes one.
struct Copy {
  std::string name;
  std::function<Matrix()> make;
};

Matrix duplicate(const Matrix &a, MatDuplicateOption option = MAT_COPY_VALUES) {
  Matrix copy;
  must(MatDuplicate(a, option, &copy));
  if (option != MAT_COPY_VALUES)
    fill(copy, 2);
  return copy;
}

Matrix convert(const Matrix &a, MatType type) {
  Matrix b;
  must(MatConvert(a, type, MAT_INITIAL_MATRIX, &b));
  return b;
}

Matrix original() { return makeMatrix({}, MATAIJSPECMV); }

Matrix multiplied() {
  Matrix a = original();
  CHECK(checkProducts(a) > 0);
  return a;
}

Matrix replaced() {
  Matrix a = makeMatrix(), copy = duplicate(original());
  must(MatHeaderReplace(a, &copy.object));
  return a;
}

// Its type is set to another one and back.
Matrix setAnew() {
  Matrix a = duplicate(multiplied());
  must(MatSetType(a, MATDENSE));
  must(MatSetType(a, MATAIJSPECMV));
  must(MatSetUp(a));
  must(MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  fill(a, 3);
  return a;
}

Matrix detachedAndAttached() {
  Matrix a = duplicate(multiplied());
  must(MatSpecmvDetach(a));
  CHECK(checkProducts(a) == 0);
  must(MatSpecmvAttach(a));
  return a;
}

// A block of its own for each process has the functions of the diagonal block, and no state.
Matrix ofOneProcess() {
  Matrix block;
  must(MatGetMultiProcBlock(multiplied(), PETSC_COMM_SELF, MAT_INITIAL_MATRIX, &block));
  must(MatSpecmvAttach(block));
  return block;
}

Matrix diagonalBlock() {
  Mat block = nullptr;
  const Matrix a = multiplied();
  must(MatGetDiagonalBlock(a, &block));
  Matrix copy;
  must(MatDuplicate(block, MAT_COPY_VALUES, &copy));
  return copy;
}

const std::vector<Copy> kCopies = {
    {"the matrix itself", multiplied},
    {"a copy", [] { return duplicate(original()); }},
    {"a copy after products", [] { return duplicate(multiplied()); }},
    {"a copy of a copy", [] { return duplicate(duplicate(multiplied())); }},
    {"a copy of the structure", [] { return duplicate(multiplied(), MAT_DO_NOT_COPY_VALUES); }},
    {"a copy that shares the structure",
     [] { return duplicate(multiplied(), MAT_SHARE_NONZERO_PATTERN); }},
    {"a copy of an attached matrix",
     [] {
       const Matrix a = makeMatrix();
       must(MatSpecmvAttach(a));
       return duplicate(a);
     }},
    {"a converted copy", [] { return convert(duplicate(original()), MATAIJ); }},
    {"a copy of aijperm", [] { return duplicate(convert(duplicate(original()), MATAIJPERM)); }},
    {"a copy of aijsell", [] { return duplicate(convert(duplicate(original()), MATAIJSELL)); }},
    {"a copy put into another matrix", replaced},
    {"a copy whose type was set anew", setAnew},
    {"a copy that was detached", detachedAndAttached},
    {"a block of each process", ofOneProcess},
    {"a copy of the diagonal block", diagonalBlock},
};

// Only specmv's products are looked at: PETSc cannot copy an aijcrl, and its own transposed
// products of an aijsell are wrong in 3.18.
void convertThereAndBack(Matrix a, MatType type) {
  Matrix b = convert(a, type);
  const Matrix c = convert(a, type);
  CHECK(checkProductsAlone(b) > 0);
  must(MatConvert(b, MATAIJ, MAT_INPLACE_MATRIX, &b.object));
  CHECK(checkProductsAlone(b) > 0);
  must(MatConvert(a, type, MAT_INPLACE_MATRIX, &a.object));
  fill(a, 2);
  CHECK(checkProductsAlone(a) > 0);
  must(MatConvert(a, MATAIJ, MAT_INPLACE_MATRIX, &a.object));
  CHECK(checkProductsAlone(a) > 0);
  must(MatDestroy(&a.object)); // before its copy
  CHECK(checkProductsAlone(c) > 0);
}

PetscInt64 allStoredIn(Mat a) {
  MatInfo info;
  must(MatGetInfo(a, MAT_GLOBAL_SUM, &info));
  return static_cast<PetscInt64>(info.nz_used);
}

} // namespace

namespace {

// Runs each copy with each type. Where processes share cores, each copy gets one of the types.
void forEach(const std::vector<MatType> &types,
             const std::function<void(const Copy &copy, MatType type)> &run) {
  for (size_t i = 0; i < kCopies.size(); ++i)
    for (size_t j = 0; j < types.size(); ++j) {
      if (processes() > 2 && i % types.size() != j)
        continue;
      CAPTURE(kCopies[i].name);
      CAPTURE(std::string(types[j]));
      run(kCopies[i], types[j]);
    }
}

bool isOf(Mat a, const char *type) {
  MatType own = nullptr;
  must(MatGetType(a, &own));
  return std::string(own).find(type) != std::string::npos;
}

} // namespace

TEST_CASE("copies are converted within the family") {
  forEach({MATAIJPERM, MATAIJSELL, MATAIJCRL},
          [](const Copy &copy, MatType type) { convertThereAndBack(copy.make(), type); });
}

TEST_CASE("copies are converted to other kinds") {
  forEach({MATBAIJ, MATDENSE}, [](const Copy &copy, MatType type) {
    const Matrix a = copy.make();
    if (isOf(a, MATAIJPERM) || isOf(a, MATAIJSELL))
      return; // PETSc converts these to aij only
    const Matrix b = convert(a, type);
    Matrix c;
    must(MatConvert(b, MATAIJSPECMV, MAT_INITIAL_MATRIX, &c));
    CHECK(checkProducts(c) > 0);
    CHECK(checkProducts(a) > 0);
  });
}

TEST_CASE("other kinds are converted as to aij") {
  const Matrix a = makeMatrix();
  for (MatType type : {MATDENSE, MATBAIJ, MATSELL}) {
    CAPTURE(std::string(type));
    const Matrix other = convert(a, type);
    const Matrix own = convert(other, MATAIJ), ours = convert(other, MATAIJSPECMV);
    CHECK(allStoredIn(ours) == allStoredIn(own));
    CHECK(checkProducts(ours) > 0);
    must(MatConvert(other, MATAIJSPECMV, MAT_INPLACE_MATRIX, const_cast<Mat *>(&other.object)));
    CHECK(allStoredIn(other) == allStoredIn(own));
    CHECK(checkProducts(other) > 0);
  }
}

TEST_CASE("a dense diagonal keeps no zeros") {
  Matrix dense;
  PetscInt begin = 0, end = 0, size = 0;
  must(MatCreateDense(PETSC_COMM_WORLD, 5, 5, PETSC_DETERMINE, PETSC_DETERMINE, nullptr, &dense));
  must(MatGetOwnershipRange(dense, &begin, &end));
  must(MatGetSize(dense, &size, nullptr));
  for (PetscInt row = begin; row < end; ++row)
    must(MatSetValue(dense, row, row, 2, INSERT_VALUES));
  assemble(dense);
  const Matrix sparse = convert(dense, MATAIJSPECMV);
  CHECK(allStoredIn(sparse) == size);
  CHECK(checkProducts(sparse) > 0);
}

TEST_CASE("the option -matconvert_type names the type") {
  const Matrix a = makeMatrix(), dense = convert(a, MATDENSE);
  must(PetscOptionsSetValue(nullptr, "-matconvert_type", MATAIJSPECMV));
  CHECK(checkProducts(convert(a, MATAIJ)) > 0);
  CHECK(checkProducts(convert(dense, MATAIJ)) > 0);
  PetscBool kept = PETSC_FALSE;
  must(PetscOptionsHasName(nullptr, nullptr, "-matconvert_type", &kept));
  CHECK(kept);
  must(PetscOptionsClearValue(nullptr, "-matconvert_type"));
}

// A new preallocation of an mpiaijperm converts its blocks without MatConvert().
TEST_CASE("blocks that are converted by their matrix") {
  Matrix a = duplicate(multiplied());
  must(MatConvert(a, MATAIJPERM, MAT_INPLACE_MATRIX, &a.object));
  for (int times = 1; times < 3; ++times) {
    must(MatSeqAIJSetPreallocation(a, 5, nullptr));
    must(MatMPIAIJSetPreallocation(a, 5, nullptr, 5, nullptr));
    must(MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    fill(a, times);
    CHECK(checkProductsAlone(a) > 0);
    must(MatConvert(a, times == 1 ? MATAIJ : MATAIJSELL, MAT_INPLACE_MATRIX, &a.object));
    CHECK(checkProductsAlone(a) > 0);
    CHECK(checkProductsAlone(duplicate(a)) > 0);
  }
}
