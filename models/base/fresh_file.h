// A new file that gets its name only when it is complete. Results and cache entries are written to
// such files.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"

#include <fcntl.h>
#include <string>
#include <sys/types.h>

namespace specmv {

// Until then it has no name, if the file system can do that (O_TMPFILE), so that a process that is
// killed leaves nothing behind. On other file systems, and while it replaces another file, it is
// called TARGET.PROCESS-N.tmp.
class FreshFile {
public:
  // A relative target is below the folder of that descriptor, which must stay open. The file gets
  // no more of a mode than `most` and the umask leave of it, whatever the mode of what it replaces.
  static llvm::ErrorOr<FreshFile> beside(const std::string &target, int folder = AT_FDCWD,
                                         mode_t most = 0666);
  FreshFile(FreshFile &&other) noexcept;
  FreshFile &operator=(FreshFile &&) = delete;
  ~FreshFile(); // removes the file unless it was published

  // The target's name of a file that a process left which was killed while publishing; "" if this
  // is no such file.
  static llvm::StringRef targetOf(llvm::StringRef temporary);

  int descriptor() const { return fd_; }
  // Closes the file and gives it the target's name. A file that has this name is replaced.
  std::error_code publish();

private:
  FreshFile() = default;
  std::string target_, temporary_; // temporary_ is empty while the file has no temporary name
  int folder_ = AT_FDCWD;
  int fd_ = -1;
};

} // namespace specmv
