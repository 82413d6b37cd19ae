// The sentence about a thread's last failure.
#pragma once

namespace specmv {

// Keeps the sentence for this thread, in memory that the thread has had from its start, so that it
// never fails. One that is too long is cut behind a whole character of UTF-8 and ends with "...".
void keepDetail(const char *sentence) noexcept;

// The sentence that this thread kept last; "" if none. Valid until it keeps the next.
const char *lastDetail() noexcept;

} // namespace specmv
