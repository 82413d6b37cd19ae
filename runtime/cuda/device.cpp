// Turns calls of one GPU into the driver's, each failure into an error with CUDA's own word.
#include "runtime/cuda/device.h"

#include "runtime/cuda/driver.h"
#include "runtime/cuda/toolkit.h"

#include <utility>

namespace specmv {

GpuDevice::Current::Current(const GpuDevice &gpu) {
  pushed_ = driver().cuCtxPushCurrent(static_cast<CUcontext>(gpu.context_)) == CUDA_SUCCESS;
}

GpuDevice::Current::~Current() {
  CUcontext popped;
  if (pushed_)
    driver().cuCtxPopCurrent(&popped);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer &&other) noexcept { *this = std::move(other); }

DeviceBuffer &DeviceBuffer::operator=(DeviceBuffer &&other) noexcept {
  std::swap(gpu_, other.gpu_);
  std::swap(pointer_, other.pointer_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  if (!pointer_)
    return;
  GpuDevice::Current current(*gpu_);
  driver().cuMemFree(pointer_);
}

GpuModule::GpuModule(GpuModule &&other) noexcept { *this = std::move(other); }

GpuModule &GpuModule::operator=(GpuModule &&other) noexcept {
  std::swap(gpu_, other.gpu_);
  std::swap(module_, other.module_);
  return *this;
}

GpuModule::~GpuModule() {
  if (!module_)
    return;
  GpuDevice::Current current(*gpu_);
  driver().cuModuleUnload(static_cast<CUmodule>(module_));
}

llvm::Expected<void *> GpuModule::function(const std::string &name) const {
  if (!module_)
    return fail(Status::internal, "there is no object to take the kernel '{0}' from", name);
  GpuDevice::Current current(*gpu_);
  CUfunction function = nullptr;
  if (llvm::Error error = driver().check(
          driver().cuModuleGetFunction(&function, static_cast<CUmodule>(module_), name.c_str()),
          "cuModuleGetFunction"))
    return error;
  return function;
}

static int attribute(const Driver &d, CUdevice device, CUdevice_attribute what) {
  int value = 0;
  d.cuDeviceGetAttribute(&value, what, device);
  return value;
}

static GpuInfo infoOf(const Driver &d, int ordinal, CUdevice device) {
  GpuInfo info;
  char name[256] = "";
  d.cuDeviceGetName(name, sizeof name, device);
  size_t bytes = 0;
  d.cuDeviceTotalMem(&bytes, device);
  d.cuDriverGetVersion(&info.driverVersion);
  info.ordinal = ordinal;
  info.name = name;
  info.arch = "sm_" +
              std::to_string(attribute(d, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) +
              std::to_string(attribute(d, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  info.sms = attribute(d, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.threadsPerSm = attribute(d, device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  info.l2Bytes = attribute(d, device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  info.memoryBytes = static_cast<int64_t>(bytes);
  info.sharedBytesPerBlock =
      attribute(d, device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  return info;
}

llvm::Expected<std::shared_ptr<const GpuDevice>> GpuDevice::open(int ordinal) {
  auto found = Driver::get();
  if (!found)
    return found.takeError();
  const Driver &d = **found;
  int count = 0;
  if (llvm::Error error = d.check(d.cuDeviceGetCount(&count), "cuDeviceGetCount"))
    return error;
  if (ordinal < 0 || ordinal >= count)
    return fail(Status::missing, "there is no GPU {0}; the driver sees {1}", ordinal, count);
  std::shared_ptr<GpuDevice> gpu(new GpuDevice);
  CUdevice device = 0;
  if (llvm::Error error = d.check(d.cuDeviceGet(&device, ordinal), "cuDeviceGet"))
    return error;
  CUcontext context = nullptr;
  if (llvm::Error error =
          d.check(d.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain"))
    return error;
  gpu->device_ = device;
  gpu->context_ = context;
  gpu->info_ = infoOf(d, ordinal, device);
  return std::shared_ptr<const GpuDevice>(std::move(gpu));
}

GpuDevice::~GpuDevice() {
  if (context_)
    driver().cuDevicePrimaryCtxRelease(device_);
}

llvm::Expected<DeviceBuffer> GpuDevice::allocate(size_t bytes) const {
  DeviceBuffer buffer;
  if (bytes == 0)
    return buffer;
  Current current(*this);
  CUdeviceptr pointer = 0;
  const CUresult result = driver().cuMemAlloc(&pointer, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return fail(Status::missing, "{0} has no room for {1} more bytes", info_.name, bytes);
  if (llvm::Error error = driver().check(result, "cuMemAlloc"))
    return error;
  buffer.gpu_ = shared_from_this();
  buffer.pointer_ = pointer;
  buffer.bytes_ = bytes;
  return buffer;
}

llvm::Error GpuDevice::upload(DevicePointer to, const void *from, size_t bytes) const {
  if (bytes == 0)
    return llvm::Error::success();
  Current current(*this);
  if (llvm::Error error = driver().check(driver().cuMemcpyHtoD(to, from, bytes), "cuMemcpyHtoD"))
    return error;
  // From pageable memory the call returns before the last bytes arrive, and a stream that does not
  // wait for the default one could read what was there before.
  return synchronize(nullptr);
}

llvm::Error GpuDevice::download(void *to, DevicePointer from, size_t bytes) const {
  if (bytes == 0)
    return llvm::Error::success();
  Current current(*this);
  return driver().check(driver().cuMemcpyDtoH(to, from, bytes), "cuMemcpyDtoH");
}

llvm::Error GpuDevice::upload(DevicePointer to, const void *from, size_t bytes,
                              StreamHandle stream) const {
  if (bytes == 0)
    return llvm::Error::success();
  Current current(*this);
  return driver().check(driver().cuMemcpyHtoDAsync(to, from, bytes, static_cast<CUstream>(stream)),
                        "cuMemcpyHtoDAsync");
}

llvm::Error GpuDevice::download(void *to, DevicePointer from, size_t bytes,
                                StreamHandle stream) const {
  if (bytes == 0)
    return llvm::Error::success();
  Current current(*this);
  return driver().check(driver().cuMemcpyDtoHAsync(to, from, bytes, static_cast<CUstream>(stream)),
                        "cuMemcpyDtoHAsync");
}

llvm::Error GpuDevice::copy(DevicePointer to, DevicePointer from, size_t bytes,
                            StreamHandle stream) const {
  if (bytes == 0)
    return llvm::Error::success();
  Current current(*this);
  return driver().check(driver().cuMemcpyDtoDAsync(to, from, bytes, static_cast<CUstream>(stream)),
                        "cuMemcpyDtoDAsync");
}

llvm::Error GpuDevice::fill(DevicePointer to, uint8_t byte, size_t bytes,
                            StreamHandle stream) const {
  if (bytes == 0)
    return llvm::Error::success();
  Current current(*this);
  return driver().check(driver().cuMemsetD8Async(to, byte, bytes, static_cast<CUstream>(stream)),
                        "cuMemsetD8Async");
}

llvm::Expected<DeviceBuffer> GpuDevice::uploaded(const void *from, size_t bytes) const {
  auto buffer = allocate(bytes);
  if (!buffer)
    return buffer;
  if (llvm::Error error = upload(buffer->pointer(), from, bytes))
    return error;
  return buffer;
}

llvm::Expected<GpuModule> GpuDevice::load(const std::vector<char> &cubin) const {
  Current current(*this);
  CUmodule module = nullptr;
  if (llvm::Error error =
          driver().check(driver().cuModuleLoadData(&module, cubin.data()), "cuModuleLoadData"))
    return error;
  GpuModule out;
  out.gpu_ = shared_from_this();
  out.module_ = module;
  return out;
}

llvm::Error GpuDevice::allowShared(void *function, uint32_t bytes) const {
  Current current(*this);
  const CUresult result = driver().cuFuncSetAttribute(
      static_cast<CUfunction>(function), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
      static_cast<int>(bytes));
  if (result == CUDA_ERROR_INVALID_VALUE)
    return fail(Status::notApplicable,
                "the kernel needs {0} bytes of dynamic shared memory beside its static arrays, a "
                "block of {1} has {2} in all",
                bytes, info_.name, info_.sharedBytesPerBlock);
  return driver().check(result, "cuFuncSetAttribute");
}

llvm::Error GpuDevice::launch(void *function, std::array<uint32_t, 3> grid, uint32_t blockThreads,
                              uint32_t sharedBytes, void **arguments, StreamHandle stream) const {
  Current current(*this);
  return driver().check(driver().cuLaunchKernel(static_cast<CUfunction>(function), grid[0], grid[1],
                                                grid[2], blockThreads, 1, 1, sharedBytes,
                                                static_cast<CUstream>(stream), arguments, nullptr),
                        "cuLaunchKernel");
}

void GpuDevice::waitForAll() const {
  Current current(*this);
  driver().cuCtxSynchronize(); // what a product failed with was told to who waited for it
}

llvm::Error GpuDevice::synchronize(StreamHandle stream) const {
  Current current(*this);
  return driver().check(driver().cuStreamSynchronize(static_cast<CUstream>(stream)),
                        "cuStreamSynchronize");
}

// An event of the current context, destroyed with this.
struct Event {
  CUevent event = nullptr;
  Event() { driver().cuEventCreate(&event, CU_EVENT_DEFAULT); }
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;
  ~Event() { driver().cuEventDestroy(event); }
};

llvm::Expected<double> GpuDevice::time(const std::function<llvm::Error()> &body) const {
  Current current(*this);
  Event begin, end;
  driver().cuEventRecord(begin.event, nullptr);
  if (llvm::Error error = body())
    return error;
  driver().cuEventRecord(end.event, nullptr);
  if (llvm::Error error =
          driver().check(driver().cuEventSynchronize(end.event), "cuEventSynchronize"))
    return error;
  float milliseconds = 0;
  if (llvm::Error error = driver().check(
          driver().cuEventElapsedTime(&milliseconds, begin.event, end.event), "cuEventElapsedTime"))
    return error;
  return milliseconds * 1000.0;
}

llvm::Expected<int> gpuCount(std::string &whyNone) {
  auto found = Driver::get();
  if (!found) {
    llvm::Error error = found.takeError();
    if (!error.isA<AbsentError>())
      return error;
    whyNone = describe(std::move(error)).second;
    return 0;
  }
  int count = 0;
  if (llvm::Error error = (*found)->check((*found)->cuDeviceGetCount(&count), "cuDeviceGetCount"))
    return error;
  if (count == 0)
    whyNone = "the CUDA driver sees no GPU";
  return count;
}

bool isDevicePointer(const void *pointer) {
  auto found = Driver::get();
  if (!found) {
    llvm::consumeError(found.takeError());
    return false;
  }
  unsigned type = 0;
  const CUresult result = (*found)->cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                          reinterpret_cast<CUdeviceptr>(pointer));
  return result == CUDA_SUCCESS && type == CU_MEMORYTYPE_DEVICE;
}

} // namespace specmv
