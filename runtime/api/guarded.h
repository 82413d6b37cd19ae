// Turns errors and exceptions into a status of the C API and the sentence of a thread's last
// failure.
#pragma once

#include "models/base/error.h"
#include "models/base/memory.h"
#include "models/base/own_environment.h"
#include "runtime/include/specmv.h"

#include <cerrno>
#include <exception>
#include <new>
#include <pthread.h>
#include <utility>

namespace specmv {

// --- Detail --------------------------------------------------------------------------------------

// Keeps the sentence that describes the last failure of each thread.

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

// --- Guarded -------------------------------------------------------------------------------------

// Turns errors and exceptions into a status of the C API and its detail.

specmvStatus_t statusOf(Status status);

constexpr const char *kMemoryRanOut = "host memory ran out";

inline specmvStatus_t failed(specmvStatus_t status, const char *detail) noexcept {
  keepDetail(detail);
  return status;
}

// Restores the caller's errno at the end of its scope.
class KeepsErrno {
public:
  KeepsErrno() = default;
  KeepsErrno(const KeepsErrno &) = delete;
  KeepsErrno &operator=(const KeepsErrno &) = delete;
  ~KeepsErrno() { errno = kept_; }

private:
  int kept_ = errno;
};

// Keeps pthread_cancel() from acting until the end of its scope: a cancellation unwinds the stack,
// which frames that must not throw end by ending the process.
class NoCancellation {
public:
  NoCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  NoCancellation(const NoCancellation &) = delete;
  NoCancellation &operator=(const NoCancellation &) = delete;
  ~NoCancellation() { pthread_setcancelstate(before_, nullptr); }

private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// Runs the body of an API function or of a thread. The detail is kept for this thread.
template <class F> specmvStatus_t guarded(F &&body) noexcept {
  const KeepsErrno keeps;
  const NoCancellation uncancelled;
  const OwnEnvironment own;
  try {
    throwWhenMemoryRunsOut();
    prepareDetail();
    llvm::Error error = body();
    if (!error)
      return SPECMV_STATUS_SUCCESS;
    auto [status, sentence] = describe(std::move(error));
    return failed(statusOf(status), sentence.c_str());
  } catch (const std::bad_alloc &) {
    return failed(SPECMV_STATUS_OUT_OF_MEMORY, kMemoryRanOut);
  } catch (const std::exception &e) {
    return failed(SPECMV_STATUS_INTERNAL_ERROR, e.what());
  } catch (...) {
    return failed(SPECMV_STATUS_INTERNAL_ERROR, "unknown exception");
  }
}

} // namespace specmv
