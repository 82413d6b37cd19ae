// Streams: specmv's own, the keys of the program's, graphs, and the times of work on them.
#pragma once

#include "runtime/cuda/device.h"
#include "runtime/cuda/handle.h"
#include "runtime/cuda/memory_source.h"

#include <deque>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace specmv {

// --- Work stream ---------------------------------------------------------------------------------

// A stream of specmv's own, so that set-ups and copies neither use the default stream nor wait for
// what the program has on its streams. Including this file needs no CUDA header.

// A stream that the destructor gives back. Its work may still run then: the next user's work is
// ordered behind it.
class WorkStream {
public:
  WorkStream() = default; // none: the default stream
  WorkStream(std::shared_ptr<const GpuDevice> gpu, Shelf &shelf, std::shared_ptr<void> stream)
      : gpu_(std::move(gpu)), shelf_(&shelf), stream_(std::move(stream)) {}
  WorkStream(WorkStream &&other) noexcept = default;
  WorkStream &operator=(WorkStream &&other) noexcept {
    std::swap(gpu_, other.gpu_);
    std::swap(shelf_, other.shelf_);
    std::swap(stream_, other.stream_);
    return *this;
  }
  ~WorkStream() {
    if (stream_)
      shelf_->put(std::move(stream_));
  }

  StreamHandle get() const { return stream_.get(); }

private:
  std::shared_ptr<const GpuDevice> gpu_; // owns the shelf
  Shelf *shelf_ = nullptr;
  std::shared_ptr<void> stream_;
};

// --- Stream key ----------------------------------------------------------------------------------

// Defines keys that distinguish the program's streams.

// A stream's handle, and the thread for the one handle that means a different stream in each
// thread.
using StreamKey = std::pair<StreamHandle, std::thread::id>;

inline StreamKey keyOf(StreamHandle stream) {
  constexpr uintptr_t kPerThread = 2; // CU_STREAM_PER_THREAD
  const bool isOfThread = reinterpret_cast<uintptr_t>(stream) == kPerThread;
  return {stream, isOfThread ? std::this_thread::get_id() : std::thread::id()};
}

// A new stream may reuse the handle of a destroyed one that still has work, but not its number.
struct StreamIdentity {
  StreamKey key = {};
  unsigned long long number = 0; // 0: the driver does not report it

  bool operator==(const StreamIdentity &) const = default;
};

// Call this in the context of the stream's GPU.
StreamIdentity identityOf(StreamHandle stream);

// --- Stream times --------------------------------------------------------------------------------

// Times pieces of work on a program's stream by events, without ever waiting for them.

class StreamTimes {
public:
  struct Ended {
    size_t tag;
    std::optional<double> us; // nullopt: the driver could not tell
  };

  // The work that is put on the stream between begin() and end() is one piece. end() returns false
  // if it is not timed, since an event failed or drop() gave it up. The stream must not be under
  // capture.
  void begin(const GpuDevice &gpu, StreamHandle stream, size_t tag);
  bool end(const GpuDevice &gpu, StreamHandle stream);
  void drop();
  // Returns the next piece of work that has ended, in the order of their begins; nullopt if none
  // has.
  std::optional<Ended> takeEnded(const GpuDevice &gpu);

private:
  struct Piece {
    GpuHandle<void *> begin, end;
    size_t tag = 0;
  };
  llvm::Expected<Piece> unusedPiece(const GpuDevice &gpu);

  std::deque<Piece> running_;
  bool isOpen_ = false; // the last of these has no end yet
  std::vector<Piece> unused_;
};

// --- Graph ---------------------------------------------------------------------------------------

// Wraps CUDA graphs: work that was put on a stream once and is run again by one call.

struct Driver;

// Returns true if the stream is being captured; false if the driver does not report it.
bool isCaptured(const GpuDevice &gpu, StreamHandle stream);
// Call this one in the context of the stream.
bool isCaptured(const Driver &d, StreamHandle stream);

class GpuGraph {
public:
  // Captures what body() puts on the stream, which must not be the default one, without running it.
  // Everything that the work refers to must exist as long as the graph is launched. nullopt if the
  // driver has no graphs (before CUDA 11.4).
  static llvm::Expected<std::optional<GpuGraph>> capture(const GpuDevice &gpu, StreamHandle stream,
                                                         const std::function<llvm::Error()> &body);

  // Runs all captured work, in order on any stream.
  llvm::Error launch(StreamHandle stream) const;

private:
  GpuGraph(std::shared_ptr<const GpuDevice> gpu, GpuHandle<void *> ready)
      : gpu_(std::move(gpu)), ready_(std::move(ready)) {}

  std::shared_ptr<const GpuDevice> gpu_;
  GpuHandle<void *> ready_; // the CUgraphExec
};

} // namespace specmv
