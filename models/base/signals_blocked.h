// Keeps signals from interrupting a part of the library.
#pragma once

#include <csignal>
#include <initializer_list>

namespace specmv {

// Blocks all signals but these in this thread, and puts back what was blocked before.
class SignalsBlocked {
public:
  explicit SignalsBlocked(std::initializer_list<int> butThese = {}) {
    sigset_t all;
    sigfillset(&all);
    for (const int signal : butThese)
      sigdelset(&all, signal);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_{};
};

} // namespace specmv
