// Returns handles of cuSPARSE to their GPU for reuse, and finds the causes of its errors. Only for
// the files of this folder.
#pragma once

#include "runtime/cuda/device.h"
#include "runtime/cuda/handle.h"
#include "runtime/cusparse/library.h"

namespace specmv {

struct CusparseHandle {
  CusparseHandle(std::shared_ptr<const GpuDevice> usedOn, std::shared_ptr<void> taken)
      : gpu(std::move(usedOn)), handle(std::move(taken)) {}
  CusparseHandle(const CusparseHandle &) = delete;
  CusparseHandle &operator=(const CusparseHandle &) = delete;
  // All work with the handle is over. A handle keeps its stream, which the caller may destroy
  // earlier, so the stream is reset; if that fails, the handle is released.
  ~CusparseHandle() {
    auto library = CusparseLibrary::get();
    if (!library) {
      llvm::consumeError(library.takeError());
      return;
    }
    const GpuDevice::Current current(*gpu);
    if (current.isCurrent() &&
        (*library)->cusparseSetStream(get(), nullptr) == CUSPARSE_STATUS_SUCCESS)
      gpu->libraryHandles().put(std::move(handle));
  }

  cusparseHandle_t get() const { return static_cast<cusparseHandle_t>(handle.get()); }

  std::shared_ptr<const GpuDevice> gpu;
  std::shared_ptr<void> handle; // destroyed by the GPU's shelf, or together with it
};

// Replaces the error by the driver's, if there is one: cuSPARSE says only that the GPU failed.
llvm::Error causeOf(const GpuDevice &gpu, llvm::Error error);

} // namespace specmv
