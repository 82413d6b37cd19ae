// Makes the pool, allocates from it or, where there is none, from the driver, and frees.
#include "runtime/cuda/memory_pool.h"

#include <algorithm>

namespace specmv {

// Memory that is free in the pool and stays mapped: to map it again takes longer than to fill it
// (an H200: 1.5 us a megabyte), six products of a matrix beyond L2. A part of the GPU's memory, so
// that others hardly miss it; a smaller one while nothing is allocated, when there is no plan.
constexpr cuuint64_t kKeptAtLeast = cuuint64_t{256} << 20, kKeptPart = 64;
constexpr cuuint64_t kKeptAloneAtLeast = cuuint64_t{64} << 20, kKeptAlonePart = 256;

// Null if there is no pool, for whatever reason: there is memory without one.
static CUmemoryPool makePool(const Driver &d, CUdevice device) {
  int supported = 0;
  if (!d.cuMemPoolCreate || !d.cuMemPoolDestroy || !d.cuMemPoolSetAttribute ||
      !d.cuMemAllocFromPoolAsync || !d.cuMemFreeAsync ||
      d.cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, device) !=
          CUDA_SUCCESS ||
      !supported)
    return nullptr;
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED; // on the device; the only type there is
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  CUmemoryPool pool = nullptr;
  return d.cuMemPoolCreate(&pool, &properties) == CUDA_SUCCESS ? pool : nullptr;
}

MemoryPool::MemoryPool(const GpuDevice &gpu, CUdevice device) {
  const Driver &d = driver();
  const GpuDevice::Current current(gpu);
  CUstream stream = nullptr;
  if (!current.isCurrent() || d.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
    return; // the next call in the context reports it
  stream_ = {stream, {&gpu, d.cuStreamDestroy}};
  pool_ = {makePool(d, device), {&gpu, d.cuMemPoolDestroy}};
  size_t all = 0;
  if (d.cuDeviceTotalMem(&all, device) == CUDA_SUCCESS)
    deviceBytes_ = all;
}

// If this fails, no memory is kept, which costs only time.
void MemoryPool::keepFree(cuuint64_t bytes) const {
  driver().cuMemPoolSetAttribute(pool_.get(), CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes);
}

// Threads that pass each other here leave the wrong threshold at worst, until the next allocation.
void MemoryPool::count(int64_t bytes) const {
  if (!pool_)
    return;
  const int64_t before = bytes_.fetch_add(bytes);
  if (before == 0)
    keepFree(std::max(kKeptAtLeast, deviceBytes_ / kKeptPart));
  else if (before + bytes == 0)
    keepFree(std::max(kKeptAloneAtLeast, deviceBytes_ / kKeptAlonePart));
}

// Full memory is told with its numbers, another error as the driver tells it.
static llvm::Error failedAllocation(const GpuDevice &gpu, size_t bytes, CUresult result,
                                    llvm::Error error) {
  if (result != CUDA_ERROR_OUT_OF_MEMORY)
    return error;
  llvm::consumeError(std::move(error));
  return fail(Status::missing, "{0} does not have enough free memory to allocate {1} bytes",
              gpu.info().name, bytes);
}

llvm::Expected<DevicePointer> MemoryPool::allocate(const GpuDevice &gpu, size_t bytes,
                                                   StreamHandle stream) const {
  if (gpu.memorySource())
    return allocateFrom(gpu.memorySource(), gpu, bytes, stream);
  DevicePointer pointer = 0;
  CUresult result = CUDA_SUCCESS;
  const char *call = pool_ ? "cuMemAllocFromPoolAsync" : "cuMemAlloc";
  if (llvm::Error error = callIn(gpu, call, [&](const Driver &d) {
        CUdeviceptr made = 0;
        result = pool_ ? d.cuMemAllocFromPoolAsync(&made, bytes, pool_.get(),
                                                   static_cast<CUstream>(stream))
                       : d.cuMemAlloc(&made, bytes);
        pointer = made;
        if (result == CUDA_SUCCESS)
          count(static_cast<int64_t>(bytes));
        return result;
      }))
    return failedAllocation(gpu, bytes, result, std::move(error));
  return pointer;
}

llvm::Expected<DevicePointer> MemoryPool::allocate(const GpuDevice &gpu, size_t bytes) const {
  auto pointer = allocate(gpu, bytes, stream_.get());
  if (!pointer || !(pool_ || gpu.memorySource()))
    return pointer;
  if (llvm::Error error = gpu.synchronize(stream_.get())) {
    const GpuDevice::Current current(gpu);
    release(gpu, {*pointer, bytes});
    return error;
  }
  return pointer;
}

void MemoryPool::release(const GpuDevice &gpu, DeviceMemory memory, StreamHandle stream) const {
  const Driver &d = driver();
  if (gpu.memorySource()) {
    giveBackTo(gpu.memorySource(), memory, stream);
    return;
  }
  pool_ ? d.cuMemFreeAsync(memory.at, static_cast<CUstream>(stream)) : d.cuMemFree(memory.at);
  count(-static_cast<int64_t>(memory.bytes));
}

void MemoryPool::release(const GpuDevice &gpu, DeviceMemory memory) const {
  release(gpu, memory, stream_.get());
}

static int64_t readUse(const Driver &d, CUmemoryPool pool, CUmemPool_attribute what) {
  cuuint64_t bytes = 0;
  return d.cuMemPoolGetAttribute(pool, what, &bytes) == CUDA_SUCCESS ? static_cast<int64_t>(bytes)
                                                                     : 0;
}

MemoryUse MemoryPool::takeUse() const {
  const Driver &d = driver();
  if (!pool_ || !d.cuMemPoolGetAttribute)
    return {};
  const MemoryUse use{.now = readUse(d, pool_.get(), CU_MEMPOOL_ATTR_USED_MEM_CURRENT),
                      .most = readUse(d, pool_.get(), CU_MEMPOOL_ATTR_USED_MEM_HIGH)};
  cuuint64_t none = 0; // the only value that may be set: the most is then what is in use
  d.cuMemPoolSetAttribute(pool_.get(), CU_MEMPOOL_ATTR_USED_MEM_HIGH, &none);
  return use;
}

void MemoryPool::trim() const {
  const Driver &d = driver();
  if (!pool_ || !d.cuMemPoolTrimTo)
    return;
  d.cuStreamSynchronize(stream_.get()); // memory is given back when what freed it is done
  d.cuMemPoolTrimTo(pool_.get(), 0);
}

} // namespace specmv
