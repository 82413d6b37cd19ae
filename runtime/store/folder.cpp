// Expands paths, opens folders with openat(2), and checks owners and modes.
#include "runtime/store/folder.h"

#include "models/base/fork.h"
#include "models/base/lasting.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <memory>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

namespace specmv {

// --- Trust ---------------------------------------------------------------------------------------

// Checks owner and mode, and writes the sentence.

std::string whyNotTrusted(const Access &access, const std::string &path, const std::string &root,
                          uid_t user) {
  const char *all = path == root ? "" : "-R ";
  if (access.owner != user && access.owner != 0)
    return llvm::formatv("{0} belongs to user {1}, not to you (user {2}) or root, so it is not "
                         "used; if you trust its contents, run 'chown {3}{2} {4}'",
                         path, access.owner, user, all, root);
  const bool byGroup = (access.mode & S_IWGRP) != 0, byOthers = (access.mode & S_IWOTH) != 0;
  if (!byGroup && !byOthers)
    return "";
  const std::string what = llvm::formatv("{0} may be written by {1} (its mode is {2}), so it is "
                                         "not used; ",
                                         path,
                                         !byOthers  ? "its group"
                                         : !byGroup ? "others"
                                                    : "its group and others",
                                         llvm::format("%04o", access.mode));
  if ((access.mode & S_ISVTX) != 0 && path == root) // such as /tmp, whose mode must stay
    return what + "all users share it, so name a folder of your own, for example one in it";
  return llvm::formatv("{0}if you trust its contents, run 'chmod {1}go-w {2}'", what, all, root);
}

// --- Absolute ------------------------------------------------------------------------------------

// Expands paths, and remembers those of the environment.

std::string absolutePath(llvm::StringRef path) {
  llvm::SmallString<256> out(path);
  return llvm::sys::fs::make_absolute(out) ? path.str() : out.str().str();
}

namespace {
struct Relative {
  ForkMutex mutex; // guards the rest
  std::map<std::string, std::string> absolute;
};
} // namespace

std::string environmentPath(const std::string &path) {
  llvm::SmallString<256> expanded;
  llvm::sys::fs::expand_tilde(path, expanded);
  if (path.empty() || llvm::sys::path::is_absolute(expanded))
    return expanded.str().str();
  static Lasting<Relative> known;
  const std::lock_guard lock(known->mutex);
  std::string &out = known->absolute[path];
  if (out.empty())
    out = absolutePath(path);
  return out;
}

std::vector<std::string> listedPaths(llvm::StringRef list, bool isOfEnvironment) {
  std::vector<std::string> paths;
  for (llvm::StringRef rest = list; !rest.empty();) {
    auto [path, tail] = rest.split(':');
    if (!path.empty())
      paths.push_back(isOfEnvironment ? environmentPath(path.str()) : absolutePath(path));
    rest = tail;
  }
  return paths;
}

// --- Folder --------------------------------------------------------------------------------------

// Opens folders with openat(2), one component at a time, and checks that each is trusted.

static constexpr int kToEnter = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

static llvm::Error notOpened(const std::string &path, int error) {
  return fail(Status::missing, "cannot open {0}: {1}", path,
              std::generic_category().message(error));
}

llvm::Error unlessMissing(llvm::Error error) {
  if (!error)
    return error;
  auto [status, sentence] = describe(std::move(error));
  return status == Status::missing ? llvm::Error::success() : failWith(status, sentence);
}

llvm::Expected<Folder> Folder::ifTrusted(Folder folder) {
  struct stat status = {};
  if (fstat(folder.fd_, &status) != 0)
    return notOpened(folder.path_, errno);
  if (std::string why =
          whyNotTrusted({status.st_uid, status.st_mode & 07777U}, folder.path_, folder.root_);
      !why.empty())
    return failWith(Status::badInput, std::move(why));
  return folder;
}

llvm::Expected<Folder> Folder::open(const std::string &root) {
  Folder folder(root, root);
  folder.fd_ = ::open(root.c_str(), kToEnter);
  return folder.fd_ < 0 ? notOpened(root, errno) : ifTrusted(std::move(folder));
}

Folder::~Folder() {
  if (fd_ >= 0)
    close(fd_);
}

llvm::Error Folder::failure(const std::string &name, int error) const {
  const std::string path = path_ + "/" + name;
  struct stat status = {};
  if (fstatat(fd_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode))
    return fail(Status::badInput,
                "{0} is a symbolic link, which is not followed below {1}; remove it: 'rm {0}'",
                path, root_);
  return notOpened(path, error);
}

llvm::Expected<Folder> Folder::below(const std::string &name) const {
  Folder folder(root_, path_ + "/" + name);
  folder.fd_ = openat(fd_, name.c_str(), kToEnter | O_NOFOLLOW);
  return folder.fd_ < 0 ? failure(name, errno) : ifTrusted(std::move(folder));
}

llvm::Expected<Folder> Folder::made(const std::string &name) const {
  if (mkdirat(fd_, name.c_str(), kFolderMode) != 0 && errno != EEXIST)
    return fail(Status::missing, "cannot create the directory {0}/{1}: {2}", path_, name,
                std::generic_category().message(errno));
  return below(name);
}

llvm::Expected<ReadFile> Folder::file(const std::string &name) const {
  auto file = ReadFile::openIn(fd_, name);
  if (!file)
    return failure(name, file.getError().value());
  if (std::string why = whyNotTrusted(file->access(), path_ + "/" + name, root_); !why.empty())
    return failWith(Status::badInput, std::move(why));
  return std::move(*file);
}

std::vector<std::string> Folder::names() const {
  std::vector<std::string> names;
  // Uses a separate descriptor, since reading a folder moves its offset.
  const int fd = openat(fd_, ".", kToEnter);
  const std::unique_ptr<DIR, int (*)(DIR *)> all(fd < 0 ? nullptr : fdopendir(fd), closedir);
  if (!all && fd >= 0)
    close(fd);
  while (const dirent *entry = all ? readdir(all.get()) : nullptr)
    if (const llvm::StringRef name = entry->d_name; name != "." && name != "..")
      names.push_back(name.str());
  return names;
}

std::optional<Folder::Listed> Folder::look(const std::string &name) const {
  struct stat status = {};
  if (fstatat(fd_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  const auto sinceEpoch = std::chrono::seconds(status.st_mtim.tv_sec) +
                          std::chrono::nanoseconds(status.st_mtim.tv_nsec);
  return Listed{static_cast<uint64_t>(status.st_size),
                std::chrono::system_clock::time_point(sinceEpoch),
                {status.st_uid, status.st_mode & 07777}};
}

llvm::Expected<bool> Folder::remove(const std::string &name) const {
  if (unlinkat(fd_, name.c_str(), 0) == 0)
    return true;
  if (errno == ENOENT)
    return false;
  return fail(Status::missing, "cannot remove {0}/{1}: {2}", path_, name,
              std::generic_category().message(errno));
}

} // namespace specmv
