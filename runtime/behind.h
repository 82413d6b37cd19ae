// Work that nobody waits for, such as what is kept on disk of a plan: one piece after another, on
// one thread of low priority that ends when there is none.
#pragma once

#include <functional>

namespace specmv {

// What becomes of work that has not begun when the process ends.
enum class AtEnd { skipped, done };

// Returns at once. What the work throws is lost. Where no thread can be started, it is done before
// this returns.
void doBehind(std::function<void()> work, AtEnd atEnd);

// Frees the thread if it has nothing to do. To be called now and then, since the library cannot be
// unloaded before.
void tidyBehind();

} // namespace specmv
