// Appends groups of JSON lines with plain system calls, and reads the lines of an earlier bench.
#include "runtime/cli/bench/log.h"

#include "runtime/cli/bench/session.h"
#include "runtime/cli/progress.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace specmv::cli {

namespace json = llvm::json;

static llvm::Error logFileError(const char *what, const std::string &path) {
  return fail(Status::badInput, "cannot {0} '{1}': {2}", what, path, std::strerror(errno));
}

BenchLog::BenchLog(BenchLog &&other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)),
      records_(std::move(other.records_)), curves_(std::move(other.curves_)),
      done_(std::move(other.done_)) {}

BenchLog::~BenchLog() {
  if (fd_ > STDOUT_FILENO)
    close(fd_);
}

// Opens a file and locks it: two benches that write to it at the same time would mix their lines.
static llvm::Expected<int> openExclusively(const std::string &path, int flags) {
  const int fd = open(path.c_str(), flags | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0)
    return logFileError("write", path);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(fd);
    return fail(Status::badInput,
                "another bench is writing to '{0}'; wait for it or name another file", path);
  }
  return fd;
}

llvm::Expected<BenchLog> BenchLog::create(const std::string &path) {
  BenchLog log;
  if (path.empty() || path == "-") {
    log.path_ = "standard output";
    log.fd_ = STDOUT_FILENO;
    return log;
  }
  auto fd = openExclusively(path, O_WRONLY);
  if (!fd)
    return fd.takeError();
  log.path_ = path;
  log.fd_ = *fd;
  if (ftruncate(log.fd_, 0) != 0 && errno != EINVAL) // the answer of a pipe or a device
    return logFileError("shorten", path);
  return log;
}

// Returns the contents of an open file, which must be a regular one: other files may have no end.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> bytesOf(int fd,
                                                                   const std::string &path) {
  struct stat status {};
  if (fstat(fd, &status) != 0)
    return logFileError("read", path);
  if (!S_ISREG(status.st_mode))
    return fail(Status::badInput, "{0}: error: this is not a regular file", path);
  auto bytes = llvm::MemoryBuffer::getOpenFile(fd, path, static_cast<uint64_t>(status.st_size),
                                               /*RequiresNullTerminator=*/false,
                                               /*IsVolatile=*/true);
  if (!bytes)
    return fail(Status::badInput, "cannot read '{0}': {1}", path, bytes.getError().message());
  return std::move(*bytes);
}

llvm::Expected<BenchLog> BenchLog::resume(const std::string &path, const json::Object &session) {
  BenchLog log;
  log.path_ = path;
  auto fd = openExclusively(path, O_RDWR | O_APPEND);
  if (!fd)
    return fd.takeError();
  log.fd_ = *fd;
  auto bytes = bytesOf(log.fd_, path);
  if (!bytes)
    return bytes.takeError();
  auto text = parseBench((*bytes)->getBuffer(), path);
  if (!text)
    return text.takeError();
  for (const json::Object &before : text->sessions)
    if (llvm::Error error = checkSession(before, session, path))
      return error;
  if (!text->sessions.empty())
    warnOfVersions(text->sessions.back(), session, path);
  log.done_ = text->records;
  log.records_ = std::move(text->records);
  log.curves_ = std::move(text->curves);
  if (ftruncate(log.fd_, static_cast<off_t>(text->kept)) != 0)
    return logFileError("shorten", path);
  return log;
}

bool BenchLog::takeDone(const CsrMatrix &matrix, ValueType type) {
  const auto found =
      llvm::find_if(done_, [&](const BenchRecord &record) { return isOf(record, matrix, type); });
  if (found == done_.end())
    return false;
  done_.erase(found);
  return true;
}

llvm::Error BenchLog::append(const std::string &lines) {
  const ProgressPause pause;
  for (size_t at = 0; at < lines.size();) {
    const ssize_t written = write(fd_, lines.data() + at, lines.size() - at);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return logFileError("write", path_);
    at += static_cast<size_t>(written);
  }
  return llvm::Error::success();
}

} // namespace specmv::cli
