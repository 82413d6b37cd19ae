// Compares the products of a matrix, and those of its type, with exact ones.
#include "tests/petsc/testing.h"

#include <array>

namespace petsctest {

namespace {

using Plain = PetscErrorCode (*)(Mat, Vec, Vec);
using Added = PetscErrorCode (*)(Mat, Vec, Vec, Vec);

struct Product {
  std::string name;
  bool transposed;
  Plain plain;
  Added added;
  bool inPlace;
};

const std::array<Product, 6> kProducts = {{
    {"MatMult", false, MatMult, nullptr, false},
    {"MatMultAdd", false, nullptr, MatMultAdd, false},
    {"MatMultAdd in place", false, nullptr, MatMultAdd, true},
    {"MatMultTranspose", true, MatMultTranspose, nullptr, false},
    {"MatMultTransposeAdd", true, nullptr, MatMultTransposeAdd, false},
    {"MatMultTransposeAdd in place", true, nullptr, MatMultTransposeAdd, true},
}};

struct Vectors {
  Vector ofCols, ofRows;
  [[nodiscard]] Vec x(const Product &product) const { return product.transposed ? ofRows : ofCols; }
  [[nodiscard]] Vec y(const Product &product) const { return product.transposed ? ofCols : ofRows; }
};

// z begins with `before` in each entry, which must not show in the result.
void run(const Product &product, Mat a, const Vectors &vectors, double before, Vector &z) {
  Vec x = vectors.x(product), y = vectors.y(product);
  if (!z.object)
    must(VecDuplicate(y, &z));
  must(VecSet(z, before));
  if (product.inPlace)
    must(VecCopy(y, z));
  if (product.plain)
    must(product.plain(a, x, z));
  else
    must(product.added(a, x, product.inPlace ? z.object : y, z));
}

using Results = std::array<Vector, kProducts.size()>;
using Exact = std::array<Values, kProducts.size()>;

void runAll(Mat a, const Vectors &vectors, double before, Results &results) {
  for (size_t i = 0; i < kProducts.size(); ++i)
    run(kProducts[i], a, vectors, before, results[i]);
}

Exact exactOf(Mat a, const Vectors &vectors) {
  Exact exact;
  for (size_t i = 0; i < kProducts.size(); ++i) {
    const Product &product = kProducts[i];
    exact[i] = exactProduct(a, product.transposed, vectors.x(product),
                            product.added ? vectors.y(product) : nullptr);
  }
  return exact;
}

void checkAll(const std::string &whose, const Results &results, const Exact &exact) {
  for (size_t i = 0; i < kProducts.size(); ++i)
    checkClose(whose + kProducts[i].name, results[i], exact[i]);
}

// The products of the type itself, by a copy whose operations are its own.
void checkCopy(Mat a, const Vectors &vectors, const Exact &exact) {
  Matrix copy;
  Results results;
  must(MatDuplicate(a, MAT_COPY_VALUES, &copy));
  must(MatSpecmvDetach(copy));
  runAll(copy, vectors, 0, results);
  checkAll("the detached copy's ", results, exact);
  CHECK(countsOf(copy).products == 0);
}

// The products of the matrix come first, since both its copy and the exact ones bring its values
// from the GPU to the host. Products of PETSc begin with zeros: in 3.26, MatMultTransposeAdd() of
// aijcusparse adds what was in z if y is another vector (MatMultAddKernel_SeqAIJCUSPARSE() sets
// beta to one wherever there is a y), and a copy of a baij does not write the entries of empty
// rows.
PetscInt64 check(Mat a, bool withCopy) {
  const PetscInt64 before = countsOf(a).products;
  const Vectors vectors = {vectorOf(a, false, 0.7), vectorOf(a, true, 0.3)};
  Results results;
  runAll(a, vectors, 1e20, results);
  PetscInt64 products = countsOf(a).products - before;
  MPI_Allreduce(MPI_IN_PLACE, &products, 1, MPIU_INT64, MPI_MAX,
                PetscObjectComm(reinterpret_cast<PetscObject>(a)));
  if (products == 0)
    runAll(a, vectors, 0, results);
  const Exact exact = exactOf(a, vectors);
  checkAll(products > 0 ? "specmv's " : "the type's ", results, exact);
  if (withCopy)
    checkCopy(a, vectors, exact);
  return products;
}

} // namespace

PetscInt64 checkProducts(Mat a) { return check(a, true); }

PetscInt64 checkProductsAlone(Mat a) { return check(a, false); }

} // namespace petsctest
