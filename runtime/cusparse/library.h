// The functions of cuSPARSE, resolved at run time. Only for the files of this folder.
#pragma once

#include "models/base/error.h"

#include <cusparse.h>

#include <string>
#include <vector>

namespace specmv {

// Required functions; cuSPARSE 12.0 and later has them.
#define SPECMV_CUSPARSE_FUNCTIONS(X)                                                               \
  X(cusparseGetProperty)                                                                           \
  X(cusparseGetErrorName)                                                                          \
  X(cusparseGetErrorString)                                                                        \
  X(cusparseCreate)                                                                                \
  X(cusparseDestroy)                                                                               \
  X(cusparseSetPointerMode)                                                                        \
  X(cusparseSetStream)                                                                             \
  X(cusparseCreateConstCsr)                                                                        \
  X(cusparseCreateConstCoo)                                                                        \
  X(cusparseDestroySpMat)                                                                          \
  X(cusparseCreateDnVec)                                                                           \
  X(cusparseDnVecSetValues)                                                                        \
  X(cusparseDestroyDnVec)                                                                          \
  X(cusparseSpMV_bufferSize)                                                                       \
  X(cusparseSpMV)

// Functions of later versions; null if the library is older.
#define SPECMV_CUSPARSE_LATER_FUNCTIONS(X)                                                         \
  X(cusparseCreateDnMat)                                                                           \
  X(cusparseDestroyDnMat)                                                                          \
  X(cusparseSpMM_bufferSize)                                                                       \
  X(cusparseSpMM_preprocess)                                                                       \
  X(cusparseSpMM)                                                                                  \
  X(cusparseCreateConstSlicedEll)                                                                  \
  X(cusparseCreateConstBsr)                                                                        \
  X(cusparseSpMV_preprocess)

// The experimental SpMVOp of cuSPARSE 12.7.3 and later. The headers of the build may not declare
// it, so experimental.cpp does.
#define SPECMV_CUSPARSE_OP_FUNCTIONS(X)                                                            \
  X(cusparseSpMVOp_bufferSize)                                                                     \
  X(cusparseSpMVOp_createDescr)                                                                    \
  X(cusparseSpMVOp_destroyDescr)                                                                   \
  X(cusparseSpMVOp_createPlan)                                                                     \
  X(cusparseSpMVOp_destroyPlan)                                                                    \
  X(cusparseSpMVOp)

// The experimental SpMVGeneric of cuSPARSE 12.9 and later.
#define SPECMV_CUSPARSE_GENERIC_FUNCTIONS(X)                                                       \
  X(cusparseSpMV_createDescr)                                                                      \
  X(cusparseSpMV_destroyDescr)                                                                     \
  X(cusparseSpMVDescrSetParam)                                                                     \
  X(cusparseSpMVGeneric_bufferSize)                                                                \
  X(cusparseSpMVGeneric_preprocess)                                                                \
  X(cusparseSpMVGeneric)

// Conversions from CSR, which a library may lack and later headers deprecate: convert.cpp declares
// them.
#define SPECMV_CUSPARSE_CONVERSION_FUNCTIONS(X)                                                    \
  X(cusparseXcsr2coo)                                                                              \
  X(cusparseCreateMatDescr)                                                                        \
  X(cusparseDestroyMatDescr)                                                                       \
  X(cusparseXcsr2bsrNnz)                                                                           \
  X(cusparseScsr2bsr)                                                                              \
  X(cusparseDcsr2bsr)

struct CusparseLibrary {
#define SPECMV_MEMBER(name) decltype(&::name) name = nullptr;
  SPECMV_CUSPARSE_FUNCTIONS(SPECMV_MEMBER)
  SPECMV_CUSPARSE_LATER_FUNCTIONS(SPECMV_MEMBER)
#undef SPECMV_MEMBER
#define SPECMV_MEMBER(name) void *name = nullptr;
  SPECMV_CUSPARSE_OP_FUNCTIONS(SPECMV_MEMBER)
  SPECMV_CUSPARSE_GENERIC_FUNCTIONS(SPECMV_MEMBER)
  SPECMV_CUSPARSE_CONVERSION_FUNCTIONS(SPECMV_MEMBER)
#undef SPECMV_MEMBER
  std::string path;      // as it was opened; a plain name if the loader found it
  std::string version;   // "cuSPARSE 12.6.3"
  int versionNumber = 0; // 120603

  // Opens the first of these libraries that opens; Status::missing if none opens, or if it lacks a
  // function.
  static llvm::Expected<CusparseLibrary> open(const std::vector<std::string> &paths);
  // Returns the toolkit's library, opened on first use. The pointer stays valid.
  static llvm::Expected<const CusparseLibrary *> get();

  // Returns success(), or an error with the name of the call and cuSPARSE's name and text for the
  // result.
  llvm::Error check(cusparseStatus_t result, const char *call) const;
  // Returns success(), or Status::missing if a function of a later version was not found.
  llvm::Error checkHas(bool found, const char *function) const;
};

} // namespace specmv
