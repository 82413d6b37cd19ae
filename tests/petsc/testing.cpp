// The shared part of the adapter's tests.
#include "tests/petsc/testing.h"

#include <array>
#include <cmath>

namespace petsctest {

PetscMPIInt processes() {
  PetscMPIInt size = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return size;
}

namespace {

PetscMPIInt rank() {
  PetscMPIInt rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank;
}

// Every fifth row of a process is empty; the others have entries at these distances, as far as
// there are columns.
constexpr std::array<PetscInt, 5> kDistances = {-17, -1, 0, 1, 9};

// The products of the type itself, by a copy whose operations are its own.
Matrix copyWithoutSpecmv(Mat a) {
  Matrix copy;
  must(MatDuplicate(a, MAT_COPY_VALUES, &copy));
  must(MatSpecmvDetach(copy));
  return copy;
}

void checkClose(Vec ours, Vec own) {
  PetscReal size = 0, difference = 0;
  must(VecNorm(own, NORM_INFINITY, &size));
  must(VecAXPY(ours, -1, own));
  must(VecNorm(ours, NORM_INFINITY, &difference));
  CHECK(difference <= 16 * PETSC_MACHINE_EPSILON * size);
}

using Added = PetscErrorCode (*)(Mat, Vec, Vec, Vec);

void checkAdded(Added product, Mat a, Mat own, Vec x, Vec y) {
  Vector ours, expected;
  must(VecDuplicate(y, &ours));
  must(VecDuplicate(y, &expected));
  must(product(a, x, y, ours));
  must(product(own, x, y, expected));
  checkClose(ours, expected);
  // In place.
  must(VecCopy(y, ours));
  must(product(a, x, ours, ours));
  checkClose(ours, expected);
}

void checkPlain(PetscErrorCode (*product)(Mat, Vec, Vec), Mat a, Mat own, Vec x, Vec y) {
  Vector ours, expected;
  must(VecDuplicate(y, &ours));
  must(VecDuplicate(y, &expected));
  must(product(a, x, ours));
  must(product(own, x, expected));
  checkClose(ours, expected);
}

} // namespace

void fill(Mat a, double scale) {
  PetscInt begin = 0, end = 0, cols = 0;
  must(MatGetOwnershipRange(a, &begin, &end));
  must(MatGetSize(a, nullptr, &cols));
  for (PetscInt row = begin; row < end; ++row)
    for (PetscInt distance : kDistances) {
      const PetscInt col = row + distance;
      if ((row - begin) % 5 != 3 && col >= 0 && col < cols)
        must(MatSetValue(a, row, col, scale * (std::sin(static_cast<double>(3 * row + col)) + 2),
                         INSERT_VALUES));
    }
  must(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  must(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
}

Matrix makeMatrix(const Shape &shape, const char *type) {
  Matrix a;
  const auto width = static_cast<PetscInt>(kDistances.size());
  std::array<char, 64> base = {MATAIJ};
  must(PetscOptionsGetString(nullptr, nullptr, "-base_type", base.data(), base.size(), nullptr));
  const bool empty = shape.firstOnly && rank() > 0;
  must(MatCreate(PETSC_COMM_WORLD, &a));
  must(MatSetSizes(a, empty ? 0 : shape.rows + rank(), empty ? 0 : shape.cols + rank(),
                   PETSC_DETERMINE, PETSC_DETERMINE));
  must(MatSetType(a, type ? type : base.data()));
  must(MatSeqAIJSetPreallocation(a, width, nullptr));
  must(MatMPIAIJSetPreallocation(a, width, nullptr, width, nullptr));
  must(MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  fill(a, 1);
  return a;
}

Vector vectorOf(Mat a, bool ofRows, double seed) {
  Vector vector;
  PetscInt begin = 0, end = 0;
  must(ofRows ? MatCreateVecs(a, nullptr, &vector) : MatCreateVecs(a, &vector, nullptr));
  must(VecGetOwnershipRange(vector, &begin, &end));
  for (PetscInt i = begin; i < end; ++i)
    must(VecSetValue(vector, i, std::cos(seed * static_cast<double>(i)), INSERT_VALUES));
  must(VecAssemblyBegin(vector));
  must(VecAssemblyEnd(vector));
  return vector;
}

PetscInt64 checkProducts(Mat a) {
  const PetscInt64 before = countsOf(a).products;
  const Matrix own = copyWithoutSpecmv(a);
  const Vector x = vectorOf(a, false, 0.7), y = vectorOf(a, true, 0.3);
  checkPlain(MatMult, a, own, x, y);
  checkAdded(MatMultAdd, a, own, x, y);
  checkPlain(MatMultTranspose, a, own, y, x);
  checkAdded(MatMultTransposeAdd, a, own, y, x);
  CHECK(countsOf(own).products == 0);
  PetscInt64 products = countsOf(a).products - before;
  MPI_Allreduce(MPI_IN_PLACE, &products, 1, MPIU_INT64, MPI_MAX,
                PetscObjectComm(reinterpret_cast<PetscObject>(a)));
  return products;
}

Counts countsOf(Mat a) {
  Counts counts;
  must(MatSpecmvGetCounts(a, &counts.plans, &counts.updates, &counts.products));
  return counts;
}

namespace {

// PETSc's handler of errors while one is expected: it keeps the first sentence.
PetscErrorCode keepSentence(MPI_Comm, int, const char *, const char *, PetscErrorCode code,
                            PetscErrorType type, const char *sentence, void *context) {
  if (type == PETSC_ERROR_INITIAL)
    *static_cast<std::string *>(context) = sentence ? sentence : "";
  return code;
}

} // namespace

std::string errorOf(const std::function<PetscErrorCode()> &call) {
  std::string sentence;
  must(PetscPushErrorHandler(keepSentence, &sentence));
  const PetscErrorCode code = call();
  must(PetscPopErrorHandler());
  CHECK((code != 0) == !sentence.empty());
  return sentence;
}

} // namespace petsctest
