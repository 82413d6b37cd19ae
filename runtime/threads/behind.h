// Runs work that no caller waits for, such as writing a choice to disk. One thread of low priority
// runs one piece after another; it ends after a while without work.
#pragma once

#include <atomic>
#include <functional>

namespace specmv {

// Selects what happens to work that has not begun when the process ends.
enum class AtEnd { skipped, done };

// Returns at once. Exceptions of the work are swallowed. `ends` becomes true when the process ends;
// then the work must not call the program any more. If no thread can be started, runs the work
// before it returns.
void doBehind(std::function<void(const std::atomic<bool> &ends)> work, AtEnd atEnd);

// Frees the rest of a thread that has ended. Call it now and then, since the library cannot be
// unloaded before.
void tidyBehind();
// Does the same, and first ends the thread at once if it has nothing to do.
void endIdleBehind();

} // namespace specmv
