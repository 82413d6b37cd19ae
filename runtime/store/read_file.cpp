// Opens and reads files with plain system calls: a mapped file that disappears from a network file
// system would kill the process (SIGBUS).
#include "runtime/store/read_file.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace specmv {

// O_NONBLOCK: if the path is a pipe, opening it must not wait for a writer.
static constexpr int kToRead = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

llvm::ErrorOr<ReadFile> ReadFile::open(const std::string &path) {
  return opened(::open(path.c_str(), kToRead));
}

llvm::ErrorOr<ReadFile> ReadFile::openIn(int folder, const std::string &name) {
  return opened(openat(folder, name.c_str(), kToRead | O_NOFOLLOW));
}

llvm::ErrorOr<ReadFile> ReadFile::opened(int fd) {
  ReadFile file(fd);
  struct stat status = {};
  if (file.fd_ < 0 || fstat(file.fd_, &status) != 0)
    return std::error_code(errno, std::generic_category());
  if (!S_ISREG(status.st_mode))
    return std::make_error_code(S_ISDIR(status.st_mode) ? std::errc::is_a_directory
                                                        : std::errc::invalid_argument);
  file.size_ = static_cast<uint64_t>(status.st_size);
  file.identity_ = {status.st_dev, status.st_ino, file.size_, status.st_mtim.tv_sec,
                    status.st_mtim.tv_nsec};
  file.access_ = {status.st_uid, status.st_mode & 07777};
  return file;
}

ReadFile::~ReadFile() {
  if (fd_ >= 0)
    close(fd_);
}

void ReadFile::tellUse(std::chrono::seconds within) const {
  timespec now = {};
  // A failure is ignored: the file is another user's, or the file system is read-only.
  if (clock_gettime(CLOCK_REALTIME, &now) == 0 &&
      std::abs(now.tv_sec - identity_.seconds) > within.count())
    (void)futimens(fd_, nullptr);
}

std::optional<std::vector<char>> ReadFile::read(uint64_t offset, uint64_t count) const {
  if (offset > size_ || count > size_ - offset)
    return std::nullopt;
  std::vector<char> bytes(count);
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t got =
        pread(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return std::nullopt;
    done += static_cast<size_t>(got);
  }
  return bytes;
}

} // namespace specmv
