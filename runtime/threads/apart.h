// Runs a function that sets signal handlers, so that the process keeps its own.
#pragma once

#include <cstdint>

namespace specmv {

enum class Apart : uint8_t {
  ended,
  died, // by a signal: what it changed in memory may be incomplete
};

// Runs work(data) in a process that shares this one's memory but not its signal handlers, with all
// signals blocked, while this thread waits. Signals that are sent to this process meanwhile reach
// its own handlers: those for this thread when the work has ended, the others at once. The work has
// 64 KB of this thread's stack. It must not throw, start threads, or keep its process id.
//
// If no such process can be started, the work runs on this thread, with all signals blocked there.
// A handler that the work puts back then gets the flags and the mask that it had.
Apart runApart(void (*work)(void *), void *data);

} // namespace specmv
