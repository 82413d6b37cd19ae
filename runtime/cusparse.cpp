// Multiplies with cuSPARSE: one matrix descriptor and one workspace a product, since a descriptor
// remembers the workspace that it was preprocessed with.
#include "runtime/cusparse.h"

#include "runtime/cusparse_library.h"
#include "runtime/stopwatch.h"

#include <tuple>
#include <utility>

namespace specmv {

namespace {

cudaDataType dataTypeOf(ValueType type) { return type == ValueType::f32 ? CUDA_R_32F : CUDA_R_64F; }

cusparseIndexType_t indexTypeOf(IndexType type) {
  return type == IndexType::i32 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
}

void *addressOf(DevicePointer pointer) { return reinterpret_cast<void *>(pointer); }
void *addressOf(const DeviceBuffer &buffer) { return addressOf(buffer.pointer()); }

// A factor as cuSPARSE reads it: on the host, in the type of the computation.
class Factor {
public:
  Factor(double value, ValueType type)
      : f32_(static_cast<float>(value)), f64_(value), type_(type) {}
  const void *pointer() const {
    return type_ == ValueType::f32 ? static_cast<const void *>(&f32_) : &f64_;
  }

private:
  float f32_;
  double f64_;
  ValueType type_;
};

llvm::Expected<std::shared_ptr<void>> makeHandle(const CusparseLibrary &library,
                                                 std::shared_ptr<const GpuDevice> gpu) {
  GpuDevice::Current current(*gpu);
  cusparseHandle_t handle = nullptr;
  if (llvm::Error error = library.check(library.cusparseCreate(&handle), "cusparseCreate"))
    return error;
  std::shared_ptr<void> owned(handle, [&library, gpu = std::move(gpu)](cusparseHandle_t made) {
    GpuDevice::Current current(*gpu);
    library.cusparseDestroy(made);
  });
  if (llvm::Error error =
          library.check(library.cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST),
                        "cusparseSetPointerMode"))
    return error;
  return owned;
}

} // namespace

llvm::Expected<std::shared_ptr<const CusparseMatrix>>
CusparseMatrix::upload(std::shared_ptr<const GpuDevice> gpu, const CsrView &a) {
  if (!a.val && a.nnz > 0)
    return fail(Status::badCall, "the matrix of {0} entries has no values", a.nnz);
  auto library = CusparseLibrary::get();
  if (!library)
    return library.takeError();
  auto handle = makeHandle(**library, gpu);
  if (!handle)
    return handle.takeError();
  auto matrix = std::make_shared<CusparseMatrix>();
  matrix->gpu = std::move(gpu);
  matrix->host = a;
  matrix->handle = std::move(*handle);
  const size_t index = sizeOf(a.indexType), value = sizeOf(a.valueType);
  const auto rows = static_cast<size_t>(a.rows), nnz = static_cast<size_t>(a.nnz);
  const std::tuple<DeviceBuffer *, const void *, size_t> arrays[] = {
      {&matrix->rowPtr, a.rowPtr, (rows + 1) * index},
      {&matrix->col, a.col, nnz * index},
      {&matrix->val, a.val, nnz * value}};
  for (const auto &[buffer, from, bytes] : arrays) {
    auto uploaded = matrix->gpu->uploaded(from, bytes);
    if (!uploaded)
      return uploaded.takeError();
    *buffer = std::move(*uploaded);
  }
  return std::shared_ptr<const CusparseMatrix>(std::move(matrix));
}

struct CusparseProduct::State {
  State(const CusparseLibrary &library, std::shared_ptr<const CusparseMatrix> matrix,
        const CusparseAlgorithm &algorithm)
      : library(library), matrix(std::move(matrix)), algorithm(algorithm) {}
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State();

  llvm::Error setUp(DevicePointer xPointer, DevicePointer yPointer);
  llvm::Error describeCsr();
  llvm::Error describeCoo();
  llvm::Error describeSlicedEll();
  llvm::Error describeVectors(DevicePointer xPointer, DevicePointer yPointer);
  llvm::Error makeWorkspace();
  llvm::Error preprocess() const;
  llvm::Expected<DeviceBuffer> own(llvm::Expected<DeviceBuffer> buffer) const;
  template <class T> llvm::Error add(const std::vector<T> &array);
  template <class F, class Last>
  cusparseStatus_t call(F function, double alpha, double beta, Last last) const;
  cusparseHandle_t handle() const { return static_cast<cusparseHandle_t>(matrix->handle.get()); }

