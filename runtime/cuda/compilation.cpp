// Counts the compilations that run, and sees after a fork whether there were any.
#include "runtime/cuda/compilation.h"

#include "models/base/fork_mutex.h"
#include "models/base/lasting.h"

namespace specmv {

namespace {
class Compilations {
public:
  bool begin() {
    const std::lock_guard lock(mutex_);
    if (const unsigned forks = ForkMutex::forks(); forks != forks_) {
      wereTorn_ |= running_ > 0; // by threads that this process does not have
      running_ = 0;
      forks_ = forks;
    }
    running_ += !wereTorn_;
    return !wereTorn_;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    --running_;
  }

private:
  ForkMutex mutex_; // guards the rest
  unsigned forks_ = ForkMutex::forks();
  int running_ = 0;
  bool wereTorn_ = false;
};
} // namespace

static Compilations &compilations() {
  static Lasting<Compilations> all;
  return *all;
}

Compilation::Compilation() : isAllowed_(compilations().begin()) {}

Compilation::~Compilation() {
  if (isAllowed_)
    compilations().end();
}

} // namespace specmv
