// Wraps one GPU through the CUDA driver API, which is opened at run time: memory, modules, launches
// and timing. Every call returns its error as a value. Including this file needs no CUDA header.
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
  int clockKHz = 0, memoryClockKHz = 0, busBits = 0; // 0: unknown, see withClocks()
  int64_t memoryBytes = 0, l2Bytes = 0;
  int64_t sharedBytesPerBlock = 0; // limit of static plus dynamic memory
  int driverVersion = 0;           // 13000 is 13.0

  bool operator==(const GpuInfo &) const = default;
};

// Adds the clocks and the width of the memory bus, which only borrowed models need: the driver
// takes a millisecond to report them (H200, 580.159). A number that it does not report stays 0.
GpuInfo withClocks(GpuInfo info);

// Bytes of allocated device memory, now and at the peak.
struct MemoryUse {
  int64_t now = 0, most = 0;
};

class ContextLife;
class DeviceBuffer;
class GpuModule;
class L2Turns;
class Shelf;
class WorkStream;

enum class StreamPriority { usual, low }; // low: other work goes first

// A device and its primary context, which the program's CUDA runtime API uses too. Every method
// makes that context current while it runs and then restores the previous one. Thread-safe.
class GpuDevice : public std::enable_shared_from_this<GpuDevice> {
public:
  // Opens a GPU. Status::noGpu if there is no driver, no GPU or no GPU of this number. All
  // callers with one number get the same GpuDevice, which lives until release() or until the
  // program resets the GPU, so that later plans reuse what the first one made.
  static llvm::Expected<std::shared_ptr<const GpuDevice>> open(int ordinal);
  // Frees the unused resources of a GPU that was opened, and closes it if it is not in use.
  // Status::noGpu as for open().
  static llvm::Error release(int ordinal);
  // Returns the same GPU with another source of memory for its allocate().
  std::shared_ptr<const GpuDevice> withMemoryOf(const MemorySource &source) const;
  // Returns the object that opened the GPU. Objects that its stores keep must be made with it,
  // since it outlives the other GpuDevices.
  const GpuDevice &owner() const { return base_ ? *base_ : *this; }
  const MemorySource &memorySource() const { return source_; }

  const GpuInfo &info() const { return info_; }
  // Returns the CUcontext, for libraries that take it as an argument.
  void *context() const { return address_; }

  ~GpuDevice();

  // bytes = 0 gives an empty buffer. Status::gpuMemory if memory runs out.
  llvm::Expected<DeviceBuffer> allocate(size_t bytes) const;
  // Allocates memory for work on this stream only, until the stream has been synchronized.
  llvm::Expected<DeviceBuffer> allocate(size_t bytes, StreamHandle stream) const;
  // Only DeviceBuffer calls these: the first if no work uses the memory any more, the second in
  // stream order. Neither waits, unless the driver has no memory pools.
  void free(DeviceMemory memory) const;
  void free(DeviceMemory memory, StreamHandle stream) const;
  // Copies on a stream of its own, and waits for the copy. No work may be using the target memory.
  llvm::Error upload(DevicePointer to, const void *from, size_t bytes) const;
  // Copies on a stream of its own, behind the default stream's work, and waits for the copy.
  llvm::Error download(void *to, DevicePointer from, size_t bytes) const;
  // These run in order on the stream. If the host memory is not page-locked, the call may wait for
  // the stream.
  llvm::Error upload(DevicePointer to, const void *from, size_t bytes, StreamHandle stream) const;
  llvm::Error download(void *to, DevicePointer from, size_t bytes, StreamHandle stream) const;
  llvm::Error copy(DevicePointer to, DevicePointer from, size_t bytes, StreamHandle stream) const;
  // Sets every byte; in order on the stream.
  llvm::Error fill(DevicePointer to, uint8_t byte, size_t bytes, StreamHandle stream) const;
  // Returns a new buffer with these bytes. Large arrays in pageable memory are copied by all cores.
  llvm::Expected<DeviceBuffer> uploaded(const void *from, size_t bytes) const;

  // Loads a cubin; `source` is the digest of the text that it was compiled from. A cubin from one
  // text is loaded only once while it is in use or among the last used.
  llvm::Expected<GpuModule> load(const std::vector<char> &cubin, const Digest &source) const;
  // Returns the module that was loaded for this source; empty if it is no longer loaded.
  GpuModule loaded(const Digest &source) const;
  // Returns the number of module loads so far.
  size_t loads() const;
  // Raises the function's limit of dynamic shared memory to at least this many bytes.
  // Status::notApplicable if this is above the GPU's limit for a block.
  llvm::Error allowShared(void *function, uint32_t bytes) const;
  // Asks that an SM has no more shared memory than this kernel's blocks fill, when as many run as
  // fit (Launch::leavesL1). This is only a wish, so it cannot fail.
  void leaveL1(void *function, uint32_t blockThreads, uint32_t sharedBytes) const;
  // `arguments` are read before it returns.
  llvm::Error launch(void *function, std::array<uint32_t, 3> grid, uint32_t blockThreads,
                     uint32_t sharedBytes, const void *const *arguments, StreamHandle stream) const;
  // Launches a kernel that may begin before the work in front of it on the stream has ended. It
  // must wait for that by waitForPrevious() (templates/shared/load.cuh). On an H100 this takes 0.45
  // us less if a product is in front, and 0.2 us less behind other kernels. A GPU or driver that
  // cannot do this launches the kernel afterwards.
  llvm::Error launchEarly(void *function, std::array<uint32_t, 3> grid, uint32_t blockThreads,
                          uint32_t sharedBytes, const void *const *arguments,
                          StreamHandle stream) const;
  llvm::Error synchronize(StreamHandle stream) const;

