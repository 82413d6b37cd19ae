// A new file that gets its name only when it is complete. Results and cache entries are written
// this way.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"

#include <fcntl.h>
#include <string>
#include <sys/types.h>

namespace specmv {

// Until it is published, the file has no name if the file system supports that (O_TMPFILE), so that
// a killed process leaves nothing behind. On other file systems, and while it replaces another
// file, it is called TARGET.PROCESS-N.tmp.
class FreshFile {
public:
  // A relative target is below the folder of the descriptor `folder`, which must stay open. The new
  // file never gets a mode bit that is not in `most`, except the bits to execute of the file that
  // it replaces. A file that replaces none also obeys the umask.
  static llvm::ErrorOr<FreshFile> beside(const std::string &target, int folder = AT_FDCWD,
                                         mode_t most = 0666);
  FreshFile(FreshFile &&other) noexcept;
  FreshFile &operator=(FreshFile &&) = delete;
  ~FreshFile(); // removes the file unless it was published

  // Returns the target's name if `temporary` is a file that a process left behind when it was
  // killed while publishing; otherwise "".
  static llvm::StringRef targetOf(llvm::StringRef temporary);

  int descriptor() const { return fd_; }
  // Closes the file and gives it the target's name, replacing any file of that name.
  std::error_code publish();

private:
  FreshFile() = default;
  std::string target_, temporary_; // temporary_ is empty while the file has no temporary name
  int folder_ = AT_FDCWD;
  int fd_ = -1;
};

} // namespace specmv
