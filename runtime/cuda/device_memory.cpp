// Asks the driver where memory is, maps it, and calls the program's functions for it.
#include "models/base/numbers.h"
#include "models/base/own_environment.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/memory_pool.h"

#include <iterator>

namespace specmv {

// --- Memory place --------------------------------------------------------------------------------

// Asks the driver where memory is.

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

// --- Memory source -------------------------------------------------------------------------------

// Calls the program's functions for device memory, and checks their results.

// The alignment of the driver's own allocations, on which kernels rely when they read several
// values at a time and when arrays share an allocation (derived: CUDA's guarantee for cuMemAlloc).
constexpr DevicePointer kAlignmentOfMemory = 256;

llvm::Expected<DevicePointer> allocateFrom(const MemorySource &source, const GpuDevice &gpu,
                                           size_t bytes, StreamHandle stream) {
  const GpuDevice::Current current(gpu);
  if (llvm::Error error = current.check())
    return error;
  void *const given = [&] {
    const ApplicationsEnvironment theirs;
    return source.allocate(source.user, bytes, stream);
  }();
  if (!given)
    return fail(Status::gpuMemory,
                "the context's allocator returned null for {0} bytes on {1}; let it allocate more, "
                "or set maxBytes",
                bytes, gpu.info().name);
  const auto at = reinterpret_cast<DevicePointer>(given);
  if (at % kAlignmentOfMemory == 0)
    return at;
  giveBackTo(source, {at, bytes}, stream);
  return fail(Status::badCall,
              "the context's allocator returned {0:x} for {1} bytes; its addresses must be "
              "multiples of {2}, as those of cudaMalloc() are",
              at, bytes, kAlignmentOfMemory);
}

void giveBackTo(const MemorySource &source, DeviceMemory memory, StreamHandle stream) noexcept {
  try {
    const ApplicationsEnvironment theirs;
    source.deallocate(source.user, reinterpret_cast<void *>(memory.at), memory.bytes, stream);
  } catch (...) { // NOLINT: exceptions are swallowed
  }
}

// --- Mapped memory -------------------------------------------------------------------------------

// Reserves addresses, makes memory for them, and maps it there.

// The granularity of the driver's device memory; 2 MiB on all GPUs of the supported architectures.
constexpr size_t kGranularity = size_t{2} << 20;

static CUmemAllocationProp propertiesOf(CUdevice device) {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED; // on the device; the only type there is
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return properties;
}

bool MemoryMapper::isSupported(CUdevice device) {
  const Driver &d = driver();
  if (!d.cuMemAddressReserve || !d.cuMemAddressFree || !d.cuMemCreate || !d.cuMemRelease ||
      !d.cuMemMap || !d.cuMemUnmap || !d.cuMemSetAccess || !d.cuMemGetAllocationGranularity)
    return false;
  int supported = 0;
  if (d.cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                             device) != CUDA_SUCCESS ||
      !supported)
    return false;
  size_t granularity = 0;
  const CUmemAllocationProp properties = propertiesOf(device);
  return d.cuMemGetAllocationGranularity(&granularity, &properties,
                                         CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) == CUDA_SUCCESS &&
         granularity > 0 && kGranularity % granularity == 0;
}

// Releases the handle at once: the memory then lives until it is unmapped.
static CUresult mapAt(const Driver &d, CUdevice device, DeviceMemory memory, const char *&failed) {
  const CUmemAllocationProp properties = propertiesOf(device);
  CUmemGenericAllocationHandle made = 0;
  failed = "cuMemCreate";
  if (const CUresult result = d.cuMemCreate(&made, memory.bytes, &properties, 0))
    return result;
  failed = "cuMemMap";
  const CUresult mapped = d.cuMemMap(memory.at, memory.bytes, 0, made, 0);
  d.cuMemRelease(made);
  if (mapped != CUDA_SUCCESS)
    return mapped;
  const CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  failed = "cuMemSetAccess";
  const CUresult result = d.cuMemSetAccess(memory.at, memory.bytes, &access, 1);
  if (result != CUDA_SUCCESS)
    d.cuMemUnmap(memory.at, memory.bytes);
  return result;
}

CUresult MemoryMapper::map(size_t bytes, DeviceMemory &out, const char *&failed) const {
  const Driver &d = driver();
  CUdeviceptr at = 0;
  const auto whole =
      static_cast<size_t>(roundUp(static_cast<int64_t>(bytes), int64_t{kGranularity}));
  failed = "cuMemAddressReserve";
  if (const CUresult result = d.cuMemAddressReserve(&at, whole, 0, 0, 0))
    return result;
  out = {at, whole};
  const CUresult result = mapAt(d, device_, out, failed);
  if (result != CUDA_SUCCESS)
    d.cuMemAddressFree(at, whole);
  return result;
}

void MemoryMapper::unmap(DeviceMemory memory) {
  const Driver &d = driver();
  d.cuMemUnmap(memory.at, memory.bytes);
  d.cuMemAddressFree(memory.at, memory.bytes);
}

} // namespace specmv
