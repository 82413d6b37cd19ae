// One GPU through the CUDA driver API, which is opened at run time: memory, modules, launches and
// timing. Every call returns its error as a value. Including this file needs no CUDA header.
#pragma once

#include "models/base/digest.h"
#include "models/base/error.h"
#include "runtime/cuda/handle.h"
#include "runtime/cuda/memory_source.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace specmv {

struct GpuInfo {
  int ordinal = 0;
  std::string name; // "NVIDIA H200"
  std::string arch; // "sm_90"
  int sms = 0, threadsPerSm = 0;
  int clockKHz = 0, memoryClockKHz = 0, busBits = 0; // 0: not told, see withClocks()
  int64_t memoryBytes = 0, l2Bytes = 0;
  int64_t sharedBytesPerBlock = 0; // the limit of static and dynamic together
  int driverVersion = 0;           // 13000 is 13.0

  bool operator==(const GpuInfo &) const = default;
};

// Adds the clocks and the width of the memory's bus, which only models that are borrowed need: to
// tell them takes the driver a millisecond (H200, 580.159). What it does not tell stays 0.
GpuInfo withClocks(GpuInfo info);

// Bytes of device memory that are allocated, and the most that were at a time.
struct MemoryUse {
  int64_t now = 0, most = 0;
};

class ContextLife;
class DeviceBuffer;
class GpuModule;
class Shelf;
class WorkStream;

enum class StreamPriority { usual, low }; // low: all other work goes first

// A device and its primary context, which the program's CUDA runtime API uses too. Every method
// makes that context current while it runs and then restores the previous one. Thread-safe.
class GpuDevice : public std::enable_shared_from_this<GpuDevice> {
public:
  // Status::missing if there is no driver, no GPU or no GPU of this number. All who open a number
  // get the same GpuDevice, which lives until release() or until the program resets the GPU, so
  // that a second plan finds what the first one made.
  static llvm::Expected<std::shared_ptr<const GpuDevice>> open(int ordinal);
  // Frees what a GPU that was opened has without anybody using it, and closes it if nobody does.
  // Status::missing as for open().
  static llvm::Error release(int ordinal);
  // The same GPU, whose memory comes from this source: all that allocate() of the result gives.
  std::shared_ptr<const GpuDevice> withMemoryOf(const MemorySource &source) const;
  // The one that opened it. What its stores keep is made with it, since it outlives the others.
  const GpuDevice &owner() const { return base_ ? *base_ : *this; }
  const MemorySource &memorySource() const { return source_; }

  const GpuInfo &info() const { return info_; }
  // The CUcontext, for libraries that take it as an argument.
  void *context() const { return address_; }

  ~GpuDevice();

  // bytes = 0 gives an empty buffer. Status::missing if there is not enough memory.
  llvm::Expected<DeviceBuffer> allocate(size_t bytes) const;
  // The same for work on this stream only, until the stream was synchronized.
  llvm::Expected<DeviceBuffer> allocate(size_t bytes, StreamHandle stream) const;
  // DeviceBuffer alone calls these: the first if no work uses the memory any more, the second in
  // order on the stream. Neither waits, but where the driver has no memory pools.
  void free(DeviceMemory memory) const;
  void free(DeviceMemory memory, StreamHandle stream) const;
  // Copies on a stream of its own, and waits for that. No work may use the memory that is written.
  llvm::Error upload(DevicePointer to, const void *from, size_t bytes) const;
  // Copies on a stream of its own, behind the work of the default stream, and waits for that.
  llvm::Error download(void *to, DevicePointer from, size_t bytes) const;
  // These run in order on the stream. If the host memory is not page-locked, the call may wait for
  // the stream.
  llvm::Error upload(DevicePointer to, const void *from, size_t bytes, StreamHandle stream) const;
  llvm::Error download(void *to, DevicePointer from, size_t bytes, StreamHandle stream) const;
  llvm::Error copy(DevicePointer to, DevicePointer from, size_t bytes, StreamHandle stream) const;
  // Sets every byte; in order on the stream.
  llvm::Error fill(DevicePointer to, uint8_t byte, size_t bytes, StreamHandle stream) const;
  // A new buffer with these bytes. Large arrays in ordinary memory are copied by all cores.
  llvm::Expected<DeviceBuffer> uploaded(const void *from, size_t bytes) const;

  // `source` is the digest of the text that was compiled. What comes from one text is loaded once,
  // if it is in use or among what was used last.
  llvm::Expected<GpuModule> load(const std::vector<char> &cubin, const Digest &source) const;
  // The module that was loaded for this source; an empty one if it is not loaded any more.
  GpuModule loaded(const Digest &source) const;
  // How many modules were ever loaded.
  size_t loads() const;
  // Allows launches of the function with up to this many bytes of dynamic shared memory, or with
  // more if that was allowed before.
  // Status::notApplicable if a block of this GPU cannot have so many.
  llvm::Error allowShared(void *function, uint32_t bytes) const;
  // `arguments` are read before it returns.
  llvm::Error launch(void *function, std::array<uint32_t, 3> grid, uint32_t blockThreads,
                     uint32_t sharedBytes, const void *const *arguments, StreamHandle stream) const;
  llvm::Error synchronize(StreamHandle stream) const;

  // A stream of the GPU's own, which does not wait for the default stream and which nobody else
  // uses until it is given back (work_stream.h).
  llvm::Expected<WorkStream> workStream(StreamPriority priority = StreamPriority::usual) const;
  // Lets later work of the stream wait for the work that the default stream has, as if the stream
  // did so by itself. The default stream is not touched, so that a capture of another thread goes
  // on.
  llvm::Error followDefaultStream(StreamHandle stream) const;

