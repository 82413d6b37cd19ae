// Products that neither specmv nor PETSc computes: the rows that MatGetRow() shows, in long double.
#include "tests/petsc/testing.h"

#include <algorithm>
#include <cmath>

namespace petsctest {

namespace {

void addProcesses(MPI_Comm comm, Values &values) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_LONG_DOUBLE,
                MPI_SUM, comm);
}

// All entries of the vector, on each process.
Values entriesOf(Vec vector) {
  PetscInt size = 0, begin = 0, end = 0;
  const PetscScalar *own = nullptr;
  must(VecGetSize(vector, &size));
  must(VecGetOwnershipRange(vector, &begin, &end));
  Values entries(static_cast<size_t>(size), 0);
  must(VecGetArrayRead(vector, &own));
  std::copy_n(own, end - begin, entries.begin() + begin);
  must(VecRestoreArrayRead(vector, &own));
  addProcesses(PetscObjectComm(reinterpret_cast<PetscObject>(vector)), entries);
  return entries;
}

// Adds the row's part of the product.
void addRow(Mat a, PetscInt row, bool transposed, const Values &x, Values &product) {
  PetscInt count = 0;
  const PetscInt *cols = nullptr;
  const PetscScalar *values = nullptr;
  must(MatGetRow(a, row, &count, &cols, &values));
  for (PetscInt i = 0; i < count; ++i) {
    auto to = static_cast<size_t>(row), from = static_cast<size_t>(cols[i]);
    if (transposed)
      std::swap(to, from);
    product[to] += static_cast<long double>(values[i]) * x[from];
  }
  must(MatRestoreRow(a, row, &count, &cols, &values));
}

} // namespace

Values exactProduct(Mat a, bool transposed, Vec x, Vec added) {
  PetscInt rows = 0, cols = 0, begin = 0, end = 0;
  must(MatGetSize(a, &rows, &cols));
  must(MatGetOwnershipRange(a, &begin, &end));
  const Values from = entriesOf(x);
  Values product(static_cast<size_t>(transposed ? cols : rows), 0);
  for (PetscInt row = begin; row < end; ++row)
    addRow(a, row, transposed, from, product);
  addProcesses(PetscObjectComm(reinterpret_cast<PetscObject>(a)), product);
  if (!added)
    return product;
  const Values y = entriesOf(added);
  for (size_t i = 0; i < product.size(); ++i)
    product[i] += y[i];
  return product;
}

void checkClose(const std::string &name, Vec result, const Values &exact) {
  const Values entries = entriesOf(result);
  REQUIRE(entries.size() == exact.size());
  long double size = 0;
  for (long double value : exact)
    size = std::max(size, std::abs(value));
  const long double limit = 16 * static_cast<long double>(PETSC_MACHINE_EPSILON) * size;
  size_t wrong = 0, first = 0;
  for (size_t i = entries.size(); i-- > 0;)
    if (!(std::abs(entries[i] - exact[i]) <= limit)) { // a NaN is wrong too
      ++wrong;
      first = i;
    }
  INFO(name, " is wrong in ", wrong, " of ", entries.size(), " entries, the first of which, entry ",
       first, ", is ", wrong ? entries[first] : 0, " and should be ", wrong ? exact[first] : 0);
  CHECK(wrong == 0);
}

} // namespace petsctest
