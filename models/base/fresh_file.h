// A new file that takes its name only when it is whole: what results and cache entries are written
// to.
#pragma once

#include "llvm/Support/ErrorOr.h"

#include <string>

namespace specmv {

// It has no name until then where the file system can do that (O_TMPFILE), so that a process that
// is killed leaves nothing behind; elsewhere, and for the moment in which it replaces another file,
// it is called TARGET.PROCESS-N.tmp.
class FreshFile {
public:
  static llvm::ErrorOr<FreshFile> beside(const std::string &target);
  FreshFile(FreshFile &&other) noexcept;
  FreshFile &operator=(FreshFile &&) = delete;
  ~FreshFile(); // what was not published is gone

  int descriptor() const { return fd_; }
  // Closes the file and gives it the target's name, replacing what has it.
  std::error_code publish();

private:
  FreshFile() = default;
  std::string target_, temporary_; // temporary_ is empty while the file has no such name
  int fd_ = -1;
};

} // namespace specmv