  // Of cuSPARSE's handles, made in this context and destroyed before it ends.
  Shelf &libraryHandles() const;

  // Bytes that nobody has allocated; all there are if the driver does not tell.
  int64_t freeBytes() const;
  // The use of memory, the most since the last call of this. Zeros if the driver does not tell.
  MemoryUse takeMemoryUse() const;
  // For measuring what a first set-up costs: forgets the modules, of which those that nothing uses
  // are unloaded, and the handles that wait, and unmaps memory that is free.
  void forget() const;

  // Microseconds between the events around body(), which puts work on the stream.
  llvm::Expected<double> time(StreamHandle stream, const std::function<llvm::Error()> &body) const;

  // Makes the context current while this object lives, for libraries (cuSPARSE) that work on the
  // current context. If check() fails, another context is still current, and no call that needs
  // this one may be made. It also fails when the program has reset the device since it was opened,
  // and in a forked process.
  // Meanwhile the thread is in the relaxed mode of stream capture: what it calls breaks no capture
  // of another thread, whose mode may be global, and none that it has begun itself.
  class Current {
  public:
    explicit Current(const GpuDevice &gpu);
    Current(const Current &) = delete;
    Current &operator=(const Current &) = delete;
    ~Current();
    llvm::Error check() const;
    bool isCurrent() const { return result_ == 0; }

  private:
    int result_ = 0; // of cuCtxPushCurrent
    bool isPushed_ = false;
    int captureMode_ = -1; // of the thread before; -1: the driver has none
  };

private:
  struct Release {
    int device = 0;
    std::shared_ptr<const ContextLife> life = {};
    void operator()(void *context) const;
  };
  struct Owned; // what is made in the context and ends before it
  static llvm::Expected<std::shared_ptr<const GpuDevice>> make(int ordinal);
  GpuDevice();
  GpuModule moduleOf(std::shared_ptr<void> loaded) const;
  llvm::Error onOwnStream(const std::function<llvm::Error(StreamHandle)> &body) const;
  GpuInfo info_;
  std::shared_ptr<const ContextLife> life_;
  UniqueHandle<void *, Release> context_; // the CUcontext, if this opened it
  void *address_ = nullptr;               // the same, whoever opened it
  // Of one whose memory comes from elsewhere.
  std::shared_ptr<const GpuDevice> base_;
  MemorySource source_;
  std::shared_ptr<Owned> owned_; // by the one that opened it, which is destroyed last
};

// Destroys objects of a GPU (modules, streams, events) in the GPU's context, which stays alive as
// long as this does. `Function` is a pointer to a function of the driver or of a CUDA library.
template <class Function, class Gpu = std::shared_ptr<const GpuDevice>> struct DestroyIn {
  Gpu gpu = {};
  Function destroy = nullptr;

  template <class T> void operator()(T thing) const {
    const GpuDevice::Current current(*gpu);
    if (current.isCurrent()) // else the context was destroyed, and the object with it
      destroy(thing);
  }
};
// Owns an object of a GPU and keeps the GPU's context alive.
template <class T, class Function = void (*)(T)>
using GpuHandle = UniqueHandle<T, DestroyIn<Function>>;

// The same for what the GpuDevice itself owns and destroys before its context.
template <class Function> using OwnedBy = DestroyIn<Function, const GpuDevice *>;

// Device memory, freed on destruction, which waits for nothing: its owner sees to it that no work
// uses it any more, or calls freeOn() before. An empty buffer has a null pointer.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  // A buffer that owns nothing: it has this address, and 0 bytes.
  static DeviceBuffer referTo(DevicePointer memory);
  DevicePointer pointer() const { return memory_.get(); }
  size_t bytes() const { return memory_ ? memory_.destroyer().bytes : 0; }
  // Frees memory that only this stream uses, after the work that it has; waits for nothing. The
  // buffer is empty then.
  void freeOn(StreamHandle stream);

private:
  friend class GpuDevice;
  struct Free {
    std::shared_ptr<const GpuDevice> gpu = {};
    size_t bytes = 0;
    void operator()(DevicePointer memory) const {
      if (gpu)
        gpu->free({memory, bytes});
    }
  };
  UniqueHandle<DevicePointer, Free> memory_;
};

inline DeviceBuffer DeviceBuffer::referTo(DevicePointer memory) {
  DeviceBuffer buffer;
  buffer.memory_ = {memory, {}};
  return buffer;
}

inline void DeviceBuffer::freeOn(StreamHandle stream) {
  const Free &owner = memory_.destroyer();
  if (const DevicePointer memory = memory_.release(); memory && owner.gpu)
    owner.gpu->free({memory, owner.bytes}, stream);
}

// A loaded cubin. The GPU may keep it for the next that loads the same. Copies share it.
class GpuModule {
public:
  // The entry point of that name.
  llvm::Expected<void *> function(const std::string &name) const;
  explicit operator bool() const { return loaded_ != nullptr; }

private:
  friend class GpuDevice;
  struct Loaded {
    std::shared_ptr<const GpuDevice> gpu;
    std::shared_ptr<void> module; // let go before the GPU, which owns it too
  };
  std::shared_ptr<const Loaded> loaded_; // null if nothing was loaded
};

// The number of GPUs that the driver sees. 0 if there is no driver or no GPU; then `whyNone` gets
// the reason. A driver that is installed and does not work is an error.
llvm::Expected<int> gpuCount(std::string &whyNone);

} // namespace specmv
