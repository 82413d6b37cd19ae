// Writes a file whole or not at all: a temporary beside the target, then a rename.
#include "models/whole_file.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

namespace specmv {

namespace fs = llvm::sys::fs;

// Writes to an open file and closes it. A stream that ends with an error in it ends the process.
static std::error_code writeAndClose(int fd, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  llvm::raw_fd_ostream out(fd, /*shouldClose=*/true);
  out.SetBufferSize(1 << 20); // one system call a megabyte
  write(out);
  out.close();
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

// Opens a new file beside the target. (createUniqueFile would replace a % of the user's own path.)
static std::error_code createBeside(const std::string &target, int &fd, std::string &path) {
  constexpr int kTries = 1000; // files that earlier processes of this number may have left
  std::error_code error;
  for (int i = 0; i < kTries; ++i) {
    path = llvm::formatv("{0}.{1}-{2}.tmp", target, llvm::sys::Process::getProcessId(), i);
    error = fs::openFileForWrite(path, fd, fs::CD_CreateNew);
    if (error != std::errc::file_exists)
      break;
  }
  return error;
}

static std::error_code replaceFile(const std::string &target,
                                   llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::string temporary;
  int fd = -1;
  if (std::error_code error = createBeside(target, fd, temporary))
    return error;
  std::error_code error = writeAndClose(fd, write);
  if (!error)
    error = fs::rename(temporary, target);
  if (error)
    fs::remove(temporary);
  return error;
}

static std::error_code writeInPlace(const std::string &target,
                                    llvm::function_ref<void(llvm::raw_ostream &)> write) {
  int fd = -1;
  if (std::error_code error = fs::openFileForWrite(target, fd, fs::CD_OpenExisting))
    return error;
  return writeAndClose(fd, write);
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
