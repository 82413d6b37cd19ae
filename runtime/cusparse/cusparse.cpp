// Implements the calls of cuSPARSE. Each call has its own matrix descriptor and workspace, since a
// descriptor refers to the workspace that it was preprocessed with.
#include "runtime/cusparse/cusparse.h"

#include "runtime/cusparse/experimental.h"
#include "runtime/cusparse/routine.h"
#include "runtime/cusparse/shared_handle.h"

#include "llvm/ADT/ScopeExit.h"

#include <optional>
#include <utility>

namespace specmv {

static cudaDataType dataTypeOf(ValueType type) {
  return type == ValueType::f32 ? CUDA_R_32F : CUDA_R_64F;
}

static void *addressOf(DevicePointer pointer) { return reinterpret_cast<void *>(pointer); }

llvm::Error cusparseHas(const std::string &routine) {
  auto found = findRoutine(routine);
  if (!found)
    return found.takeError();
  auto library = CusparseLibrary::get();
  return library ? (*found)->isIn(**library) : library.takeError();
}

struct CusparseCall::State {
  template <class T, class Destroyed = T>
  using Handle = GpuHandle<T, cusparseStatus_t (*)(Destroyed)>;
  using Vector = Handle<cusparseDnVecDescr_t, cusparseConstDnVecDescr_t>;

  llvm::Error setUp(const PackedMatrix &matrix, const CusparseGiven &given);
  llvm::Error takeHandle(const CusparseGiven &given);
  llvm::Expected<DevicePointer> addressFor(int64_t count, DevicePointer given,
                                           const PackedMatrix &matrix, DeviceBuffer &made) const;
  llvm::Error makeVector(int64_t count, DevicePointer values, Vector &description) const;
  llvm::Error useStream(StreamHandle stream) const;
  llvm::Error makeWorkspace(StreamHandle stream);
  llvm::Error makeExperimental(StreamHandle stream);
  template <class F, class Last>
  cusparseStatus_t call(F function, double alpha, double beta, Last last) const;
  CusparseOperands operands() const {
    return {handle->get(), a.get(), x.get(), y.get(), dataTypeOf(type)};
  }

