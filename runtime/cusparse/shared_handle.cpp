// Makes a handle of cuSPARSE, or reuses one that its GPU keeps.
#include "runtime/cusparse/shared_handle.h"

#include "runtime/cuda/streams.h"
#include "runtime/cusparse/cusparse.h"

namespace specmv {

llvm::Error causeOf(const GpuDevice &gpu, llvm::Error error) {
  auto stream = gpu.workStream(); // the next call on any stream reports the error
  llvm::Error cause = stream ? gpu.synchronize(stream->get()) : stream.takeError();
  if (!cause)
    return error;
  llvm::consumeError(std::move(error));
  return cause;
}

static llvm::Expected<std::shared_ptr<void>> createHandle(const CusparseLibrary &library,
                                                          const GpuDevice &gpu) {
  cusparseHandle_t made = nullptr;
  if (llvm::Error error = library.check(library.cusparseCreate(&made), "cusparseCreate"))
    return causeOf(gpu, std::move(error));
  using Destroy = OwnedBy<cusparseStatus_t (*)(cusparseHandle_t)>;
  const Destroy destroy{&gpu, library.cusparseDestroy};
  std::shared_ptr<void> out(
      made, [destroy](void *handle) { destroy(static_cast<cusparseHandle_t>(handle)); });
  if (llvm::Error error =
          library.check(library.cusparseSetPointerMode(made, CUSPARSE_POINTER_MODE_HOST),
                        "cusparseSetPointerMode"))
    return error;
  return out;
}

llvm::Expected<std::shared_ptr<const CusparseHandle>>
makeCusparseHandle(std::shared_ptr<const GpuDevice> gpu) {
  auto library = CusparseLibrary::get();
  if (!library)
    return library.takeError();
  const GpuDevice::Current current(*gpu);
  if (llvm::Error error = current.check())
    return error;
  std::shared_ptr<void> handle = gpu->libraryHandles().take();
  if (!handle) {
    auto made = createHandle(**library, gpu->owner()); // the owner keeps it longer
    if (!made)
      return made.takeError();
    handle = std::move(*made);
  }
  return std::make_shared<CusparseHandle>(std::move(gpu), std::move(handle));
}

} // namespace specmv
