// The handle of cuSPARSE, which goes back to its GPU for the next that needs one. Only for the
// files of this folder.
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
  // The next may work on another stream, and the caller's may end before the handle does.
  ~CusparseHandle() {
    gpu->waitForAll();
    if (auto library = CusparseLibrary::get())
      (*library)->cusparseSetStream(get(), nullptr);
    else
      llvm::consumeError(library.takeError());
    gpu->libraryHandles().put(std::move(handle));
  }

  cusparseHandle_t get() const { return static_cast<cusparseHandle_t>(handle.get()); }

  std::shared_ptr<const GpuDevice> gpu;
  std::shared_ptr<void> handle; // destroyed by the GPU's shelf, or with it
};

} // namespace specmv
