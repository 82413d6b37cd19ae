// Lets the calls of threads for one plan follow each other, also in a forked child.
#pragma once

#include <atomic>
#include <mutex>
#include <new>
#include <shared_mutex>

namespace specmv_python {

// The number of forks since the module was imported; countForks() is called once, at that time.
unsigned forks();
void countForks();

// A product may take long, so fork() does not wait for it. A child has no thread that could unlock
// the mutex, so it begins with a new one.
class Turns {
public:
  // Call it with the GIL, which lets only one thread renew the mutex, before the GIL is released
  // and the mutex locked.
  void renewInChild() {
    if (forks_ == forks())
      return;
    forks_ = forks();
    new (&mutex_) std::shared_mutex;
    if (isChanging_.exchange(false))
      isTorn_ = true;
  }
  std::unique_lock<std::shared_mutex> alone() { return std::unique_lock(mutex_); }
  std::shared_lock<std::shared_mutex> beside() { return std::shared_lock(mutex_); }
  // Call these around a change of the plan, which is made by one thread at a time.
  void beginChange() { isChanging_ = true; }
  void endChange(bool isWhole) {
    isChanging_ = false;
    if (isWhole)
      isTorn_ = false;
  }
  // True if the process was forked during a change and none has succeeded since.
  bool isTorn() const { return isTorn_; }

private:
  unsigned forks_ = forks();
  std::shared_mutex mutex_; // locked without the GIL only, so that no thread waits for both
  std::atomic<bool> isChanging_ = false, isTorn_ = false;
};

// Leaves a plan torn in a process that is forked during its life.
class Change {
public:
  explicit Change(Turns *turns) : turns_(turns) {
    if (!turns_)
      return;
    turns_->renewInChild();
    turns_->beginChange();
  }
  Change(const Change &) = delete;
  Change &operator=(const Change &) = delete;
  ~Change() {
    if (turns_)
      turns_->endChange(isWhole_);
  }
  void succeeded() { isWhole_ = true; }

private:
  Turns *turns_; // none: no plan changes
  bool isWhole_ = false;
};

} // namespace specmv_python
