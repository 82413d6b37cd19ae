// The options of the adapter, and what it refuses.
#include "tests/petsc/testing.h"

#include <array>
#include <cstdarg>

using namespace petsctest;

namespace {

struct Options {
  std::string name;
  Options(const std::string &name, const std::string &value) : name(name) {
    must(PetscOptionsSetValue(nullptr, name.c_str(), value.c_str()));
  }
  Options(const Options &) = delete;
  Options &operator=(const Options &) = delete;
  ~Options() { must(PetscOptionsClearValue(nullptr, name.c_str())); }
};

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("options are those of the matrix's prefix") {
  const Matrix a = makeMatrix();
  must(MatSetOptionsPrefix(a, "mine_"));
  const Options other("-mat_specmv_products", "-3");
  const Options products("-mine_mat_specmv_products", "10"),
      rigor("-mine_mat_specmv_rigor", "trial");
  must(MatSpecmvAttach(a));
  CHECK(checkProducts(a) > 0);
}

TEST_CASE("options that are wrong") {
  const Matrix a = makeMatrix();
  {
    const Options products("-mat_specmv_products", "-3");
    CHECK(errorOf([&] { return MatSpecmvAttach(a); }) ==
          "-mat_specmv_products -3 is negative: give the number of products that you expect, or 0");
  }
  const Options rigor("-mat_specmv_rigor", "often");
  CHECK(errorOf([&] { return MatSpecmvAttach(a); }) ==
        "-mat_specmv_rigor often is none of estimate, trial, measure and exhaustive");
}

TEST_CASE("matrices that specmv cannot take") {
  const Matrix a = makeMatrix();
  Matrix dense;
  must(MatConvert(a, MATDENSE, MAT_INITIAL_MATRIX, &dense));
  CHECK(contains(errorOf([&] { return MatSpecmvAttach(dense); }),
                 processes() > 1 ? "this one is mpidense: call MatConvert() with MATAIJ first"
                                 : "this one is seqdense: call MatConvert() with MATAIJ first"));
  Matrix unassembled;
  must(MatCreate(PETSC_COMM_WORLD, &unassembled));
  CHECK(contains(errorOf([&] { return MatSpecmvAttach(unassembled); }), "of no type yet"));
  must(MatSetSizes(unassembled, 3, 3, PETSC_DETERMINE, PETSC_DETERMINE));
  must(MatSetType(unassembled, MATAIJ));
  CHECK(contains(errorOf([&] { return MatSpecmvAttach(unassembled); }),
                 "assemble the matrix before MatSpecmvAttach()"));
}

TEST_CASE("an error of specmv is one of PETSc that tells its detail") {
  // A NaN that stands for a broken structure is not to be had by PETSc's own functions: the arrays
  // of the caller are changed behind its back.
  PetscInt rowPtr[] = {0, 1, 2}, col[] = {0, 1};
  PetscScalar val[] = {1, 2};
  Matrix a;
  must(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 2, 2, rowPtr, col, val, &a));
  must(MatSpecmvAttach(a));
  col[1] = 9;
  const Vector x = vectorOf(a, false, 1);
  Vector y;
  must(VecDuplicate(x, &y));
  const std::string sentence = errorOf([&] { return MatMult(a, x, y); });
  CHECK(contains(sentence, "specmv could not make a plan: SPECMV_STATUS_INVALID_MATRIX: row 1"));
  col[1] = 1;
  must(MatMult(a, x, y));
  CHECK(countsOf(a).products == 1);
}

namespace {

// PETSc's printer of -help while its lines are kept.
std::string helpText;
PetscErrorCode keepHelp(MPI_Comm, const char *format, ...) {
  std::array<char, 1024> line = {};
  va_list arguments;
  va_start(arguments, format);
  PetscErrorCode code = PetscVSNPrintf(line.data(), line.size(), format, nullptr, arguments);
  va_end(arguments);
  helpText += line.data();
  return code;
}

} // namespace

TEST_CASE("-help lists the options of a matrix") {
  const Matrix a = makeMatrix();
  must(MatSetOptionsPrefix(a, "listed_"));
  const auto printer = std::exchange(PetscHelpPrintf, keepHelp);
  {
    const Options help("-help", "");
    must(MatSpecmvAttach(a));
  }
  PetscHelpPrintf = printer;
  for (const char *option : {"-listed_mat_specmv_products", "-listed_mat_specmv_rigor",
                             "-listed_mat_specmv_view", "exhaustive"})
    CHECK(contains(helpText, option));
}
