// Page-locked memory, streams and events for uploads, and for products that work on the host
// meanwhile.
#pragma once

#include "generator/layout.h"
#include "generator/steps.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/driver.h"

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

namespace specmv {

// --- Overlap -------------------------------------------------------------------------------------

// Resources for products whose parts run concurrently on a GPU: page-locked host memory, a second
// stream, events, and host functions in a stream. Each is freed by its owner.

// Allocates page-locked memory, which the GPU reads and writes directly. bytes = 0 gives null.
// Status::missing if the host does not have enough memory.
llvm::Expected<GpuHandle<std::byte *>> allocateHost(const GpuDevice &gpu, size_t bytes);

// Makes a stream that synchronizes with other streams, the default stream included, only through
// events.
llvm::Expected<GpuHandle<void *>> makeStream(const GpuDevice &gpu);

enum class EventKind {
  ordering, // without a time stamp, which is faster
  timed,
};
llvm::Expected<GpuHandle<void *>> makeEvent(const GpuDevice &gpu, EventKind kind);

// record() marks the work that was put on the stream so far. Work that is put on another stream
// after its waitFor() starts when all of that is done.
llvm::Error record(const GpuDevice &gpu, void *event, StreamHandle stream);
llvm::Error waitFor(const GpuDevice &gpu, void *event, StreamHandle stream);

// Calls function(data) in order on the stream, on a thread of the driver.
llvm::Error callOnHost(const GpuDevice &gpu, void (*function)(void *data), void *data,
                       StreamHandle stream);

// --- Staging -------------------------------------------------------------------------------------

// Uploads large arrays through page-locked memory, which all cores fill. The driver copies pageable
// memory with one core, several times slower than the bus.

class Staging {
public:
  explicit Staging(const GpuDevice &gpu) : gpu_(gpu) {}

  // The least size of an array for which this pays.
  static constexpr size_t kLeastBytes = size_t{8} << 20;

  // Copies, and waits until the array is in device memory. Thread-safe. If a piece cannot be made,
  // works without it.
  llvm::Error upload(DevicePointer to, const void *from, size_t bytes);

private:
  static constexpr size_t kPieces = 8, kPieceBytes = size_t{4} << 20;

  // A buffer that one thread at a time fills, and the stream that copies it. Made at first use.
  struct Piece {
    std::mutex mutex; // guards the use of the others
    UniqueHandle<std::byte *, OwnedBy<void (*)(std::byte *)>> memory;
    UniqueHandle<CUstream, OwnedBy<CUresult (*)(CUstream)>> stream;
  };
  bool isMade(Piece &piece) const;
  llvm::Error copy(Piece &piece, DevicePointer to, const std::byte *from, size_t bytes) const;
  llvm::Error wait(Piece &piece) const;

  const GpuDevice &gpu_;
  std::array<Piece, kPieces> pieces_;
};

// --- Host detour ---------------------------------------------------------------------------------

// A detour of products over the host (HostDetour of steps.h), on a stream of its own beside the
// caller's.

class DetourCall {
public:
  // A scratch array of the layout, and where it lies on the GPU.
  struct Scratch {
    DevicePointer at;
    const LayoutArray &array;
  };
  // The table must stay where it is as long as the call. Products must not run at the same time,
  // since they share the copies on the host.
  static llvm::Expected<DetourCall> prepare(std::shared_ptr<const GpuDevice> gpu,
                                            decltype(HostDetour::call) function,
                                            const HostArray &table, const Scratch &from,
                                            const Scratch &to);

  // Begins the detour after all that was put on the stream so far.
  llvm::Error begin(StreamHandle stream) const;
  // Makes the stream wait for the end of the detour.
  llvm::Error join(StreamHandle stream) const;
  // Waits on the host for the end of the detour.
  llvm::Error settle() const;

private:
  struct State;
  // The driver holds its address while the detour runs, so it must not move.
  std::shared_ptr<State> state_;
};

} // namespace specmv
