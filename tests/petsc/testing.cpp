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

} // namespace

void assemble(Mat a) {
  must(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  must(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
}

void fill(Mat a, double scale, bool mostlyEmpty) {
  PetscInt begin = 0, end = 0, cols = 0;
  must(MatGetOwnershipRange(a, &begin, &end));
  must(MatGetSize(a, nullptr, &cols));
  for (PetscInt row = begin; row < end; ++row)
    for (PetscInt distance : kDistances) {
      const PetscInt col = row + distance;
      if (((row - begin) % 5 == 3) == mostlyEmpty && col >= 0 && col < cols)
        must(MatSetValue(a, row, col, scale * (std::sin(static_cast<double>(3 * row + col)) + 2),
                         INSERT_VALUES));
    }
  assemble(a);
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
  fill(a, 1, shape.mostlyEmpty);
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
