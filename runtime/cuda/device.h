// One GPU through the CUDA driver API, which is opened at run time: memory, modules, launches and
// timing, each with its error as a value. No CUDA header is needed to use this.
#pragma once

#include "models/base/error.h"

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

class GpuDevice;

// Device memory, freed on destruction. An empty buffer has a null pointer.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer &&other) noexcept;
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept;
  ~DeviceBuffer();
  DevicePointer pointer() const { return pointer_; }
  size_t bytes() const { return bytes_; }

private:
  friend class GpuDevice;
  std::shared_ptr<const GpuDevice> gpu_;
  DevicePointer pointer_ = 0;
  size_t bytes_ = 0;
};

// A loaded cubin, unloaded on destruction.
class GpuModule {
public:
  GpuModule() = default;
  GpuModule(GpuModule &&other) noexcept;
  GpuModule &operator=(GpuModule &&other) noexcept;
  ~GpuModule();
  // The entry point of that name.
  llvm::Expected<void *> function(const std::string &name) const;

private:
  friend class GpuDevice;
  std::shared_ptr<const GpuDevice> gpu_;
  void *module_ = nullptr;
};

// A device and its primary context, shared with the runtime API of the host program. Every method
// makes that context current for its own duration only. Thread-safe.
class GpuDevice : public std::enable_shared_from_this<GpuDevice> {
public:
  // Status::missing where there is no driver, no GPU or no such ordinal.
  static llvm::Expected<std::shared_ptr<const GpuDevice>> open(int ordinal);
  ~GpuDevice();

  const GpuInfo &info() const { return info_; }
  // The CUcontext, for libraries that take it as an argument.
  void *context() const { return context_; }

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
  // Waits for all streams, whatever they came to.
  void waitForAll() const;

  // Microseconds between the events around body(), which puts work on the default stream.
  llvm::Expected<double> time(const std::function<llvm::Error()> &body) const;

  // Makes the context current for the lifetime of the returned handle: for libraries (cuSPARSE)
  // that work on the current context.
  class Current {
  public:
    explicit Current(const GpuDevice &gpu);
    Current(const Current &) = delete;
    Current &operator=(const Current &) = delete;
    ~Current();

  private:
    bool pushed_ = false;
  };

private:
  GpuDevice() = default;
  GpuInfo info_;
  int device_ = 0;
  void *context_ = nullptr;
};

// GPUs that the driver sees; 0, with the reason, where there is no driver or no GPU.
llvm::Expected<int> gpuCount(std::string &whyNone);

// True where this address is device memory (or memory that the device alone can be trusted with);
// false for plain host memory and where there is no driver.
bool isDevicePointer(const void *pointer);

} // namespace specmv
