// The sentence about a thread's last failure.
#pragma once

namespace specmv {

// Has the memory for this thread's sentence. A library that is opened when the program already runs
// gets it only when it is first used, and glibc ends the process where there is none then: better
// at the thread's first call than when memory has run out.
void prepareDetail() noexcept;

// Keeps the sentence for this thread, in memory that the thread has already, so that it never
// fails. One that is too long is cut behind a whole character of UTF-8 and ends with "...".
void keepDetail(const char *sentence) noexcept;

// The sentence that this thread kept last; "" if none. Valid until it keeps the next.
const char *lastDetail() noexcept;

} // namespace specmv
