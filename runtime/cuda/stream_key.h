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

} // namespace specmv
