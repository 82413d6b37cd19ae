// One GPU through the CUDA driver API, which is opened at run time: memory, modules, launches and
// timing, each with its error as a value. No CUDA header is needed to use this.
#pragma once

#include "models/base/error.h"
#include "runtime/cuda/handle.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace specmv {

using DevicePointer = uint64_t;
using StreamHandle = void *; // CUstream or cudaStream_t; null is the default stream

struct GpuInfo {
  int ordinal = 0;
  std::string name; // "NVIDIA H200"
  std::string arch; // "sm_90"
  int sms = 0, threadsPerSm = 0;
  int64_t memoryBytes = 0, l2Bytes = 0;
  int64_t sharedBytesPerBlock = 0; // at most, static and dynamic together
  int driverVersion = 0;           // 13000 is 13.0
};

class DeviceBuffer;
class GpuModule;

// A device and its primary context, shared with the runtime API of the host program. Every method
// makes that context current for its own duration only. Thread-safe.
class GpuDevice : public std::enable_shared_from_this<GpuDevice> {
public:
  // Status::missing where there is no driver, no GPU or no such ordinal.
  static llvm::Expected<std::shared_ptr<const GpuDevice>> open(int ordinal);

  const GpuInfo &info() const { return info_; }
  // The CUcontext, for libraries that take it as an argument.
  void *context() const { return context_.get(); }

  // bytes = 0 gives an empty buffer. Status::missing where memory runs out.
  llvm::Expected<DeviceBuffer> allocate(size_t bytes) const;
  llvm::Error upload(DevicePointer to, const void *from, size_t bytes) const;
  llvm::Error download(void *to, DevicePointer from, size_t bytes) const;
  // In order on the stream; from or to memory that is not pinned they may wait for it.
  llvm::Error upload(DevicePointer to, const void *from, size_t bytes, StreamHandle stream) const;
  llvm::Error download(void *to, DevicePointer from, size_t bytes, StreamHandle stream) const;
  llvm::Error copy(DevicePointer to, DevicePointer from, size_t bytes, StreamHandle stream) const;
  // Sets every byte; in order on the stream.
  llvm::Error fill(DevicePointer to, uint8_t byte, size_t bytes, StreamHandle stream) const;
  llvm::Expected<DeviceBuffer> uploaded(const void *from, size_t bytes) const;

  llvm::Expected<GpuModule> load(const std::vector<char> &cubin) const;
  // Lets launches of the function have so many bytes of dynamic shared memory.
  // Status::notApplicable where a block has less.
  llvm::Error allowShared(void *function, uint32_t bytes) const;
  llvm::Error launch(void *function, std::array<uint32_t, 3> grid, uint32_t blockThreads,
                     uint32_t sharedBytes, void **arguments, StreamHandle stream) const;
  llvm::Error synchronize(StreamHandle stream) const;
  // Waits for all streams, whatever they came to. Never fails, and asks for no memory.
  void waitForAll() const noexcept;

  // Microseconds between the events around body(), which puts work on the default stream.
  llvm::Expected<double> time(const std::function<llvm::Error()> &body) const;

  // Makes the context current for its lifetime: for libraries (cuSPARSE) that work on the current
  // context. Where check() fails another context is current still, and nothing may be done.
  class Current {
  public:
    explicit Current(const GpuDevice &gpu);
    Current(const Current &) = delete;
    Current &operator=(const Current &) = delete;
    ~Current();
    llvm::Error check() const;
    bool isCurrent() const { return result_ == 0; }

  private:
    int result_; // of pushing it
  };

private:
  struct Release {
    int device = 0;
    void operator()(void *context) const;
  };
  GpuDevice() = default;
  GpuInfo info_;
  UniqueHandle<void *, Release> context_; // the CUcontext
};

// Destroys things of a GPU in its context, which they keep. `Function` is a pointer to the driver's
// function or to one of a library on it.
template <class Function> struct DestroyIn {
  std::shared_ptr<const GpuDevice> gpu;
  Function destroy = nullptr;

  template <class T> void operator()(T thing) const {
    const GpuDevice::Current current(*gpu);
    if (current.isCurrent()) // else the context is gone, and the thing with it
      destroy(thing);
  }
};
// A thing of the GPU's that keeps it.
template <class T, class Function = void (*)(T)>
using GpuHandle = UniqueHandle<T, DestroyIn<Function>>;

// Device memory, freed on destruction. An empty buffer has a null pointer.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  DevicePointer pointer() const { return memory_.get(); }
  size_t bytes() const { return memory_ ? bytes_ : 0; }

private:
  friend class GpuDevice;
  GpuHandle<DevicePointer> memory_;
  size_t bytes_ = 0;
};

// A loaded cubin, unloaded on destruction.
class GpuModule {
public:
  // The entry point of that name.
  llvm::Expected<void *> function(const std::string &name) const;

private:
  friend class GpuDevice;
  std::shared_ptr<const GpuDevice> gpu_; // null, as the module, where nothing was loaded
  GpuHandle<void *> module_;
};

// GPUs that the driver sees; 0, with the reason, where there is no driver or no GPU.
llvm::Expected<int> gpuCount(std::string &whyNone);

// True where this address is device memory (or memory that the device alone can be trusted with);
// false for plain host memory and where there is no driver.
bool isDevicePointer(const void *pointer);

} // namespace specmv
