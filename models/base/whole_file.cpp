// Writes a file completely or not at all, and to devices directly.
#include "models/base/whole_file.h"

#include "models/base/file_size_signal.h"
#include "models/base/fresh_file.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <filesystem>

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

// The file that links lead to, so that a rename replaces this file and not the link. A link may
// lead to a file that does not exist yet.
static llvm::ErrorOr<std::string> destination(llvm::StringRef path) {
  llvm::SmallString<256> real, file(path);
  for (int links = 0; links < 40; ++links) { // as many as Linux follows
    if (!fs::real_path(file, real))
      return real.str().str();
    std::error_code error;
    const auto behind = std::filesystem::read_symlink(file.str().str(), error);
    if (error)
      return file.str().str();
    const std::string folder = llvm::sys::path::parent_path(file).str();
    file = behind.string();
    fs::make_absolute(folder.empty() ? "." : folder, file);
  }
  return std::make_error_code(std::errc::too_many_symbolic_link_levels);
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

llvm::Error writeWholeFile(llvm::StringRef path,
                           llvm::function_ref<void(llvm::raw_ostream &)> write, mode_t most) {
  const auto found = destination(path);
  if (!found)
    return fail(Status::badInput, "{0}: error: cannot write: {1}", path,
                found.getError().message());
  const std::string &target = *found;
  fs::file_status status;
  const bool exists = !fs::status(target, status) && fs::exists(status);
  const bool stream =
      status.type() == fs::file_type::character_file || status.type() == fs::file_type::fifo_file;
  if (exists && !stream && !fs::is_regular_file(status))
    return fail(Status::badInput, "{0}: error: this is not a regular file", path);
  const std::error_code error =
      exists && stream ? writeInPlace(target, write) : replaceFile(target, write, most);
  if (error)
    return fail(Status::badInput, "{0}: error: cannot write: {1}", path, error.message());
  return llvm::Error::success();
}

} // namespace specmv
