// Declares and calls SpMVOp and SpMVGeneric. SpMVOp's two forms are those of the headers of
// cuSPARSE 12.7.3 and of 12.8.1, which added the algorithm; SpMVGeneric came with 12.9.
#include "runtime/cusparse/experimental.h"

#include "models/base/lasting.h"
#include "runtime/cuda/places.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Path.h"

#include <tuple>

namespace specmv {

using Description = void *; // cusparseSpMVOpDescr_t or cusparseSpMVDescr_t
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

// SpMVGeneric computes the same, by a description of parameters. Arguments: alpha, matrix, x, beta,
// y, z, type.
using MakeDescr = cusparseStatus_t (*)(Description *);
using SetParam = cusparseStatus_t (*)(Description, int parameter, void *data, size_t bytes);
using GenericBufferSize = cusparseStatus_t (*)(cusparseHandle_t, const void *,
                                               cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                                               const void *, cusparseConstDnVecDescr_t,
                                               cusparseDnVecDescr_t, cudaDataType, Description,
                                               size_t *);
using GenericMultiply = cusparseStatus_t (*)(cusparseHandle_t, const void *,
                                             cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                                             const void *, cusparseConstDnVecDescr_t,
                                             cusparseDnVecDescr_t, cudaDataType, Description);
enum GenericParameter : int { kSetsOperation, kSetsAlgorithm, kSetsBuffer };

constexpr cusparseOperation_t kAsIs = CUSPARSE_OPERATION_NON_TRANSPOSE;

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
                                   int algorithm, size_t *bytes) {
  void *function = library.cusparseSpMVOp_bufferSize;
  return takesAlgorithm(library)
             ? as<BufferSizeWithAlgorithm>(function)(o.handle, kAsIs, o.a, o.x, o.y, o.y, o.type,
                                                     algorithm, bytes)
             : as<BufferSize>(function)(o.handle, kAsIs, o.a, o.x, o.y, o.y, o.type, bytes);
}

static cusparseStatus_t createDescr(const CusparseLibrary &library, const CusparseOperands &o,
                                    int algorithm, Description *description, void *workspace) {
  void *function = library.cusparseSpMVOp_createDescr;
  return takesAlgorithm(library)
             ? as<CreateDescrWithAlgorithm>(function)(o.handle, description, kAsIs, o.a, o.x, o.y,
                                                      o.y, o.type, algorithm, workspace)
             : as<CreateDescr>(function)(o.handle, description, kAsIs, o.a, o.x, o.y, o.y, o.type,
                                         workspace);
}

