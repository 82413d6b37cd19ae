// Reads a regular file at any offset, from any number of threads.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace specmv {

// Owner and mode of a file or folder, which say who may change it.
struct Access {
  uid_t owner = 0;
  mode_t mode = 0; // the bits of chmod
};

// Returns the bytes as text, which is valid while the vector exists and does not change.
inline llvm::StringRef viewOf(const std::vector<char> &bytes) {
  return {bytes.data(), bytes.size()};
}

class ReadFile {
public:
  // Fails unless it is a regular file; does not wait for the writer of a pipe.
  static llvm::ErrorOr<ReadFile> open(const std::string &path);
  // Opens the file of that name in the folder of a descriptor. Fails for a symbolic link too.
  static llvm::ErrorOr<ReadFile> openIn(int folder, const std::string &name);
  ReadFile(ReadFile &&other) noexcept
      : fd_(std::exchange(other.fd_, -1)), size_(other.size_), identity_(other.identity_),
        access_(other.access_) {}
  ReadFile &operator=(ReadFile &&) = delete;
  ~ReadFile();

  uint64_t size() const { return size_; } // when it was opened
  // Returns this many bytes from an offset; nullopt if the file does not have them (any more).
  std::optional<std::vector<char>> read(uint64_t offset, uint64_t count) const;

  // Sets the file's time to show that it was used, unless it is nearer to now than `within`.
  void tellUse(std::chrono::seconds within) const;

  // Distinguishes two files, and a file from itself after it was rewritten.
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
