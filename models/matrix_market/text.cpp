// Reads a file into memory with read(): reading a mapped file on a network disk can end in SIGBUS.
#include "models/matrix_market/text.h"

#include "llvm/ADT/ScopeExit.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

namespace specmv::matrixmarket {

bool Bytes::reserve(size_t capacity) {
  if (capacity <= capacity_)
    return true;
  if (!memoryHolds(static_cast<int64_t>(capacity - size_)))
    return false;
  auto *larger = static_cast<char *>(std::realloc(data_.get(), capacity));
  if (!larger)
    return false;
  (void)data_.release();
  data_.reset(larger);
  capacity_ = capacity;
  return true;
}

llvm::Error outOfMemory(llvm::StringRef file) {
  return fileError(Status::missing, file, "not enough memory for this matrix");
}

// Kilobytes in the line "MemAvailable: 123 kB".
static int64_t availableBytes() {
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("MemAvailable:"))
      return std::atoll(line.c_str() + line.find(':') + 1) * 1024;
  return std::numeric_limits<int64_t>::max();
}

// The memory limit of the container; the file contains "max" if there is no limit.
static int64_t containerBytes() {
  std::ifstream in("/sys/fs/cgroup/memory.max");
  int64_t bytes = 0;
  return in >> bytes ? bytes : std::numeric_limits<int64_t>::max();
}

bool memoryHolds(int64_t bytes) {
  constexpr int64_t kNotWorthAsking = 256 << 20; // derived: machines with a GPU have more free
  return bytes <= kNotWorthAsking || bytes <= std::min(availableBytes(), containerBytes());
}

static llvm::Error systemError(llvm::StringRef path, const char *what) {
  return fileError(Status::badInput, path, "cannot {0}: {1}", what, std::strerror(errno));
}

// Reads up to the end, which need not be where fstat said: so it can read pipes and growing files.
static llvm::Expected<Bytes> readAll(int fd, size_t expected, llvm::StringRef path) {
  constexpr size_t kMost = 1 << 30; // Linux reads at most 2^31 - 4096 bytes at once
  Bytes bytes;
  // One byte more than expected: the read that finds the end then needs no larger buffer.
  if (!bytes.reserve(std::max<size_t>(expected + 1, 4096)))
    return outOfMemory(path);
  for (;;) {
    if (bytes.room() == 0 && !bytes.grow())
      return outOfMemory(path);
    ssize_t got = ::read(fd, bytes.end(), std::min(bytes.room(), kMost));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemError(path, "read");
    if (got == 0)
      return bytes;
    bytes.add(static_cast<size_t>(got));
  }
}

static llvm::Expected<Bytes> readFile(llvm::StringRef path) {
  int fd = ::open(path.str().c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return systemError(path, "open");
  auto close = llvm::make_scope_exit([fd] { ::close(fd); });
  struct stat facts {};
  if (::fstat(fd, &facts) != 0)
    return systemError(path, "examine");
  if (S_ISDIR(facts.st_mode))
    return fileError(Status::badInput, path, "this is a directory");
  return readAll(fd, static_cast<size_t>(facts.st_size), path);
}

llvm::Expected<Bytes> readText(llvm::StringRef path) {
  llvm::Expected<Bytes> bytes = readFile(path);
  if (!bytes || !bytes->text().starts_with("\x1f\x8b"))
    return bytes;
  return gunzip(bytes->text(), path);
}

} // namespace specmv::matrixmarket
