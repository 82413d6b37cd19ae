// Work that nobody waits for, such as what is kept on disk of a plan: one piece after another, on
// one thread of low priority, which ends when there has been none for a while.
#pragma once

#include <atomic>
#include <functional>

namespace specmv {

// Work that has not begun when the process ends is left out or done.
enum class AtEnd { skipped, done };

// Returns at once. What the work throws is lost. `ends` is true once the process ends, when nothing
// of the program may be called any more. Where no thread can be started, the work is done before
// this returns.
void doBehind(std::function<void(const std::atomic<bool> &ends)> work, AtEnd atEnd);

// Frees what is left of a thread that has ended. To be called now and then, since the library
// cannot be unloaded before.
void tidyBehind();
// The same, and ends the thread at once if it has nothing to do.
void endIdleBehind();

} // namespace specmv
