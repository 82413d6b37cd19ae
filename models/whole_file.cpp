// Writes a file whole or not at all, and devices as they are.
#include "models/whole_file.h"

#include "models/file_size_signal.h"
#include "models/fresh_file.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

namespace specmv {

namespace fs = llvm::sys::fs;

// A stream that ends with an error in it ends the process.
static std::error_code writeTo(int fd, bool closes,
                               llvm::function_ref<void(llvm::raw_ostream &)> write) {
  const NoFileSizeSignal quiet;
  llvm::raw_fd_ostream out(fd, closes);
  out.SetBufferSize(1 << 20); // one system call a megabyte
  write(out);
  if (closes)
    out.close();
  else
    out.flush();
  std::error_code error = out.error();
  out.clear_error();
  return error;
}

// The file behind links, so that a rename replaces it and not the link; where nothing stands yet,
// the path itself.
static std::string destination(llvm::StringRef path) {
  llvm::SmallString<256> real;
  return fs::real_path(path, real) ? path.str() : real.str().str();
}

static std::error_code replaceFile(const std::string &target,
                                   llvm::function_ref<void(llvm::raw_ostream &)> write) {
  auto file = FreshFile::beside(target);
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
                           llvm::function_ref<void(llvm::raw_ostream &)> write) {
  const std::string target = destination(path);
  fs::file_status status;
  const bool exists = !fs::status(target, status) && fs::exists(status);
  const bool stream =
      status.type() == fs::file_type::character_file || status.type() == fs::file_type::fifo_file;
  if (exists && !stream && !fs::is_regular_file(status))
    return fail(Status::badInput, "{0}: error: this is not a regular file", path);
  const std::error_code error =
      exists && stream ? writeInPlace(target, write) : replaceFile(target, write);
  if (error)
    return fail(Status::badInput, "{0}: error: cannot write: {1}", path, error.message());
  return llvm::Error::success();
}

} // namespace specmv
