// Describes a matrix to cuSPARSE, with one function for each of its formats.
#include "runtime/cusparse/routine.h"

namespace specmv {

using SparseDescription = cusparseConstSpMatDescr_t;
constexpr cusparseIndexBase_t kBase = CUSPARSE_INDEX_BASE_ZERO;

static cusparseStatus_t describeCsr(const CusparseLibrary &library, const PackedMatrix &m,
                                    const MatrixArrays &at, SparseDescription *out) {
  return library.cusparseCreateConstCsr(out, m.number("rows"), m.number("cols"), m.number("nnz"),
                                        at.rows, at.col, at.val, m.index(), m.index(), kBase,
                                        m.type);
}

static cusparseStatus_t describeCoo(const CusparseLibrary &library, const PackedMatrix &m,
                                    const MatrixArrays &at, SparseDescription *out) {
  return library.cusparseCreateConstCoo(out, m.number("rows"), m.number("cols"), m.number("nnz"),
                                        at.rows, at.col, at.val, m.index(), kBase, m.type);
}

static cusparseStatus_t describeSell(const CusparseLibrary &library, const PackedMatrix &m,
                                     const MatrixArrays &at, SparseDescription *out) {
  return library.cusparseCreateConstSlicedEll(
      out, m.number("rows"), m.number("cols"), m.number("nnz"), m.count("val"), m.number("slice"),
      at.rows, at.col, at.val, m.index(), m.index(), kBase, m.type);
}

static cusparseStatus_t describeBsr(const CusparseLibrary &library, const PackedMatrix &m,
                                    const MatrixArrays &at, SparseDescription *out) {
  const int64_t size = m.number("size");
  return library.cusparseCreateConstBsr(out, m.number("rows") / size, m.number("cols") / size,
                                        m.count("col"), size, size, at.rows, at.col, at.val,
                                        m.index(), m.index(), kBase, m.type, CUSPARSE_ORDER_ROW);
}

// This is CUSPARSE_SPMV_BSR_ALG1, a name that CUDA 12.6 lacks.
constexpr auto kBsrAlg1 = static_cast<cusparseSpMVAlg_t>(6);

static constexpr CusparseRoutine experimental(const char *name, ExperimentalCall call,
                                              int algorithm) {
  return {name,
          "rowPtr",
          describeCsr,
          CUSPARSE_SPMV_ALG_DEFAULT,
          /*preprocess=*/false,
          ExperimentalRoutine{call, algorithm}};
}

constexpr CusparseRoutine kRoutines[] = {
    {"cusparse-csr", "rowPtr", describeCsr, CUSPARSE_SPMV_ALG_DEFAULT},
    {"cusparse-csr1", "rowPtr", describeCsr, CUSPARSE_SPMV_CSR_ALG1, /*preprocess=*/true},
    {"cusparse-csr2", "rowPtr", describeCsr, CUSPARSE_SPMV_CSR_ALG2, /*preprocess=*/true},
    {"cusparse-coo", "row", describeCoo, CUSPARSE_SPMV_COO_ALG1},
    {"cusparse-sell", "sliceOffsets", describeSell, CUSPARSE_SPMV_SELL_ALG1},
    {"cusparse-bsr", "rowPtr", describeBsr, kBsrAlg1},
    experimental("cusparse-op", ExperimentalCall::spmvOp, 0),
    experimental("cusparse-op1", ExperimentalCall::spmvOp, 1),
    experimental("cusparse-op2", ExperimentalCall::spmvOp, 2),
    experimental("cusparse-generic", ExperimentalCall::spmvGeneric, CUSPARSE_SPMV_ALG_DEFAULT),
    experimental("cusparse-generic1", ExperimentalCall::spmvGeneric, CUSPARSE_SPMV_CSR_ALG1),
};

llvm::Error CusparseRoutine::isIn(const CusparseLibrary &library) const {
  if (describe == describeSell)
    return library.checkHas(library.cusparseCreateConstSlicedEll != nullptr,
                            "cusparseCreateConstSlicedEll");
  if (describe == describeBsr)
    return library.checkHas(library.cusparseCreateConstBsr != nullptr, "cusparseCreateConstBsr");
  if (preprocess)
    return library.checkHas(library.cusparseSpMV_preprocess != nullptr, "cusparseSpMV_preprocess");
  return experimental ? hasExperimental(library, *experimental) : llvm::Error::success();
}

llvm::Expected<const CusparseRoutine *> findRoutine(const std::string &name) {
  for (const CusparseRoutine &routine : kRoutines)
    if (name == routine.name)
      return &routine;
  return fail(Status::internal, "unknown cuSPARSE routine '{0}'", name);
}

llvm::Expected<SparseDescription> describeMatrix(const CusparseLibrary &library,
                                                 const CusparseRoutine &routine,
                                                 const PackedMatrix &matrix) {
  MatrixArrays at{};
  const std::pair<const char *, const void **> names[] = {
      {routine.rows, &at.rows}, {"col", &at.col}, {"val", &at.val}};
  for (const auto &[name, address] : names) {
    auto pointer = matrix.arrays(name);
    if (!pointer)
      return pointer.takeError();
    *address = reinterpret_cast<const void *>(*pointer);
  }
  SparseDescription out = nullptr;
  if (llvm::Error error = library.check(routine.describe(library, matrix, at, &out),
                                        "describing the matrix to cuSPARSE"))
    return error;
  return out;
}

} // namespace specmv
