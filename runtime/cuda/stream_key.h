// The key by which one stream of the program is told from another.
#pragma once

#include "runtime/cuda/memory_source.h"

#include <thread>
#include <utility>

namespace specmv {

// A stream's handle, with the thread for the one handle that is another stream in each.
using StreamKey = std::pair<StreamHandle, std::thread::id>;

inline StreamKey keyOf(StreamHandle stream) {
  constexpr uintptr_t kPerThread = 2; // CU_STREAM_PER_THREAD
  const bool isOfThread = reinterpret_cast<uintptr_t>(stream) == kPerThread;
  return {stream, isOfThread ? std::this_thread::get_id() : std::thread::id()};
}

// A new stream may have the handle of one that was destroyed with work on it, but not its number.
struct StreamIdentity {
  StreamKey key = {};
  unsigned long long number = 0; // 0: the driver does not tell

  bool operator==(const StreamIdentity &) const = default;
};

// Call this in the context of the stream's GPU.
StreamIdentity identityOf(StreamHandle stream);

} // namespace specmv
