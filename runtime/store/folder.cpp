// Opens folders with openat(2), one component at a time, and asks whether each is trusted.
#include "runtime/store/folder.h"

#include "runtime/store/trust.h"

#include "llvm/ADT/StringRef.h"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace specmv {

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

llvm::Expected<Folder> Folder::opened(const std::string &root, const std::string &path, int fd) {
  Folder folder(root, path, fd);
  struct stat status = {};
  if (fstat(fd, &status) != 0)
    return notOpened(path, errno);
  if (std::string why = whyNotTrusted({status.st_uid, status.st_mode & 07777U}, path, root);
      !why.empty())
    return failWith(Status::badInput, std::move(why));
  return folder;
}

llvm::Expected<Folder> Folder::open(const std::string &root) {
  const int fd = ::open(root.c_str(), kToEnter);
  return fd < 0 ? notOpened(root, errno) : opened(root, root, fd);
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
                "{0} is a symbolic link, and none is followed below {1}, so it is not used; remove "
                "it: 'rm {0}'",
                path, root_);
  return notOpened(path, error);
}

llvm::Expected<Folder> Folder::below(const std::string &name) const {
  const int fd = openat(fd_, name.c_str(), kToEnter | O_NOFOLLOW);
  return fd < 0 ? failure(name, errno) : opened(root_, path_ + "/" + name, fd);
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
  // A descriptor of its own, since reading a folder moves on within it.
  const int fd = openat(fd_, ".", kToEnter);
  DIR *all = fd < 0 ? nullptr : fdopendir(fd);
  if (!all) {
    if (fd >= 0)
      close(fd);
    return names;
  }
  while (const dirent *entry = readdir(all)) // NOLINT(concurrency-mt-unsafe): nobody else has `all`
    if (const llvm::StringRef name = entry->d_name; name != "." && name != "..")
      names.push_back(name.str());
  closedir(all);
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

bool Folder::remove(const std::string &name) const { return unlinkat(fd_, name.c_str(), 0) == 0; }

} // namespace specmv
