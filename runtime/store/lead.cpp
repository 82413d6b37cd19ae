// Takes locks with flock(2), asking again and again, since a blocking call has no time limit.
#include "runtime/store/lead.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace specmv {

// One in a hundred of the least time that a compilation takes would do; more often is no faster.
static constexpr std::chrono::milliseconds kBetweenTries{2};

// 0, or the errno of the failure.
static int tryToLock(int fd) { return flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno; }

Leadership Leadership::take(const std::string &file, std::chrono::milliseconds most, int folder) {
  Leadership lock;
  // O_NOFOLLOW, O_NONBLOCK: in a shared directory anybody may have put something else there.
  lock.fd_ = openat(folder, file.c_str(),
                    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0666);
  if (lock.fd_ < 0)
    return lock;
  const auto end = std::chrono::steady_clock::now() + most;
  int error = tryToLock(lock.fd_);
  while ((error == EWOULDBLOCK || error == EINTR) && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kBetweenTries);
    error = tryToLock(lock.fd_);
  }
  if (error != 0)
    close(std::exchange(lock.fd_, -1));
  return lock;
}

Leadership::Leadership(Leadership &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Leadership::~Leadership() {
  if (fd_ < 0)
    return;
  // A child that was forked meanwhile has the same lock, which closing here would leave to it.
  flock(fd_, LOCK_UN);
  close(fd_);
}

} // namespace specmv
