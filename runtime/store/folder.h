// A folder of a cache, open by its descriptor: what is found, made and removed in it does not
// depend on what anybody puts in the place of its path meanwhile.
#pragma once

#include "models/base/error.h"
#include "runtime/store/read_file.h"

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace specmv {

// Errors are missing: it is not there or cannot be opened; badInput: it is not trusted (trust.h),
// or a symbolic link below the root.
class Folder {
public:
  // The folder that the user named, the root. Its path may lead over links.
  static llvm::Expected<Folder> open(const std::string &root);
  Folder(Folder &&other) noexcept
      : root_(std::move(other.root_)), path_(std::move(other.path_)),
        fd_(std::exchange(other.fd_, -1)) {}
  Folder &operator=(Folder &&) = delete;
  ~Folder();

  // What has that name in it.
  llvm::Expected<Folder> below(const std::string &name) const;
  llvm::Expected<ReadFile> file(const std::string &name) const;
  // The same of a folder, which is made if need be. Only this user may write to it.
  llvm::Expected<Folder> made(const std::string &name) const;

  // The names of all that is in it, in no order.
  std::vector<std::string> names() const;
  // What is known of a regular file without opening it; nullopt for anything else.
  struct Listed {
    uint64_t bytes = 0;
    std::chrono::system_clock::time_point changed = {};
    Access access = {};
  };
  std::optional<Listed> look(const std::string &name) const;
  // Removes a file, if it is there. Whether this did it, and not another process before.
  llvm::Expected<bool> remove(const std::string &name) const;

  const std::string &path() const { return path_; }
  int descriptor() const { return fd_; }

private:
  // Without a descriptor: memory that runs out must not lose one.
  Folder(std::string root, std::string path) : root_(std::move(root)), path_(std::move(path)) {}
  static llvm::Expected<Folder> ifTrusted(Folder folder);
  // Why `name` could not be opened.
  llvm::Error failure(const std::string &name, int error) const;

  std::string root_, path_;
  int fd_ = -1;
};

// Success in place of an error that says that something is missing.
llvm::Error unlessMissing(llvm::Error error);

// The mode of folders that are made in a cache, as far as the umask allows it: whoever may enter
// the root may read, and nobody else may write, since the folders would not be trusted.
constexpr mode_t kFolderMode = 0755;

} // namespace specmv
