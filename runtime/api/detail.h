// Keeps the sentence that describes the last failure of each thread.
#pragma once

namespace specmv {

// Makes glibc allocate the memory for this thread's sentence. In a library that is opened with
// dlopen, glibc allocates thread-local memory at its first use and ends the process if it cannot.
// So every API call starts with this, not only those that run out of memory.
void prepareDetail() noexcept;

// Keeps the sentence for this thread, in memory that is already allocated, so that it never fails.
// A sentence that is too long is cut after a whole UTF-8 character and ends with "...". Line ends
// and characters that could control a terminal are escaped as \x0a, \x1b and so on, because the
// sentence may contain names from callers.
void keepDetail(const char *sentence) noexcept;

// The sentence that this thread kept last; "" if none. Valid until the thread keeps another.
const char *lastDetail() noexcept;

} // namespace specmv
