// Reserves addresses, makes memory for them, and maps it there.
#include "runtime/cuda/mapped_memory.h"

#include "models/base/rounding.h"

namespace specmv {

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
