// Writes a file completely or not at all, and to devices directly.
#include "models/base/whole_file.h"

#include "models/base/file_size_signal.h"
#include "models/base/fresh_file.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace specmv {

namespace fs = llvm::sys::fs;

// A stream that ends with an error in it ends the process: whatever leaves here, an exception of
// `write` too, leaves it written out and without one.
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
  out.SetBufferSize(1 << 20); // one system call a megabyte
  write(out);
  out.flush();
  if (closes)
    out.close();
  return out.error();
}

namespace {
// A place for results: a file to replace, or one that this process has open.
struct Destination {
  std::string file;
  int descriptor = -1; // of this process, if the path names one: /dev/stdout, /dev/fd/3
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

// Linux refuses to follow the links that strangers put into a shared folder (proc(5),
// protected_symlinks), since they could choose which of our files is replaced. A rename follows no
// link, so the same is asked here.
static bool isStrangers(const struct stat &link, const std::string &folder) {
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  struct stat shared = {};
  return link.st_uid != geteuid() && stat(folder.c_str(), &shared) == 0 &&
         (shared.st_mode & kShared) == kShared && shared.st_uid != link.st_uid;
}

static llvm::Error cannotWrite(llvm::StringRef path, const std::error_code &error) {
  return fail(Status::badInput, "{0}: error: cannot write: {1}", path, error.message());
}

// Follows links, so that a rename replaces the file behind them. A link may lead to a file that
// does not exist yet.
static llvm::Expected<Destination> destination(llvm::StringRef path) {
  llvm::SmallString<256> file(path);
  for (int links = 0; links < 40; ++links) { // as many as Linux follows
    if (const int descriptor = ownDescriptor(file); descriptor >= 0)
      return Destination{"", descriptor};
    struct stat status = {};
    if (lstat(file.c_str(), &status) != 0 || !S_ISLNK(status.st_mode))
      return Destination{file.str().str()};
    const std::string parent = llvm::sys::path::parent_path(file).str();
    const std::string folder = parent.empty() ? "." : parent;
    if (isStrangers(status, folder))
      return fail(Status::badInput,
                  "{0}: error: {1} is a link of another user in a folder that all may write to, so "
                  "it is not followed; name the file itself",
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

// Whether the target is written to where it is. An error if nothing may be written there.
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

llvm::Error writeWholeFile(llvm::StringRef path,
                           llvm::function_ref<void(llvm::raw_ostream &)> write, mode_t most) {
  auto found = destination(path);
  if (!found)
    return found.takeError();
  if (found->descriptor < 0)
    return writeToFile(found->file, path, write, most);
  // The program writes on from where it stands: a log may be appended to, and a pipe has no name.
  const std::error_code error = writeTo(found->descriptor, /*closes=*/false, write);
  return error ? cannotWrite(path, error) : llvm::Error::success();
}

} // namespace specmv
