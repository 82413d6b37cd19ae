// Reads the bytes of memory and of files. Files are read by read(), since access to a mapped file
// on a network disk can end in SIGBUS.
#include "models/lab/matrix_market/input.h"

#include "models/base/stage.h"
#include "models/lab/matrix_market/text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace specmv::matrixmarket {

static llvm::Error systemError(llvm::StringRef path, const char *what) {
  return fileError(Status::badInput, path, "cannot {0}: {1}", what, std::strerror(errno));
}

namespace {

class MemoryInput : public Input {
public:
  explicit MemoryInput(llvm::StringRef text) : rest_(text) {}
  llvm::Expected<size_t> read(char *to, size_t room) override {
    const llvm::StringRef given = rest_.take_front(room);
    std::copy(given.begin(), given.end(), to);
    rest_ = rest_.drop_front(given.size());
    return given.size();
  }

private:
  llvm::StringRef rest_;
};

class FileInput : public Input {
public:
  // `bytes` is the size of the file, or 0 if it is unknown, as for a pipe.
  FileInput(int fd, llvm::StringRef path, int64_t bytes)
      : fd_(fd), path_(path), stage_(("reading " + path).str(), Stage::Counts::bytes, bytes) {}
  ~FileInput() override { ::close(fd_); }

  llvm::Expected<size_t> read(char *to, size_t room) override {
    if (!start_.empty()) {
      const size_t given = start_.copy(to, room);
      start_.erase(0, given);
      return given;
    }
    return readOn(to, room);
  }

  // Reads the first bytes and keeps them for read().
  llvm::Expected<bool> startsWith(llvm::StringRef bytes) {
    while (start_.size() < bytes.size()) {
      char next = 0;
      auto got = readOn(&next, 1);
      if (!got)
        return got.takeError();
      if (*got == 0)
        return false;
      start_ += next;
      if (!bytes.starts_with(start_))
        return false;
    }
    return true;
  }

private:
  llvm::Expected<size_t> readOn(char *to, size_t room) {
    constexpr size_t kMost = 1 << 30; // Linux reads at most 2^31 - 4096 bytes at once
    ssize_t got = 0;
    do
      got = ::read(fd_, to, std::min(room, kMost));
    while (got < 0 && errno == EINTR);
    if (got < 0)
      return systemError(path_, "read");
    stage_.advance(got);
    return static_cast<size_t>(got);
  }

  int fd_;
  std::string path_, start_;
  Stage stage_;
};

} // namespace

std::unique_ptr<Input> inputOf(llvm::StringRef text) { return std::make_unique<MemoryInput>(text); }

llvm::Expected<std::unique_ptr<Input>> openInput(llvm::StringRef path) {
  const int fd = ::open(path.str().c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return systemError(path, "open");
  struct stat facts {};
  const bool isExamined = ::fstat(fd, &facts) == 0;
  const int64_t bytes = isExamined && S_ISREG(facts.st_mode) ? facts.st_size : 0;
  auto file = std::make_unique<FileInput>(fd, path, bytes); // the object closes fd
  if (!isExamined)
    return systemError(path, "examine");
  if (S_ISDIR(facts.st_mode))
    return fileError(Status::badInput, path, "this is a directory");
  auto packed = file->startsWith(kGzipStart);
  if (!packed)
    return packed.takeError();
  if (*packed)
    return gunzipped(std::move(file), path);
  return file;
}

} // namespace specmv::matrixmarket
