// Implements the calls of GpuDevice with the CUDA driver. An error names the driver's call and the
// name and text that CUDA has for its result.
#include "runtime/cuda/device.h"

#include "runtime/cuda/context_life.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/overlap.h"
#include "runtime/cuda/owned.h"
#include "runtime/cuda/streams.h"

#include <utility>

namespace specmv {

// Sets the thread's mode and returns the previous one; -1 if the driver has no such modes, or
// refuses.
static int exchangeCaptureMode(CUstreamCaptureMode mode) {
  const auto exchange = driver().cuThreadExchangeStreamCaptureMode;
  return exchange && exchange(&mode) == CUDA_SUCCESS ? mode : -1;
}

// In most programs the CUDA runtime has already made the context current. Checking for that is much
// cheaper than pushing and popping it.
GpuDevice::Current::Current(const GpuDevice &gpu) {
  result_ = gpu.life_->state();
  if (result_ != CUDA_SUCCESS)
    return;
  CUcontext before = nullptr;
  if (driver().cuCtxGetCurrent(&before) != CUDA_SUCCESS || before != gpu.context()) {
    result_ = driver().cuCtxPushCurrent(static_cast<CUcontext>(gpu.context()));
    isPushed_ = isCurrent();
    if (result_ == CUDA_ERROR_CONTEXT_IS_DESTROYED)
      gpu.life_->end();
  }
  if (isCurrent())
    captureMode_ = exchangeCaptureMode(CU_STREAM_CAPTURE_MODE_RELAXED);
}

GpuDevice::Current::~Current() {
  if (captureMode_ >= 0)
    exchangeCaptureMode(static_cast<CUstreamCaptureMode>(captureMode_));
  CUcontext popped;
  if (isPushed_) // it can only report an earlier error
    driver().cuCtxPopCurrent(&popped);
}

bool GpuDevice::Current::isDestroyed() const { return result_ == CUDA_ERROR_CONTEXT_IS_DESTROYED; }

llvm::Error GpuDevice::Current::check() const {
  return driver().check(static_cast<CUresult>(result_), "cuCtxPushCurrent");
}

llvm::Expected<void *> GpuModule::function(const std::string &name) const {
  if (!loaded_)
    return fail(Status::internal, "the plan launches the kernel '{0}', but has no compiled object",
                name);
  CUfunction function = nullptr;
  if (llvm::Error error = callIn(*loaded_->gpu, "cuModuleGetFunction", [&](const Driver &d) {
        return d.cuModuleGetFunction(&function, static_cast<CUmodule>(loaded_->module.get()),
                                     name.c_str());
      }))
    return error;
  return function;
}

std::shared_ptr<const GpuDevice> GpuDevice::withMemoryOf(const MemorySource &source) const {
  std::shared_ptr<GpuDevice> out(new GpuDevice);
  out->info_ = info_;
  out->address_ = address_;
  out->life_ = life_;
  out->base_ = owner().shared_from_this();
  out->source_ = source;
  out->owned_ = owned_;
  return out;
}

llvm::Expected<DeviceBuffer> GpuDevice::bufferOf(llvm::Expected<DevicePointer> memory,
                                                 size_t bytes) const {
  if (!memory)
    return memory.takeError();
  DeviceBuffer buffer;
  buffer.memory_ = {*memory, {shared_from_this(), bytes}};
  return buffer;
}

llvm::Expected<DeviceBuffer> GpuDevice::allocate(size_t bytes) const {
  return bytes == 0 ? DeviceBuffer() : bufferOf(owned_->memory.allocate(*this, bytes), bytes);
}

llvm::Expected<DeviceBuffer> GpuDevice::allocate(size_t bytes, StreamHandle stream) const {
  return bytes == 0 ? DeviceBuffer()
                    : bufferOf(owned_->memory.allocate(*this, bytes, stream), bytes);
}

void GpuDevice::free(DeviceMemory memory, StreamHandle stream) const {
  const Current current(*this);
  if (current.isCurrent())
    owned_->memory.release(*this, memory, stream);
}

void GpuDevice::free(DeviceMemory memory) const {
  const Current current(*this);
  if (current.isCurrent()) // otherwise the context was destroyed
    owned_->memory.release(*this, memory);
}

llvm::Error GpuDevice::onOwnStream(const std::function<llvm::Error(StreamHandle)> &body) const {
  auto stream = workStream();
  if (!stream)
    return stream.takeError();
  if (llvm::Error error = body(stream->get()))
    return error;
  return synchronize(stream->get());
}

llvm::Error GpuDevice::upload(DevicePointer to, const void *from, size_t bytes) const {
  if (bytes == 0)
    return llvm::Error::success();
  return onOwnStream([&](StreamHandle stream) { return upload(to, from, bytes, stream); });
}

llvm::Error GpuDevice::download(void *to, DevicePointer from, size_t bytes) const {
  if (bytes == 0)
    return llvm::Error::success();
  return onOwnStream([&](StreamHandle stream) {
    llvm::Error error = followDefaultStream(stream);
    return error ? std::move(error) : download(to, from, bytes, stream);
  });
}

llvm::Error GpuDevice::upload(DevicePointer to, const void *from, size_t bytes,
                              StreamHandle stream) const {
  if (bytes == 0)
    return llvm::Error::success();
  return callIn(*this, "cuMemcpyHtoDAsync", [&](const Driver &d) {
    return d.cuMemcpyHtoDAsync(to, from, bytes, static_cast<CUstream>(stream));
  });
}

llvm::Error GpuDevice::download(void *to, DevicePointer from, size_t bytes,
                                StreamHandle stream) const {
  if (bytes == 0)
    return llvm::Error::success();
  return callIn(*this, "cuMemcpyDtoHAsync", [&](const Driver &d) {
    return d.cuMemcpyDtoHAsync(to, from, bytes, static_cast<CUstream>(stream));
  });
}

llvm::Error GpuDevice::copy(DevicePointer to, DevicePointer from, size_t bytes,
                            StreamHandle stream) const {
  if (bytes == 0)
    return llvm::Error::success();
  return callIn(*this, "cuMemcpyDtoDAsync", [&](const Driver &d) {
    return d.cuMemcpyDtoDAsync(to, from, bytes, static_cast<CUstream>(stream));
  });
}

llvm::Error GpuDevice::fill(DevicePointer to, uint8_t byte, size_t bytes,
                            StreamHandle stream) const {
  if (bytes == 0)
    return llvm::Error::success();
  return callIn(*this, "cuMemsetD8Async", [&](const Driver &d) {
    return d.cuMemsetD8Async(to, byte, bytes, static_cast<CUstream>(stream));
  });
}

// Returns the kind of memory; 0 if the driver does not know it. The function for a single attribute
// would raise an error for unknown memory, which tools then show.
static unsigned memoryTypeOf(const Driver &d, const void *pointer) {
  unsigned type = 0;
  CUpointer_attribute what = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
  void *out = &type;
  const CUresult result =
      d.cuPointerGetAttributes(1, &what, &out, reinterpret_cast<CUdeviceptr>(pointer));
  return result == CUDA_SUCCESS ? type : 0;
}

static bool isPageLocked(const void *pointer) {
  return memoryTypeOf(driver(), pointer) == CU_MEMORYTYPE_HOST;
}

llvm::Expected<DeviceBuffer> GpuDevice::uploaded(const void *from, size_t bytes) const {
  auto buffer = allocate(bytes);
  if (!buffer)
    return buffer;
  const bool isStaged = bytes >= Staging::kLeastBytes && !isPageLocked(from);
  if (llvm::Error error = isStaged ? owned_->staging.upload(buffer->pointer(), from, bytes)
                                   : upload(buffer->pointer(), from, bytes))
    return error;
  return buffer;
}

GpuModule GpuDevice::moduleOf(std::shared_ptr<void> loaded) const {
  GpuModule out;
  if (loaded)
    out.loaded_ = std::make_shared<const GpuModule::Loaded>(
        GpuModule::Loaded{shared_from_this(), std::move(loaded)});
  return out;
}

llvm::Expected<GpuModule> GpuDevice::load(const std::vector<char> &cubin,
                                          const Digest &source) const {
  auto module = owned_->modules.load(owner(), cubin, source);
  if (!module)
    return module.takeError();
  return moduleOf(std::move(*module));
}

GpuModule GpuDevice::loaded(const Digest &source) const {
  return moduleOf(owned_->modules.find(source));
}

size_t GpuDevice::loads() const { return owned_->modules.loads(); }

MemoryUse GpuDevice::takeMemoryUse() const {
  const Current current(*this);
  return current.isCurrent() ? owned_->memory.takeUse() : MemoryUse{};
}

int64_t GpuDevice::freeBytes() const {
  size_t free = 0, total = 0;
  const Current current(*this);
  const auto ask = driver().cuMemGetInfo;
  const bool told = ask && current.isCurrent() && ask(&free, &total) == CUDA_SUCCESS;
  return told ? static_cast<int64_t>(free) : info_.memoryBytes;
}

Shelf &GpuDevice::libraryHandles() const { return owned_->libraryHandles; }

const std::shared_ptr<L2Turns> &GpuDevice::l2Turns() const { return owned_->l2Turns; }

void GpuDevice::forget() const {
  owned_->modules.forgetAll();
  owned_->libraryHandles.clear();
  owned_->streams.clear();
  const Current current(*this);
  if (current.isCurrent())
    owned_->memory.trim();
}

// Plans that share a module share its functions, so the limit must not decrease.
static CUresult raiseShared(const Driver &d, CUfunction function, int bytes) {
  constexpr CUfunction_attribute limit = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  int before = 0;
  if (d.cuFuncGetAttribute(&before, limit, function) == CUDA_SUCCESS && before >= bytes)
    return CUDA_SUCCESS;
  return d.cuFuncSetAttribute(function, limit, bytes);
}

llvm::Error GpuDevice::allowShared(void *function, uint32_t bytes) const {
  const std::lock_guard<std::mutex> lock(owned_->sharedLimits);
  bool isTooMuch = false;
  llvm::Error error = callIn(*this, "cuFuncSetAttribute", [&](const Driver &d) {
    const CUresult result =
        raiseShared(d, static_cast<CUfunction>(function), static_cast<int>(bytes));
    isTooMuch = result == CUDA_ERROR_INVALID_VALUE;
    return result;
  });
  if (!isTooMuch)
    return error;
  llvm::consumeError(std::move(error));
  return fail(Status::notApplicable,
              "the kernel needs {0} bytes of dynamic shared memory in addition to its static "
              "arrays, but a block on {1} can have at most {2} bytes in total",
              bytes, info_.name, info_.sharedBytesPerBlock);
}

llvm::Error GpuDevice::synchronize(StreamHandle stream) const {
  return callIn(*this, "cuStreamSynchronize", [&](const Driver &d) {
    return d.cuStreamSynchronize(static_cast<CUstream>(stream));
  });
}

} // namespace specmv
