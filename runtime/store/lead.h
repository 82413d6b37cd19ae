// Lets one of many processes that miss the same entry make it, while the others wait.
#pragma once

#include "models/base/fork.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <string>

namespace specmv {

// The longest wait for another process to make the entry, before this one makes it itself.
// Kernels take 50 to 300 ms to compile, longer on a machine on which many processes start; one that
// takes this long is most likely stuck.
constexpr std::chrono::milliseconds kMaxWaitForLeader{10000};

// A lock on a file (flock), which the kernel releases when its holder dies for any reason. Forked
// children of the holder do not have it. It only avoids double work: entries are complete because a
// rename publishes them. So on any failure (a file system without locks, a directory that cannot be
// written, a leader that takes too long) the caller continues without the lock.
class Leadership {
public:
  // Takes the lock, waiting for another holder no longer than `most`. The file is made for this
  // user alone. A relative name refers to the
  // folder of that descriptor.
  static Leadership take(const std::string &file,
                         std::chrono::milliseconds most = kMaxWaitForLeader, int folder = AT_FDCWD);
  static Leadership none() { return {}; } // no lock
  Leadership(Leadership &&other) noexcept = default;
  Leadership &operator=(Leadership &&) = delete;
  ~Leadership(); // releases it

  bool isHeld() const { return file_.descriptor() >= 0; }
  // If the lock was not taken: returns true if another process holds it; otherwise error() says
  // why.
  bool isElsewhere() const { return !isHeld() && error_ == EWOULDBLOCK; }
  int error() const { return error_; }

private:
  Leadership() = default;
  ForkFile file_; // none: without a lock
  int error_ = 0;
};

} // namespace specmv
