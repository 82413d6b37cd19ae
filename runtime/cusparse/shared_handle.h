// The handle of cuSPARSE, which goes back to its GPU for the next that needs one, and the causes of
// its errors. Only for the files of this folder.
#pragma once

#include "runtime/cuda/device.h"
#include "runtime/cuda/shelf.h"
#include "runtime/cusparse/library.h"

namespace specmv {

struct CusparseHandle {
  CusparseHandle(std::shared_ptr<const GpuDevice> usedOn, std::shared_ptr<void> taken)
      : gpu(std::move(usedOn)), handle(std::move(taken)) {}
  CusparseHandle(const CusparseHandle &) = delete;
  CusparseHandle &operator=(const CusparseHandle &) = delete;
  // All work with it is over. The caller's stream may end before the handle does, so a handle that
  // keeps it is let go.
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
  std::shared_ptr<void> handle; // destroyed by the GPU's shelf, or with it
};

// Replaces the error by the driver's, if it has one: cuSPARSE says only that the GPU failed.
llvm::Error causeOf(const GpuDevice &gpu, llvm::Error error);

} // namespace specmv