  const CusparseLibrary &library;
  std::shared_ptr<const CusparseMatrix> matrix;
  CusparseAlgorithm algorithm;
  cusparseConstSpMatDescr_t a = nullptr;
  cusparseConstDnVecDescr_t x = nullptr;
  cusparseDnVecDescr_t y = nullptr;
  std::vector<DeviceBuffer> arrays; // beyond those of CSR, in the order that they were added
  DeviceBuffer workspace;
  double setupMs = 0;
};

CusparseProduct::State::~State() {
  GpuDevice::Current current(*matrix->gpu);
  if (a)
    library.cusparseDestroySpMat(a);
  if (x)
    library.cusparseDestroyDnVec(x);
  if (y)
    library.cusparseDestroyDnVec(y);
}

// Calls cusparseSpMV or a function that prepares it: they differ in their last argument only.
template <class F, class Last>
cusparseStatus_t CusparseProduct::State::call(F function, double alpha, double beta,
                                              Last last) const {
  const ValueType type = matrix->host.valueType;
  const Factor alphaFactor(alpha, type), betaFactor(beta, type);
  return function(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, alphaFactor.pointer(), a, x,
                  betaFactor.pointer(), y, dataTypeOf(type),
                  static_cast<cusparseSpMVAlg_t>(algorithm.number), last);
}

// Device memory that this algorithm alone needs. Where there is no room the algorithm does not fit
// the matrix, which others may.
llvm::Expected<DeviceBuffer>
CusparseProduct::State::own(llvm::Expected<DeviceBuffer> buffer) const {
  if (buffer)
    return buffer;
  const auto [status, sentence] = describe(buffer.takeError());
  return failWith(status == Status::missing ? Status::notApplicable : status,
                  std::string(algorithm.name) + ": " + sentence);
}

template <class T> llvm::Error CusparseProduct::State::add(const std::vector<T> &array) {
  auto buffer = own(matrix->gpu->uploaded(array.data(), array.size() * sizeof(T)));
  if (!buffer)
    return buffer.takeError();
  arrays.push_back(std::move(*buffer));
  return llvm::Error::success();
}

llvm::Error CusparseProduct::State::describeCsr() {
  const CsrView &host = matrix->host;
  const cusparseIndexType_t index = indexTypeOf(host.indexType);
  return library.check(
      library.cusparseCreateConstCsr(&a, host.rows, host.cols, host.nnz, addressOf(matrix->rowPtr),
                                     addressOf(matrix->col), addressOf(matrix->val), index, index,
                                     CUSPARSE_INDEX_BASE_ZERO, dataTypeOf(host.valueType)),
      "cusparseCreateConstCsr");
}

llvm::Error CusparseProduct::State::describeCoo() {
  const CsrView &host = matrix->host;
  if (llvm::Error error =
          visitPattern(host, [&](const auto &pattern) { return add(rowOfEachEntry(pattern)); }))
    return error;
  return library.check(
      library.cusparseCreateConstCoo(&a, host.rows, host.cols, host.nnz, addressOf(arrays[0]),
                                     addressOf(matrix->col), addressOf(matrix->val),
                                     indexTypeOf(host.indexType), CUSPARSE_INDEX_BASE_ZERO,
                                     dataTypeOf(host.valueType)),
      "cusparseCreateConstCoo");
}

llvm::Error CusparseProduct::State::describeSlicedEll() {
  if (llvm::Error error = library.checkHas(library.cusparseCreateConstSlicedEll != nullptr,
                                           "cusparseCreateConstSlicedEll"))
    return error;
  const CsrView &host = matrix->host;
  int64_t stored = 0;
  const auto pack = [&](const auto &pattern, const auto *val) -> llvm::Error {
    const auto packed = packSlicedEll(pattern, val, kCusparseSlice);
    stored = static_cast<int64_t>(packed.col.size());
    if (llvm::Error error = add(packed.sliceOffsets))
      return error;
    if (llvm::Error error = add(packed.col))
      return error;
    return add(packed.val);
  };
  if (llvm::Error error = visitPattern(host, [&](const auto &pattern) {
        return visitValues(host, [&](const auto *val) { return pack(pattern, val); });
      }))
    return error;
  const cusparseIndexType_t index = indexTypeOf(host.indexType);
  return library.check(library.cusparseCreateConstSlicedEll(
                           &a, host.rows, host.cols, host.nnz, stored, kCusparseSlice,
                           addressOf(arrays[0]), addressOf(arrays[1]), addressOf(arrays[2]), index,
                           index, CUSPARSE_INDEX_BASE_ZERO, dataTypeOf(host.valueType)),
                       "cusparseCreateConstSlicedEll");
}

