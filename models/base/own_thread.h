// A thread of specmv's own, which the program does not notice.
#pragma once

#include <functional>
#include <pthread.h>

namespace specmv {

// Like std::thread, with two differences. Its stack does not depend on limits that the program
// chose for its own threads. And signals that are sent to the process do not interrupt it: their
// handlers belong to the program, which may have no other threads and be written for that. Signals
// of faults and of profilers still reach it.
class OwnThread {
public:
  OwnThread() = default;
  // Throws std::system_error if no thread can be started.
  explicit OwnThread(std::function<void()> work);
  OwnThread(OwnThread &&other) noexcept;
  OwnThread &operator=(OwnThread &&other) noexcept; // of one that is not joinable
  ~OwnThread() = default;                           // after join()

  bool joinable() const { return isJoinable_; }
  bool isThisThread() const { return isJoinable_ && pthread_equal(thread_, pthread_self()) != 0; }
  void join();

private:
  pthread_t thread_{};
  bool isJoinable_ = false;
};

} // namespace specmv
