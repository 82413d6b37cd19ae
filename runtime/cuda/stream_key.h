// Defines keys that distinguish the program's streams.
#pragma once

#include "runtime/cuda/memory_source.h"

#include <thread>
#include <utility>

namespace specmv {

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

} // namespace specmv