  const CusparseLibrary &library;
  const CusparseRoutine &routine;
  std::shared_ptr<const GpuDevice> gpu;
  ValueType type;
  std::shared_ptr<const CusparseHandle> handle = {}; // released after those below, which need it
  Handle<cusparseConstSpMatDescr_t> a = {};
  Vector x = {}, y = {};
  DeviceBuffer workspace = {};
  std::optional<ExperimentalProduct> experimental = {};
};

// Calls cusparseSpMV or a function that prepares it; they differ only in the last argument.
template <class F, class Last>
cusparseStatus_t CusparseCall::State::call(F function, double alpha, double beta, Last last) const {
  const CusparseOperands o = operands();
  const CusparseFactor alphaFactor(alpha, o.type), betaFactor(beta, o.type);
  return function(o.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, alphaFactor.pointer(), o.a, o.x,
                  betaFactor.pointer(), o.y, o.type, routine.algorithm, last);
}

llvm::Error CusparseCall::State::takeHandle(const CusparseGiven &given) {
  if (given.handle) {
    handle = given.handle;
    return llvm::Error::success();
  }
  auto made = makeCusparseHandle(gpu);
  if (!made)
    return made.takeError();
  handle = std::move(*made);
  return llvm::Error::success();
}

llvm::Error CusparseCall::State::makeVector(int64_t count, DevicePointer values,
                                            Vector &description) const {
  cusparseDnVecDescr_t made = nullptr;
  if (llvm::Error error = library.check(
          library.cusparseCreateDnVec(&made, count, addressOf(values), dataTypeOf(type)),
          "cusparseCreateDnVec"))
    return error;
  description = {made, {gpu, library.cusparseDestroyDnVec}};
  return llvm::Error::success();
}

// Sets the stream for each call: the handle may still have that of a product, which the caller may
// have destroyed.
llvm::Error CusparseCall::State::useStream(StreamHandle stream) const {
  return library.check(library.cusparseSetStream(handle->get(), static_cast<cudaStream_t>(stream)),
                       "cusparseSetStream");
}

llvm::Error CusparseCall::State::makeWorkspace(StreamHandle stream) {
  size_t bytes = 0;
  if (llvm::Error error = library.check(call(library.cusparseSpMV_bufferSize, 1, 0, &bytes),
                                        "cusparseSpMV_bufferSize"))
    return error;
  auto buffer = gpu->allocate(bytes, stream);
  if (!buffer)
    return buffer.takeError();
  workspace = std::move(*buffer);
  if (!routine.preprocess)
    return llvm::Error::success();
  return library.check(call(library.cusparseSpMV_preprocess, 1, 0, addressOf(workspace.pointer())),
                       "cusparseSpMV_preprocess");
}

llvm::Error CusparseCall::State::makeExperimental(StreamHandle stream) {
  experimental.reset(); // frees its memory before the new one allocates
  if (llvm::Error error = useStream(stream))
    return error;
  auto made = ExperimentalProduct::make(library, *gpu, operands(), *routine.experimental, stream);
  if (!made)
    return made.takeError();
  experimental = std::move(*made);
  return llvm::Error::success();
}

// Returns the address that describes a vector of `count` values until a product has its own. A
// preparation may read and write it. If there is none, uses the address of the matrix's values,
// since it must not be null and allocating a vector would take longer than everything else.
llvm::Expected<DevicePointer> CusparseCall::State::addressFor(int64_t count, DevicePointer given,
                                                              const PackedMatrix &matrix,
                                                              DeviceBuffer &made) const {
  if (given)
    return given;
  if (!routine.preprocess && !routine.experimental)
    return matrix.arrays("val");
  auto buffer = gpu->allocate(static_cast<size_t>(count) * sizeOf(type));
  if (!buffer)
    return buffer.takeError();
  made = std::move(*buffer);
  return made.pointer();
}

llvm::Error CusparseCall::State::setUp(const PackedMatrix &matrix, const CusparseGiven &given) {
  const GpuDevice::Current current(*gpu);
  if (llvm::Error error = current.check())
    return error;
  if (llvm::Error error = takeHandle(given))
    return error;
  if (llvm::Error error = useStream(given.stream))
    return error;
  auto described = describeMatrix(library, routine, matrix);
  if (!described)
    return described.takeError();
  a = {*described, {gpu, library.cusparseDestroySpMat}};
  DeviceBuffer xMade, yMade; // the preparation may still use them when this returns
  const auto free = llvm::make_scope_exit([&] {
    xMade.freeOn(given.stream);
    yMade.freeOn(given.stream);
  });
  const int64_t cols = matrix.number("cols"), rows = matrix.number("rows");
  auto xValues = addressFor(cols, given.x, matrix, xMade);
  auto yValues = addressFor(rows, given.y, matrix, yMade);
  if (!xValues || !yValues)
    return llvm::joinErrors(xValues.takeError(), yValues.takeError());
  if (llvm::Error error = makeVector(cols, *xValues, x))
    return error;
  if (llvm::Error error = makeVector(rows, *yValues, y))
    return error;
  return routine.experimental ? makeExperimental(given.stream) : makeWorkspace(given.stream);
}

CusparseCall::CusparseCall(std::unique_ptr<State> state) : state_(std::move(state)) {}
CusparseCall::CusparseCall(CusparseCall &&other) noexcept = default;
CusparseCall &CusparseCall::operator=(CusparseCall &&other) noexcept = default;
CusparseCall::~CusparseCall() = default;

llvm::Expected<CusparseCall> CusparseCall::prepare(std::shared_ptr<const GpuDevice> gpu,
                                                   const std::string &routine, const Layout &layout,
                                                   const ArrayFinder &arrays, ValueType type,
                                                   const CusparseGiven &given) {
  auto found = findRoutine(routine);
  if (!found)
    return found.takeError();
  auto library = CusparseLibrary::get();
  if (!library)
    return library.takeError();
  if (llvm::Error error = (*found)->isIn(**library))
    return error;
  std::unique_ptr<State> state(new State{**library, **found, std::move(gpu), type});
  if (llvm::Error error = state->setUp({layout, arrays, dataTypeOf(type)}, given)) {
    // The preparation may have started, and uses what is freed now.
    return llvm::joinErrors(std::move(error), state->gpu->synchronize(given.stream));
  }
  return CusparseCall(std::move(state));
}

llvm::Error CusparseCall::run(double alpha, DevicePointer x, double beta, DevicePointer y,
                              StreamHandle stream) const {
  const State &s = *state_;
  const CusparseOperands o = s.operands();
  const GpuDevice::Current current(*s.gpu);
  if (llvm::Error error = current.check())
    return error;
  const std::pair<cusparseStatus_t, const char *> settings[] = {
      {s.library.cusparseSetStream(o.handle, static_cast<cudaStream_t>(stream)),
       "cusparseSetStream"},
      {s.library.cusparseDnVecSetValues(o.x, addressOf(x)), "cusparseDnVecSetValues"},
      {s.library.cusparseDnVecSetValues(o.y, addressOf(y)), "cusparseDnVecSetValues"}};
  for (const auto &[status, call] : settings)
    if (llvm::Error error = s.library.check(status, call))
      return error;
  if (s.experimental)
    return s.experimental->run(s.library, o, CusparseFactor(alpha, o.type).pointer(),
                               CusparseFactor(beta, o.type).pointer());
  llvm::Error error =
      s.library.check(s.call(s.library.cusparseSpMV, alpha, beta, addressOf(s.workspace.pointer())),
                      "cusparseSpMV");
  return error ? causeOf(*s.gpu, std::move(error)) : std::move(error);
}

size_t CusparseCall::workspaceBytes() const {
  return state_->experimental ? state_->experimental->workspaceBytes() : state_->workspace.bytes();
}

void CusparseCall::freeOn(StreamHandle stream) {
  State &s = *state_;
  s.workspace.freeOn(stream);
  if (!s.experimental)
    return;
  llvm::consumeError(s.gpu->synchronize(stream)); // waiting for a product reports the error
  DeviceBuffer ofProduct = s.experimental->takeWorkspace();
  s.experimental.reset();
  ofProduct.freeOn(stream);
}

llvm::Error CusparseCall::valuesChanged(StreamHandle stream) const {
  if (!state_->routine.experimental)
    return llvm::Error::success();
  // The new values must be there, and earlier products must be over, since they use what is
  // replaced.
  if (llvm::Error error = state_->gpu->synchronize(stream))
    return error;
  const GpuDevice::Current current(*state_->gpu);
  if (llvm::Error error = current.check())
    return error;
  if (llvm::Error error = state_->makeExperimental(stream))
    return error;
  return state_->gpu->synchronize(stream);
}

} // namespace specmv
