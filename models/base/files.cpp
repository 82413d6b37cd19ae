// Writes files without a name and links them, or files with a temporary name and renames them.
#include "models/base/files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace specmv {

// --- Fresh file ----------------------------------------------------------------------------------

// Makes files without a name and links them (Linux: open(2), O_TMPFILE), or files with a temporary
// name and renames them.

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

// --- Whole file ----------------------------------------------------------------------------------

// Writes a file completely or not at all, and to devices directly.

namespace fs = llvm::sys::fs;

// A raw_fd_ostream that is destroyed with an error in it ends the process. This guard flushes the
// stream and clears its error on every path, including an exception from `write`.
namespace {
class Finished {
public:
  explicit Finished(llvm::raw_fd_ostream &out) : out_(out) {}
  Finished(const Finished &) = delete;
  Finished &operator=(const Finished &) = delete;
  ~Finished() {
    out_.flush();
    out_.clear_error();
  }

private:
  llvm::raw_fd_ostream &out_;
};
} // namespace

static std::error_code writeTo(int fd, bool closes,
                               llvm::function_ref<void(llvm::raw_ostream &)> write) {
  const NoFileSizeSignal quiet;
  llvm::raw_fd_ostream out(fd, closes);
  const Finished finished(out);
  out.SetBufferSize(1 << 20); // one system call per megabyte
  write(out);
  out.flush();
  if (closes)
    out.close();
  return out.error();
}

namespace {
// A place for results: a file to replace, or a descriptor that this process has open.
struct Destination {
  std::string file;
  int descriptor = -1; // set if the path names a descriptor of this process: /dev/stdout, /dev/fd/3
};
} // namespace

static int ownDescriptor(llvm::StringRef file) {
  namespace path = llvm::sys::path;
  int number = -1;
  const llvm::StringRef folder = path::parent_path(file);
  const bool isOwn = !path::filename(file).getAsInteger(10, number) && number >= 0 &&
                     fs::equivalent(folder, "/proc/self/fd");
  return isOwn ? number : -1;
}

// In a shared folder, Linux refuses to follow links of other users (proc(5), protected_symlinks),
// since they could choose which of our files is replaced. A rename follows no link, so this
// function makes the same check.
static bool isStrangers(const struct stat &link, const std::string &folder) {
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  struct stat shared = {};
  return link.st_uid != geteuid() && stat(folder.c_str(), &shared) == 0 &&
         (shared.st_mode & kShared) == kShared && shared.st_uid != link.st_uid;
}

static llvm::Error cannotWrite(llvm::StringRef path, const std::error_code &error) {
  return fail(Status::badInput, "{0}: error: cannot write: {1}", path, error.message());
}

// Follows links, so that a rename replaces the file that they lead to. A link may lead to a file
// that does not exist yet.
static llvm::Expected<Destination> destination(llvm::StringRef path) {
  llvm::SmallString<256> file(path);
  for (int links = 0; links < 40; ++links) { // the limit of Linux
    if (const int descriptor = ownDescriptor(file); descriptor >= 0)
      return Destination{"", descriptor};
    struct stat status = {};
    if (lstat(file.c_str(), &status) != 0 || !S_ISLNK(status.st_mode))
      return Destination{file.str().str()};
    const std::string parent = llvm::sys::path::parent_path(file).str();
    const std::string folder = parent.empty() ? "." : parent;
    if (isStrangers(status, folder))
      return fail(
          Status::badInput,
          "{0}: error: {1} is a link of another user in a folder that all users may write to, "
          "so it is not followed; name the target file itself",
          path, file.str());
    std::error_code error;
    file = std::filesystem::read_symlink(file.c_str(), error).string();
    if (error)
      return cannotWrite(path, error);
    fs::make_absolute(folder, file);
  }
  return cannotWrite(path, std::make_error_code(std::errc::too_many_symbolic_link_levels));
}

static std::error_code replaceFile(const std::string &target,
                                   llvm::function_ref<void(llvm::raw_ostream &)> write,
                                   mode_t most) {
  auto file = FreshFile::beside(target, AT_FDCWD, most);
  if (!file)
    return file.getError();
  if (std::error_code error = writeTo(file->descriptor(), /*closes=*/false, write))
    return error;
  return file->publish();
}

static std::error_code writeInPlace(const std::string &target,
                                    llvm::function_ref<void(llvm::raw_ostream &)> write) {
  int fd = -1;
  if (std::error_code error = fs::openFileForWrite(target, fd, fs::CD_OpenExisting))
    return error;
  return writeTo(fd, /*closes=*/true, write);
}

// Returns true if the target is a device or a pipe, which is written in place. Returns an error if
// the target must not be written.
static llvm::Expected<bool> isStream(const std::string &target, llvm::StringRef path) {
  fs::file_status status;
  const bool exists = !fs::status(target, status) && fs::exists(status);
  const bool stream =
      status.type() == fs::file_type::character_file || status.type() == fs::file_type::fifo_file;
  if (exists && !stream && !fs::is_regular_file(status))
    return fail(Status::badInput, "{0}: error: this is not a regular file", path);
  return exists && stream;
}

static llvm::Error writeToFile(const std::string &target, llvm::StringRef path,
                               llvm::function_ref<void(llvm::raw_ostream &)> write, mode_t most) {
  auto stream = isStream(target, path);
  if (!stream)
    return stream.takeError();
  const std::error_code error =
      *stream ? writeInPlace(target, write) : replaceFile(target, write, most);
  return error ? cannotWrite(path, error) : llvm::Error::success();
}

llvm::Error checkWholeFile(llvm::StringRef path) {
  auto found = destination(path);
  if (!found)
    return found.takeError();
  if (found->descriptor >= 0)
    return llvm::Error::success();
  auto stream = isStream(found->file, path);
  if (!stream)
    return stream.takeError();
  if (*stream)
    return llvm::Error::success();
  const auto file = FreshFile::beside(found->file); // never published
  return file ? llvm::Error::success() : cannotWrite(path, file.getError());
}

constexpr mode_t kAnyMode = 0666; // as far as the umask allows

llvm::Error writeNewFile(llvm::StringRef path,
                         llvm::function_ref<void(llvm::raw_ostream &)> write) {
  const std::error_code error = replaceFile(path.str(), write, kAnyMode);
  return error ? cannotWrite(path, error) : llvm::Error::success();
}

llvm::Error writeWholeFile(llvm::StringRef path,
                           llvm::function_ref<void(llvm::raw_ostream &)> write, mode_t most) {
  auto found = destination(path);
  if (!found)
    return found.takeError();
  if (found->descriptor < 0)
    return writeToFile(found->file, path, write, most);
  // Continues at the current position of the descriptor: it may be a log that is appended to, or a
  // pipe, which has no name.
  const std::error_code error = writeTo(found->descriptor, /*closes=*/false, write);
  return error ? cannotWrite(path, error) : llvm::Error::success();
}

} // namespace specmv