  // Takes a stream of the GPU's own, which does not wait for the default stream and has no other
  // user until it is given back (streams.h).
  llvm::Expected<WorkStream> workStream(StreamPriority priority = StreamPriority::usual) const;
  // Makes later work of the stream wait for the work on the default stream, as a blocking stream
  // would. Makes no call on the default stream, because that would break captures of other threads.
  llvm::Error followDefaultStream(StreamHandle stream) const;

  // Keeps cuSPARSE's handles, which are made in this context and destroyed before it ends.
  Shelf &libraryHandles() const;
  // Returns the order in which the plans on this GPU multiply.
  const std::shared_ptr<L2Turns> &l2Turns() const;

  // Returns the number of free bytes; the total if the driver does not report it.
  int64_t freeBytes() const;
  // Returns the memory in use and the peak since the last call. Zeros if the driver does not report
  // it.
  MemoryUse takeMemoryUse() const;
  // Resets the GPU to its state before the first set-up, for measuring: unloads unused modules,
  // destroys idle handles and unmaps free memory.
  void forget() const;

  // Returns the microseconds between events around body(), which puts work on the stream.
  llvm::Expected<double> time(StreamHandle stream, const std::function<llvm::Error()> &body) const;

  // Makes the context current while this object lives, for libraries (cuSPARSE) that use the
  // current context. If check() fails, another context is still current, and no call that needs
  // this one may be made. It also fails when the program has reset the device since it was opened,
  // and in a forked process.
  // Meanwhile the thread is in the relaxed mode of stream capture, so that its calls break neither
  // captures of other threads, even in global mode, nor captures that it began itself.
  class Current {
  public:
    explicit Current(const GpuDevice &gpu);
    Current(const Current &) = delete;
    Current &operator=(const Current &) = delete;
    ~Current();
    llvm::Error check() const;
    bool isCurrent() const { return result_ == 0; }
    // Returns true if the program has reset the device, so that everything in the context is gone.
    bool isDestroyed() const;

  private:
    int result_ = 0; // result of cuCtxPushCurrent
    bool isPushed_ = false;
    int captureMode_ = -1; // the thread's mode before; -1: unknown
  };

private:
  struct Release {
    int device = 0;
    std::shared_ptr<const ContextLife> life = {};
    void operator()(void *context) const;
  };
  struct Owned; // objects in the context, destroyed before it
  static llvm::Expected<std::shared_ptr<const GpuDevice>> make(int ordinal);
  GpuDevice();
  GpuModule moduleOf(std::shared_ptr<void> loaded) const;
  llvm::Expected<DeviceBuffer> bufferOf(llvm::Expected<DevicePointer> memory, size_t bytes) const;
  llvm::Error onOwnStream(const std::function<llvm::Error(StreamHandle)> &body) const;
  GpuInfo info_;
  std::shared_ptr<const ContextLife> life_;
  UniqueHandle<void *, Release> context_; // the CUcontext, if this opened it
  void *address_ = nullptr;               // the CUcontext, even if another object opened it
  // Set if memory comes from another source.
  std::shared_ptr<const GpuDevice> base_;
  MemorySource source_;
  std::shared_ptr<Owned> owned_; // shared; belongs to the opener, which is destroyed last
};

// Destroys objects of a GPU (modules, streams, events) in the GPU's context, which stays alive as
// long as this does. `Function` is a pointer to a function of the driver or of a CUDA library.
template <class Function, class Gpu = std::shared_ptr<const GpuDevice>> struct DestroyIn {
  Gpu gpu = {};
  Function destroy = nullptr;

  template <class T> void operator()(T thing) const {
    const GpuDevice::Current current(*gpu);
    if (current.isCurrent()) // otherwise the object is gone with its context
      destroy(thing);
  }
};
// Owns an object of a GPU and keeps the GPU's context alive.
template <class T, class Function = void (*)(T)>
using GpuHandle = UniqueHandle<T, DestroyIn<Function>>;

// Destroys what the GpuDevice itself owns, before its context.
template <class Function> using OwnedBy = DestroyIn<Function, const GpuDevice *>;

// Owns device memory. The destructor frees it without waiting: the owner must ensure that no work
// uses it any more, or call freeOn() first. An empty buffer has a null pointer.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  // Makes a buffer that owns nothing: it has this address, and 0 bytes.
  static DeviceBuffer referTo(DevicePointer memory);
  DevicePointer pointer() const { return memory_.get(); }
  size_t bytes() const { return memory_ ? memory_.destroyer().bytes : 0; }
  // Frees memory that only this stream uses, after the work on the stream, without waiting. The
  // buffer is empty afterwards.
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

// A loaded cubin. The GPU may keep it for later loads of the same cubin. Copies share it.
class GpuModule {
public:
  // Returns the entry point of that name.
  llvm::Expected<void *> function(const std::string &name) const;
  explicit operator bool() const { return loaded_ != nullptr; }

private:
  friend class GpuDevice;
  struct Loaded {
    std::shared_ptr<const GpuDevice> gpu;
    std::shared_ptr<void> module; // declared last: released before the GPU
  };
  std::shared_ptr<const Loaded> loaded_; // null if nothing was loaded
};

// Returns the number of GPUs that the driver sees. 0 if there is no driver or no GPU; then
// `whyNone` gets the reason. A driver that is installed but does not work is an error.
llvm::Expected<int> gpuCount(std::string &whyNone);

} // namespace specmv
