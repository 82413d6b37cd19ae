// Keeps a file size limit from ending the process.
#pragma once

#include <csignal>
#include <ctime>

namespace specmv {

// A write beyond RLIMIT_FSIZE raises SIGXFSZ, which ends an application that does not handle it.
// While an object of this class lives, such a write from this thread only fails, with EFBIG.
class NoFileSizeSignal {
public:
  NoFileSizeSignal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    isBlocked_ = pthread_sigmask(SIG_BLOCK, &signal_, &before_) == 0;
  }
  NoFileSizeSignal(const NoFileSizeSignal &) = delete;
  NoFileSizeSignal &operator=(const NoFileSizeSignal &) = delete;
  ~NoFileSizeSignal() {
    if (!isBlocked_ || sigismember(&before_, SIGXFSZ) == 1)
      return;
    const timespec now{};
    sigtimedwait(&signal_, nullptr, &now); // removes the pending signal, if there is one
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

private:
  sigset_t signal_{}, before_{};
  bool isBlocked_ = false;
};

} // namespace specmv
