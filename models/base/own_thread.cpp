// Starts threads with attributes, which std::thread cannot.
#include "models/base/own_thread.h"

#include "models/base/signals_blocked.h"

#include <csignal>
#include <memory>
#include <system_error>
#include <utility>

namespace specmv {

// The default of Linux for the first thread; a compilation runs on it, for example.
constexpr size_t kStackBytes = size_t{8} << 20;

static void *runOwned(void *argument) {
  const std::unique_ptr<std::function<void()>> work(static_cast<std::function<void()> *>(argument));
  (*work)();
  return nullptr;
}

static int start(pthread_t &thread, std::function<void()> *work) {
  pthread_attr_t attributes;
  if (const int error = pthread_attr_init(&attributes); error != 0)
    return error;
  pthread_attr_setstacksize(&attributes, kStackBytes);
  // A thread inherits the signals that are blocked where it is started.
  const SignalsBlocked blocked(
      {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF});
  const int error = pthread_create(&thread, &attributes, runOwned, work);
  pthread_attr_destroy(&attributes);
  return error;
}

OwnThread::OwnThread(std::function<void()> work) {
  auto owned = std::make_unique<std::function<void()>>(std::move(work));
  if (const int error = start(thread_, owned.get()); error != 0)
    throw std::system_error(error, std::generic_category());
  (void)owned.release(); // the thread deletes it
  isJoinable_ = true;
}

OwnThread::OwnThread(OwnThread &&other) noexcept
    : thread_(other.thread_), isJoinable_(std::exchange(other.isJoinable_, false)) {}

OwnThread &OwnThread::operator=(OwnThread &&other) noexcept {
  thread_ = other.thread_;
  isJoinable_ = std::exchange(other.isJoinable_, false);
  return *this;
}

void OwnThread::join() {
  pthread_join(thread_, nullptr);
  isJoinable_ = false;
}

} // namespace specmv