llvm::Error hasExperimental(const CusparseLibrary &library, const ExperimentalRoutine &routine) {
#define SPECMV_WANT(name)                                                                          \
  if (llvm::Error error = library.checkHas(library.name != nullptr, #name))                        \
    return error;
  if (routine.call == ExperimentalCall::spmvGeneric) {
    SPECMV_CUSPARSE_GENERIC_FUNCTIONS(SPECMV_WANT)
    return llvm::Error::success();
  }
  SPECMV_CUSPARSE_OP_FUNCTIONS(SPECMV_WANT)
#undef SPECMV_WANT
  return routine.algorithm == 0
             ? llvm::Error::success()
             : library.checkHas(takesAlgorithm(library), "choice of cusparseSpMVOp's algorithm");
}

struct ExperimentalProduct::Making {
  const CusparseLibrary &library;
  const GpuDevice &gpu;
  const CusparseOperands &operands;
  int algorithm;
};

llvm::Error ExperimentalProduct::allocate(const GpuDevice &gpu, size_t bytes) {
  auto workspace = gpu.allocate(bytes);
  if (!workspace)
    return workspace.takeError();
  workspace_ = std::move(*workspace);
  return llvm::Error::success();
}

llvm::Error ExperimentalProduct::makeOp(const Making &with) {
  openLinkerOnce();
  const CusparseLibrary &library = with.library;
  const auto owner = with.gpu.shared_from_this();
  size_t bytes = 0;
  if (llvm::Error error = library.check(bufferSize(library, with.operands, with.algorithm, &bytes),
                                        "cusparseSpMVOp_bufferSize"))
    return error;
  if (llvm::Error error = allocate(with.gpu, bytes))
    return error;
  void *made = nullptr;
  if (llvm::Error error = library.check(createDescr(library, with.operands, with.algorithm, &made,
                                                    reinterpret_cast<void *>(workspace_.pointer())),
                                        "cusparseSpMVOp_createDescr"))
    return error;
  description_ = {made, {owner, as<Destroy>(library.cusparseSpMVOp_destroyDescr)}};
  if (llvm::Error error =
          library.check(as<CreatePlan>(library.cusparseSpMVOp_createPlan)(
                            with.operands.handle, description_.get(), &made, nullptr, 0),
                        "cusparseSpMVOp_createPlan"))
    return error;
  plan_ = {made, {owner, as<Destroy>(library.cusparseSpMVOp_destroyPlan)}};
  return llvm::Error::success();
}

static llvm::Error setParameter(const CusparseLibrary &library, Description description,
                                GenericParameter parameter, void *data, size_t bytes) {
  return library.check(
      as<SetParam>(library.cusparseSpMVDescrSetParam)(description, parameter, data, bytes),
      "cusparseSpMVDescrSetParam");
}

llvm::Error ExperimentalProduct::makeGeneric(const Making &with) {
  const CusparseLibrary &library = with.library;
  const CusparseOperands &o = with.operands;
  void *made = nullptr;
  if (llvm::Error error = library.check(as<MakeDescr>(library.cusparseSpMV_createDescr)(&made),
                                        "cusparseSpMV_createDescr"))
    return error;
  description_ = {made,
                  {with.gpu.shared_from_this(), as<Destroy>(library.cusparseSpMV_destroyDescr)}};
  cusparseOperation_t operation = kAsIs;
  int algorithm = with.algorithm;
  if (llvm::Error error = setParameter(library, made, kSetsOperation, &operation, sizeof operation))
    return error;
  if (llvm::Error error = setParameter(library, made, kSetsAlgorithm, &algorithm, sizeof algorithm))
    return error;
  const CusparseFactor alpha(1, o.type), beta(0, o.type);
  size_t bytes = 0;
  if (llvm::Error error = library.check(
          as<GenericBufferSize>(library.cusparseSpMVGeneric_bufferSize)(
              o.handle, alpha.pointer(), o.a, o.x, beta.pointer(), o.y, o.y, o.type, made, &bytes),
          "cusparseSpMVGeneric_bufferSize"))
    return error;
  if (llvm::Error error = allocate(with.gpu, bytes))
    return error;
  auto *buffer = reinterpret_cast<void *>(workspace_.pointer());
  if (llvm::Error error = setParameter(library, made, kSetsBuffer, &buffer, sizeof buffer))
    return error;
  return library.check(
      as<GenericMultiply>(library.cusparseSpMVGeneric_preprocess)(
          o.handle, alpha.pointer(), o.a, o.x, beta.pointer(), o.y, o.y, o.type, made),
      "cusparseSpMVGeneric_preprocess");
}

llvm::Expected<ExperimentalProduct> ExperimentalProduct::make(const CusparseLibrary &library,
                                                              const GpuDevice &gpu,
                                                              const CusparseOperands &operands,
                                                              const ExperimentalRoutine &routine,
                                                              StreamHandle stream) {
  ExperimentalProduct out;
  // If this fails, the library's work on the stream may still use the workspace.
  auto free = llvm::make_scope_exit([&] { out.workspace_.freeOn(stream); });
  const Making with{library, gpu, operands, routine.algorithm};
  if (llvm::Error error =
          routine.call == ExperimentalCall::spmvOp ? out.makeOp(with) : out.makeGeneric(with))
    return error;
  free.release();
  return out;
}

llvm::Error ExperimentalProduct::run(const CusparseLibrary &library, const CusparseOperands &o,
                                     const void *alpha, const void *beta) const {
  if (plan_.get())
    return library.check(
        as<Multiply>(library.cusparseSpMVOp)(o.handle, plan_.get(), alpha, beta, o.x, o.y, o.y),
        "cusparseSpMVOp");
  return library.check(as<GenericMultiply>(library.cusparseSpMVGeneric)(
                           o.handle, alpha, o.a, o.x, beta, o.y, o.y, o.type, description_.get()),
                       "cusparseSpMVGeneric");
}

} // namespace specmv
