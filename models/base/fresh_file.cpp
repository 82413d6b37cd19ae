// Makes files without a name and links them (Linux: open(2), O_TMPFILE), or files with a temporary
// name and renames them.
#include "models/base/fresh_file.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace specmv {

static std::error_code errorOf(int number) { return {number, std::generic_category()}; }

// The path by which this process can link a file that it has open, even one without a name.
static std::string handleOf(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

// Returns 0 or errno.
static int linkTo(int fd, int folder, const std::string &path) {
  const std::string handle = handleOf(fd);
  const int status = linkat(AT_FDCWD, handle.c_str(), folder, path.c_str(), AT_SYMLINK_FOLLOW);
  return status == 0 ? 0 : errno;
}

// Returns a descriptor, or -1 if the system does not support files without a name.
static int openUnnamed(const std::string &target, int folder, mode_t mode) {
  const std::string parent = llvm::sys::path::parent_path(target).str();
  const int fd =
      openat(folder, parent.empty() ? "." : parent.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  if (fd < 0 || access(handleOf(fd).c_str(), F_OK) == 0)
    return fd;
  close(fd); // without /proc the file could not be linked
  return -1;
}

static constexpr llvm::StringLiteral kEnding = ".tmp";

llvm::StringRef FreshFile::targetOf(llvm::StringRef temporary) {
  const auto isNumber = [](llvm::StringRef text) {
    return !text.empty() && llvm::all_of(text, llvm::isDigit);
  };
  if (!temporary.consume_back(kEnding))
    return "";
  const auto [target, numbers] = temporary.rsplit('.');
  const auto [process, count] = numbers.split('-');
  return isNumber(process) && isNumber(count) ? target : "";
}

// Tries names in the target's folder until `take`, which returns 0 or errno, finds a free one.
static int takeName(const std::string &target, std::string &name,
                    llvm::function_ref<int(const std::string &)> take) {
  constexpr int kTries = 1000; // earlier processes with this process id may have left files
  int error = EEXIST;
  for (int i = 0; i < kTries && error == EEXIST; ++i) {
    name = target + "." + std::to_string(getpid()) + "-" + std::to_string(i) + kEnding.str();
    error = take(name);
  }
  if (error != 0)
    name.clear();
  return error;
}

// If the replaced file belongs to this user, the new file gets its permissions as far as `most`
// allows, so that the same users may read it. Setuid, setgid and sticky bits are not copied.
// Another user's file is ignored: in a shared folder, any user may have put one under this name.
static void takeModeOf(const std::string &target, int folder, mode_t most, int fd) {
  struct stat old = {};
  if (fstatat(folder, target.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(old.st_mode) &&
      old.st_uid == geteuid())
    (void)fchmod(fd, old.st_mode & 0777 & (most | S_IXUSR | S_IXGRP | S_IXOTH));
}

llvm::ErrorOr<FreshFile> FreshFile::beside(const std::string &target, int folder, mode_t most) {
  FreshFile file;
  file.target_ = target;
  file.folder_ = folder;
  file.fd_ = openUnnamed(target, folder, most);
  if (file.fd_ >= 0) {
    takeModeOf(target, folder, most, file.fd_);
    return file;
  }
  const int error = takeName(target, file.temporary_, [&](const std::string &name) {
    file.fd_ = openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, most);
    return file.fd_ < 0 ? errno : 0;
  });
  if (error != 0)
    return errorOf(error);
  takeModeOf(target, folder, most, file.fd_);
  return file;
}

FreshFile::FreshFile(FreshFile &&other) noexcept
    : target_(std::move(other.target_)), temporary_(std::exchange(other.temporary_, {})),
      folder_(other.folder_), fd_(std::exchange(other.fd_, -1)) {}

FreshFile::~FreshFile() {
  if (fd_ >= 0)
    close(fd_);
  if (!temporary_.empty())
    unlinkat(folder_, temporary_.c_str(), 0);
}

std::error_code FreshFile::publish() {
  int error = 0;
  if (temporary_.empty()) {
    error = linkTo(fd_, folder_, target_);
    if (error == EEXIST) // a link cannot replace a file; a rename can
      error = takeName(target_, temporary_,
                       [this](const std::string &name) { return linkTo(fd_, folder_, name); });
  }
  if (close(std::exchange(fd_, -1)) != 0 && error == 0 && errno != EINTR) {
    error = errno; // network file systems report failed writes here
    if (temporary_.empty())
      unlinkat(folder_, target_.c_str(), 0);
  }
  if (error == 0 && !temporary_.empty()) {
    error = renameat(folder_, temporary_.c_str(), folder_, target_.c_str()) == 0 ? 0 : errno;
    if (error == 0)
      temporary_.clear();
  }
  return errorOf(error);
}

} // namespace specmv
