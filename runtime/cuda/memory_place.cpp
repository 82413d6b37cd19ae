// Asks the driver where memory is.
#include "runtime/cuda/memory_place.h"

#include "runtime/cuda/driver.h"

#include <iterator>

namespace specmv {

MemoryPlace placeOf(const void *pointer) {
  auto found = Driver::get();
  if (!found) {
    llvm::consumeError(found.takeError());
    return {};
  }
  unsigned type = 0, isManaged = 0;
  int device = 0;
  CUpointer_attribute what[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                CU_POINTER_ATTRIBUTE_IS_MANAGED};
  void *out[] = {&type, &device, &isManaged};
  const CUresult result = (*found)->cuPointerGetAttributes(std::size(what), what, out,
                                                           reinterpret_cast<CUdeviceptr>(pointer));
  if (result != CUDA_SUCCESS || type != CU_MEMORYTYPE_DEVICE)
    return {};
  return {.isOnGpu = true, .device = device, .isManaged = isManaged != 0};
}

llvm::Error wantOnSameGpu(const GpuDevice &gpu, const MemoryPlace &place, const char *name) {
  const int own = gpu.info().ordinal;
  if (!place.isOnGpu || place.isManaged || place.device == own)
    return llvm::Error::success();
  return fail(Status::badCall,
              "{0} is in the memory of GPU {1}, but the plan runs on GPU {2}; copy it there, or if "
              "peer access is enabled, promise it with vectorsOnGpu",
              name, place.device, own);
}

} // namespace specmv
