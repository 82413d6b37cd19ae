// The sentence that describes the last failure in a thread.
#pragma once

namespace specmv {

// Makes glibc allocate the memory for this thread's sentence. In a library that is opened while the
// program runs, glibc allocates thread-local memory at its first use and ends the process if it
// cannot. So this is called at the start of every API call, not only when memory has run out.
void prepareDetail() noexcept;

// Keeps the sentence for this thread, in memory that is already allocated, so that it never fails.
// A sentence that is too long is cut after a whole UTF-8 character and ends with "...". What a
// terminal may obey, and line ends, are kept as \x1b and \x0a: names that callers give are in it.
void keepDetail(const char *sentence) noexcept;

// The sentence that this thread kept last; "" if none. Valid until the thread keeps another.
const char *lastDetail() noexcept;

} // namespace specmv
