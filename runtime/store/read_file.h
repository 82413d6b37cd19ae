// A regular file that is open for reading, at any offset and by any number of threads.
#pragma once

#include "llvm/Support/ErrorOr.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace specmv {

// Who may change a file or folder.
struct Access {
  uid_t owner = 0;
  mode_t mode = 0; // the bits of chmod
};

class ReadFile {
public:
  // Fails for what is not a regular file, and does not wait for the writer of a pipe.
  static llvm::ErrorOr<ReadFile> open(const std::string &path);
  // The file of that name in the folder of a descriptor. Fails for a symbolic link too.
  static llvm::ErrorOr<ReadFile> openIn(int folder, const std::string &name);
  ReadFile(ReadFile &&other) noexcept
      : fd_(std::exchange(other.fd_, -1)), size_(other.size_), identity_(other.identity_),
        access_(other.access_) {}
  ReadFile &operator=(ReadFile &&) = delete;
  ~ReadFile();

  uint64_t size() const { return size_; } // when it was opened
  // So many bytes from an offset; nullopt if the file does not have them (any longer).
  std::optional<std::vector<char>> read(uint64_t offset, uint64_t count) const;

  // Tells others that the file was used, by its time, unless this was told within `within`.
  void tellUse(std::chrono::seconds within) const;

  // Tells two files apart, and a file from itself after it was written again.
  struct Identity {
    uint64_t device = 0, inode = 0, size = 0;
    int64_t seconds = 0, nanoseconds = 0; // of the last change
    bool operator==(const Identity &) const = default;
  };
  const Identity &identity() const { return identity_; }
  const Access &access() const { return access_; } // when it was opened

private:
  explicit ReadFile(int fd) : fd_(fd) {}
  static llvm::ErrorOr<ReadFile> opened(int fd);

  int fd_;
  uint64_t size_ = 0;
  Identity identity_;
  Access access_;
};

} // namespace specmv