llvm::Error CusparseProduct::State::describeVectors(DevicePointer xPointer,
                                                    DevicePointer yPointer) {
  const CsrView &host = matrix->host;
  const cudaDataType type = dataTypeOf(host.valueType);
  if (llvm::Error error =
          library.check(library.cusparseCreateConstDnVec(&x, host.cols, addressOf(xPointer), type),
                        "cusparseCreateConstDnVec"))
    return error;
  return library.check(library.cusparseCreateDnVec(&y, host.rows, addressOf(yPointer), type),
                       "cusparseCreateDnVec");
}

llvm::Error CusparseProduct::State::makeWorkspace() {
  size_t bytes = 0;
  if (llvm::Error error = library.check(call(library.cusparseSpMV_bufferSize, 1, 0, &bytes),
                                        "cusparseSpMV_bufferSize"))
    return error;
  auto buffer = own(matrix->gpu->allocate(bytes));
  if (!buffer)
    return buffer.takeError();
  workspace = std::move(*buffer);
  return llvm::Error::success();
}

llvm::Error CusparseProduct::State::preprocess() const {
  if (!algorithm.preprocess)
    return llvm::Error::success();
  if (llvm::Error error =
          library.checkHas(library.cusparseSpMV_preprocess != nullptr, "cusparseSpMV_preprocess"))
    return error;
  return library.check(call(library.cusparseSpMV_preprocess, 1, 0, addressOf(workspace)),
                       "cusparseSpMV_preprocess");
}

llvm::Error CusparseProduct::State::setUp(DevicePointer xPointer, DevicePointer yPointer) {
  // In the order of CusparseFormat.
  static constexpr llvm::Error (State::*kDescribe[])() = {&State::describeCsr, &State::describeCoo,
                                                          &State::describeSlicedEll};
  GpuDevice::Current current(*matrix->gpu);
  // The handle is still on the stream of the last product, which may be gone.
  if (llvm::Error error =
          library.check(library.cusparseSetStream(handle(), nullptr), "cusparseSetStream"))
    return error;
  if (llvm::Error error = (this->*kDescribe[static_cast<size_t>(algorithm.format)])())
    return error;
  if (llvm::Error error = describeVectors(xPointer, yPointer))
    return error;
  if (llvm::Error error = makeWorkspace())
    return error;
  if (llvm::Error error = preprocess())
    return error;
  return matrix->gpu->synchronize(nullptr);
}

CusparseProduct::CusparseProduct(std::unique_ptr<State> state) : state_(std::move(state)) {}
CusparseProduct::CusparseProduct(CusparseProduct &&other) noexcept = default;
CusparseProduct &CusparseProduct::operator=(CusparseProduct &&other) noexcept = default;
CusparseProduct::~CusparseProduct() = default;

llvm::Expected<CusparseProduct>
CusparseProduct::prepare(std::shared_ptr<const CusparseMatrix> matrix,
                         const CusparseAlgorithm &algorithm, DevicePointer x, DevicePointer y) {
  auto library = CusparseLibrary::get();
  if (!library)
    return library.takeError();
  if (llvm::Error error = cusparseApplies(matrix->host, algorithm, matrix->gpu->info().memoryBytes))
    return error;
  auto state = std::make_unique<State>(**library, std::move(matrix), algorithm);
  if (llvm::Error error = timed(state->setupMs, [&] { return state->setUp(x, y); }))
    return error;
  return CusparseProduct(std::move(state));
}

llvm::Error CusparseProduct::run(double alpha, double beta, StreamHandle stream) const {
  const State &s = *state_;
  GpuDevice::Current current(*s.matrix->gpu);
  if (llvm::Error error = s.library.check(
          s.library.cusparseSetStream(s.handle(), static_cast<cudaStream_t>(stream)),
          "cusparseSetStream"))
    return error;
  return s.library.check(s.call(s.library.cusparseSpMV, alpha, beta, addressOf(s.workspace)),
                         "cusparseSpMV");
}

double CusparseProduct::setupMs() const { return state_->setupMs; }

} // namespace specmv
