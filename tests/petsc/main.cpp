// The main function of the adapter's tests, which each of several processes runs.
#define DOCTEST_CONFIG_IMPLEMENT
#include "tests/petsc/testing.h"

int main(int count, char **arguments) {
  // The options of doctest are not PETSc's, which takes its own from PETSC_OPTIONS.
  if (PetscInitializeNoArguments() || MatSpecmvInitializePackage())
    return 1;
  const int failed = doctest::Context(count, arguments).run();
  return PetscFinalize() || failed;
}
