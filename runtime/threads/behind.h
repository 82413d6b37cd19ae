// Work that nobody waits for, such as what is kept on disk of a plan: one piece after another, on
// one thread of low priority that ends when there is none.
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

// Frees the thread if it has nothing to do. To be called now and then, since the library cannot be
// unloaded before.
void tidyBehind();

} // namespace specmv
