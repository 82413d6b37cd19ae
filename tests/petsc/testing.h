// The tests of the adapter share this: matrices, vectors, and the comparison with the type's own
// products.
#pragma once

#include "runtime/adapters/petsc/specmv_petsc.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace petsctest {

// A call of PETSc that must succeed, in a test. If it does not, one process that leaves the others
// waiting ends them, after it has told in which test that was.
inline void must(PetscErrorCode code) {
  if (!code)
    return;
  FAIL_CHECK("error ", static_cast<int>(code), " of PETSc");
  std::fflush(nullptr);
  MPI_Abort(PETSC_COMM_WORLD, 1);
}

// Owns a matrix or a vector.
template <class Object, PetscErrorCode (*destroy)(Object *)> struct Owned {
  Object object = nullptr;
  Owned() = default;
  Owned(Owned &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Owned(const Owned &) = delete;
  Owned &operator=(const Owned &) = delete;
  Owned &operator=(Owned &&) = delete;
  ~Owned() { must(destroy(&object)); }
  operator Object() const {
    return object;
  }                                       // NOLINT(google-explicit-constructor): as PETSc takes it
  Object *operator&() { return &object; } // NOLINT(google-runtime-operator): as PETSc fills it
};
using Matrix = Owned<Mat, MatDestroy>;
using Vector = Owned<Vec, VecDestroy>;

PetscMPIInt processes();

// An unsymmetric matrix with rows of different length, some of them empty, whose entries near the
// borders of the processes belong to their off-diagonal blocks. Rows of the process i: `rows` + i.
struct Shape {
  PetscInt rows = 23, cols = 23;
  bool firstOnly = false;   // only the first process has rows
  bool mostlyEmpty = false; // rows that are empty otherwise have entries, and the others none
};
// Without a type it is that of the option -base_type, else aij.
Matrix makeMatrix(const Shape &shape = {}, const char *type = nullptr);
void assemble(Mat a);
// Sets the entries again, times `scale`, and assembles.
void fill(Mat a, double scale, bool mostlyEmpty = false);

Vector vectorOf(Mat a, bool ofRows, double seed);

struct Counts {
  PetscInt64 plans = 0, updates = 0, products = 0;
};
Counts countsOf(Mat a);

// The sentence of the error with which the call ends, or "" if it succeeds.
std::string errorOf(const std::function<PetscErrorCode()> &call);

// --- compare.cpp

// Compares all products of A, and those of a copy that specmv does not know, with exact ones.
// Returns how many products specmv has computed, in the process where it was most.
PetscInt64 checkProducts(Mat a);
// Checks the products without those of a copy, for types of PETSc that make none, or a wrong one.
PetscInt64 checkProductsAlone(Mat a);

// --- exact.cpp

using Values = std::vector<long double>;
// The product with A or its transpose, plus a vector if there is one, on each process.
Values exactProduct(Mat a, bool transposed, Vec x, Vec added);
// Checks the result of a product that a message will call by this name.
void checkClose(const std::string &name, Vec result, const Values &exact);

} // namespace petsctest
