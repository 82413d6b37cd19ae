// Lets one of many processes that miss the same entry make it while the others wait for it.
#pragma once

#include "models/base/fork_file.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <string>

namespace specmv {

// How long a process waits for one that makes the entry, before it makes the entry itself. Kernels
// take 30 to 300 ms to compile, and a machine on which many processes start is slower; one that
// takes this long is as good as stuck.
constexpr std::chrono::milliseconds kMaxWaitForLeader{10000};

// A lock on a file (flock), which the kernel releases when its holder dies, however it dies. A
// process that the holder forks does not have it. It only saves double work: that an entry is whole
// follows from the rename that publishes it. So every failure (a file system without locks, a
// directory that cannot be written, a leader that takes too long) means that the caller goes on
// without the lock.
class Leadership {
public:
  // Takes the lock, waiting for another holder no longer than `most`. A relative name is in the
  // folder of that descriptor.
  static Leadership take(const std::string &file,
                         std::chrono::milliseconds most = kMaxWaitForLeader, int folder = AT_FDCWD);
  static Leadership none() { return {}; } // without a lock
  Leadership(Leadership &&other) noexcept = default;
  Leadership &operator=(Leadership &&) = delete;
  ~Leadership(); // releases it

  bool isHeld() const { return file_.descriptor() >= 0; }
  // Of a lock that was not taken: whether another process holds it, and else the errno of why.
  bool isElsewhere() const { return !isHeld() && error_ == EWOULDBLOCK; }
  int error() const { return error_; }

private:
  Leadership() = default;
  ForkFile file_; // none: without a lock
  int error_ = 0;
};

} // namespace specmv
