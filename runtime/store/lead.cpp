// Takes locks with flock(2) by polling, since a blocking call has no time limit.
#include "runtime/store/lead.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace specmv {

// A hundredth of the shortest compilation would be enough; polling more often is not faster.
static constexpr std::chrono::milliseconds kBetweenTries{2};

// Returns 0, or the errno of the failure.
static int tryToLock(int fd) { return flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno; }

// Whoever can open a file, if only to read it, can lock it, and would make its owner wait.
constexpr mode_t kMode = S_IRUSR | S_IWUSR;

// Earlier versions made lock files that others may read. A refusal is ignored: it is not our file.
static void closeToOthers(int fd) {
  struct stat status = {};
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & 07777) != kMode)
    (void)fchmod(fd, kMode);
}

Leadership Leadership::take(const std::string &file, std::chrono::milliseconds most, int folder) {
  Leadership lock;
  // O_NOFOLLOW, O_NONBLOCK: in a shared directory another user may have put something else there.
  const int fd = openat(folder, file.c_str(),
                        O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, kMode);
  if (fd < 0) {
    lock.error_ = errno;
    return lock;
  }
  lock.file_ = ForkFile(fd);
  closeToOthers(fd);
  const auto end = std::chrono::steady_clock::now() + most;
  int error = tryToLock(fd);
  while ((error == EWOULDBLOCK || error == EINTR) && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kBetweenTries);
    error = tryToLock(fd);
  }
  lock.error_ = error;
  if (error != 0)
    lock.file_ = ForkFile();
  return lock;
}

Leadership::~Leadership() {
  // A child that is just being forked may share the lock, and would keep it if this only closed the
  // file.
  if (isHeld())
    flock(file_.descriptor(), LOCK_UN);
}

} // namespace specmv
