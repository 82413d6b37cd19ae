// Declares and calls SpMVOp. Its two forms are those of the headers of cuSPARSE 12.7.3 and of
// 12.8.1, which added the algorithm.
#include "runtime/cusparse/op.h"

#include "models/base/lasting.h"
#include "runtime/cuda/places.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Path.h"

#include <tuple>

namespace specmv {

using Description = void *; // cusparseSpMVOpDescr_t
using OpPlan = void *;      // cusparseSpMVOpPlan_t

// SpMVOp computes z = alpha A x + beta y; we pass y as z. Arguments: operation, matrix, x, y, z,
// type.
using BufferSize = cusparseStatus_t (*)(cusparseHandle_t, cusparseOperation_t,
                                        cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                                        cusparseDnVecDescr_t, cusparseDnVecDescr_t, cudaDataType,
                                        size_t *);
using BufferSizeWithAlgorithm = cusparseStatus_t (*)(cusparseHandle_t, cusparseOperation_t,
                                                     cusparseConstSpMatDescr_t,
                                                     cusparseConstDnVecDescr_t,
                                                     cusparseDnVecDescr_t, cusparseDnVecDescr_t,
                                                     cudaDataType, int, size_t *);
using CreateDescr = cusparseStatus_t (*)(cusparseHandle_t, Description *, cusparseOperation_t,
                                         cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                                         cusparseDnVecDescr_t, cusparseDnVecDescr_t, cudaDataType,
                                         void *);
using CreateDescrWithAlgorithm = cusparseStatus_t (*)(cusparseHandle_t, Description *,
                                                      cusparseOperation_t,
                                                      cusparseConstSpMatDescr_t,
                                                      cusparseConstDnVecDescr_t,
                                                      cusparseDnVecDescr_t, cusparseDnVecDescr_t,
                                                      cudaDataType, int, void *);
using CreatePlan = cusparseStatus_t (*)(cusparseHandle_t, Description, OpPlan *, const void *,
                                        size_t);
using Multiply = cusparseStatus_t (*)(cusparseHandle_t, OpPlan, const void *, const void *,
                                      cusparseConstDnVecDescr_t, cusparseConstDnVecDescr_t,
                                      cusparseDnVecDescr_t);

template <class F> static F as(void *function) { return reinterpret_cast<F>(function); }

static bool takesAlgorithm(const CusparseLibrary &library) {
  return library.versionNumber >= 120801;
}

// SpMVOp links code at run time by a library that it opens by its plain name. The loader looks for
// that beside cuSPARSE and on its own path only, but it takes one that is open already.
static llvm::Expected<DynamicLibrary> openLinker() {
  constexpr const char *kLinker = "libnvJitLink.so.13"; // all versions with SpMVOp are of CUDA 13
  auto library = CusparseLibrary::get();
  if (!library)
    return library.takeError();
  llvm::SmallString<256> beside = llvm::sys::path::parent_path((*library)->path);
  llvm::sys::path::append(beside, kLinker);
  std::vector<std::string> paths = {beside.str().str()};
  llvm::append_range(paths, toolkitCandidates({kLinker}));
  return DynamicLibrary::open(paths);
}

// If there is none, the plan of SpMVOp fails, and its error says so.
static void openLinkerOnce() {
  static Lasting<OpenedOnce<DynamicLibrary>> linker(
      [] { return OpenedOnce<DynamicLibrary>(openLinker); });
  llvm::consumeError(linker->get().takeError());
}

static cusparseStatus_t bufferSize(const CusparseLibrary &library, const CusparseOperands &o,
                                   OpAlgorithm algorithm, size_t *bytes) {
  constexpr cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
  void *function = library.cusparseSpMVOp_bufferSize;
  return takesAlgorithm(library)
             ? as<BufferSizeWithAlgorithm>(function)(o.handle, op, o.a, o.x, o.y, o.y, o.type,
                                                     static_cast<int>(algorithm), bytes)
             : as<BufferSize>(function)(o.handle, op, o.a, o.x, o.y, o.y, o.type, bytes);
}

static cusparseStatus_t createDescr(const CusparseLibrary &library, const CusparseOperands &o,
                                    OpAlgorithm algorithm, Description *description,
                                    void *workspace) {
  constexpr cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
  void *function = library.cusparseSpMVOp_createDescr;
  return takesAlgorithm(library)
             ? as<CreateDescrWithAlgorithm>(function)(o.handle, description, op, o.a, o.x, o.y, o.y,
                                                      o.type, static_cast<int>(algorithm),
                                                      workspace)
             : as<CreateDescr>(function)(o.handle, description, op, o.a, o.x, o.y, o.y, o.type,
                                         workspace);
}

llvm::Error hasCusparseOp(const CusparseLibrary &library, OpAlgorithm algorithm) {
#define SPECMV_WANT(name)                                                                          \
  if (llvm::Error error = library.checkHas(library.name != nullptr, #name))                        \
    return error;
  SPECMV_CUSPARSE_OP_FUNCTIONS(SPECMV_WANT)
#undef SPECMV_WANT
  return algorithm == OpAlgorithm::byDefault
             ? llvm::Error::success()
             : library.checkHas(takesAlgorithm(library), "choice of cusparseSpMVOp's algorithm");
}

llvm::Expected<CusparseOp> CusparseOp::make(const CusparseLibrary &library, const GpuDevice &gpu,
                                            const CusparseOperands &operands, OpAlgorithm algorithm,
                                            StreamHandle stream) {
  openLinkerOnce();
  CusparseOp out;
  // If this fails, the library's work on the stream may still use the workspace.
  auto free = llvm::make_scope_exit([&] { out.workspace_.freeOn(stream); });
  size_t bytes = 0;
  if (llvm::Error error = library.check(bufferSize(library, operands, algorithm, &bytes),
                                        "cusparseSpMVOp_bufferSize"))
    return error;
  auto workspace = gpu.allocate(bytes);
  if (!workspace)
    return workspace.takeError();
  out.workspace_ = std::move(*workspace);
  void *made = nullptr;
  if (llvm::Error error =
          library.check(createDescr(library, operands, algorithm, &made,
                                    reinterpret_cast<void *>(out.workspace_.pointer())),
                        "cusparseSpMVOp_createDescr"))
    return error;
  out.description_ = {made,
                      {gpu.shared_from_this(), as<Destroy>(library.cusparseSpMVOp_destroyDescr)}};
  if (llvm::Error error =
          library.check(as<CreatePlan>(library.cusparseSpMVOp_createPlan)(
                            operands.handle, out.description_.get(), &made, nullptr, 0),
                        "cusparseSpMVOp_createPlan"))
    return error;
  out.plan_ = {made, {gpu.shared_from_this(), as<Destroy>(library.cusparseSpMVOp_destroyPlan)}};
  free.release();
  return out;
}

llvm::Error CusparseOp::run(const CusparseLibrary &library, const CusparseOperands &o,
                            const void *alpha, const void *beta) const {
  return library.check(
      as<Multiply>(library.cusparseSpMVOp)(o.handle, plan_.get(), alpha, beta, o.x, o.y, o.y),
      "cusparseSpMVOp");
}

} // namespace specmv
