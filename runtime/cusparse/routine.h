// Lists cuSPARSE's routines by name: which arrays of a layout describe the matrix, and which
// algorithm multiplies. Only for the files of this folder.
#pragma once

#include "generator/layout.h"
#include "runtime/cusparse/cusparse.h"
#include "runtime/cusparse/experimental.h"
#include "runtime/cusparse/library.h"

#include <optional>

namespace specmv {

// A layout on the device, with the sizes and types that cuSPARSE requires.
struct PackedMatrix {
  const Layout &layout;
  const ArrayFinder &arrays;
  cudaDataType type;

  int64_t number(const char *name) const { return layout.integer(name); }
  int64_t count(const char *name) const { return layout.find(name)->count(); }
  cusparseIndexType_t index() const {
    return layout.find("col")->type == ElementType::i32 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
  }
};

// Addresses of the arrays that describe a matrix.
struct MatrixArrays {
  const void *rows, *col, *val;
};

struct CusparseRoutine {
  const char *name;
  const char *rows; // the array used with col and val
  cusparseStatus_t (*describe)(const CusparseLibrary &, const PackedMatrix &, const MatrixArrays &,
                               cusparseConstSpMatDescr_t *);
  cusparseSpMVAlg_t algorithm;
  bool preprocess = false; // call cusparseSpMV_preprocess before the products
  std::optional<ExperimentalRoutine> experimental = {}; // multiplies in place of cusparseSpMV

  // Status::missing if the library lacks a function of the routine.
  llvm::Error isIn(const CusparseLibrary &library) const;
};

// Status::internal if no routine has that name.
llvm::Expected<const CusparseRoutine *> findRoutine(const std::string &name);

// Makes the description of a matrix for the routine; the caller must destroy it.
llvm::Expected<cusparseConstSpMatDescr_t> describeMatrix(const CusparseLibrary &library,
                                                         const CusparseRoutine &routine,
                                                         const PackedMatrix &matrix);

} // namespace specmv
