// What the tests of the adapter share: matrices, vectors, and the comparison with the type's own
// products.
#pragma once

#include "runtime/adapters/petsc/specmv_petsc.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>

namespace petsctest {

// A call of PETSc that must succeed. If it does not, one process that leaves the others waiting
// ends them.
inline void must(PetscErrorCode code) {
  if (code)
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
  bool firstOnly = false; // only the first process has rows
};
// Without a type it is that of the option -base_type, else aij.
Matrix makeMatrix(const Shape &shape = {}, const char *type = nullptr);
// Sets the entries again, times `scale`, and assembles.
void fill(Mat a, double scale);

Vector vectorOf(Mat a, bool ofRows, double seed);

// Compares all products of A, which specmv computes, with those of a copy that it does not know.
// Returns how many products specmv has computed, in the process where it was most.
PetscInt64 checkProducts(Mat a);

struct Counts {
  PetscInt64 plans = 0, updates = 0, products = 0;
};
Counts countsOf(Mat a);

// The sentence of the error with which the call ends, or "" if it succeeds.
std::string errorOf(const std::function<PetscErrorCode()> &call);

} // namespace petsctest
