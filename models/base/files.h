// Files that are written completely or not at all.
#pragma once

#include "models/base/error.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <initializer_list>
#include <string>
#include <sys/types.h>

namespace specmv {

// --- Signals blocked -----------------------------------------------------------------------------

// Keeps signals from interrupting a part of the library.

// Blocks all signals but these in this thread, and puts back what was blocked before.
class SignalsBlocked {
public:
  explicit SignalsBlocked(std::initializer_list<int> butThese = {}) {
    sigset_t all;
    sigfillset(&all);
    for (const int signal : butThese)
      sigdelset(&all, signal);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_{};
};

// --- File size signal ----------------------------------------------------------------------------

// Keeps a file size limit from ending the process.

// A write beyond RLIMIT_FSIZE raises SIGXFSZ, which ends an application that does not handle it.
// While an object of this class lives, such a write from this thread only fails, with EFBIG.
class NoFileSizeSignal {
public:
  NoFileSizeSignal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    isBlocked_ = pthread_sigmask(SIG_BLOCK, &signal_, &before_) == 0;
  }
  NoFileSizeSignal(const NoFileSizeSignal &) = delete;
  NoFileSizeSignal &operator=(const NoFileSizeSignal &) = delete;
  ~NoFileSizeSignal() {
    if (!isBlocked_ || sigismember(&before_, SIGXFSZ) == 1)
      return;
    const timespec now{};
    sigtimedwait(&signal_, nullptr, &now); // removes the pending signal, if there is one
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

private:
  sigset_t signal_{}, before_{};
  bool isBlocked_ = false;
};

// --- Fresh file ----------------------------------------------------------------------------------

// A new file that gets its name only when it is complete. Results and cache entries are written
// this way.

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

// --- Whole file ----------------------------------------------------------------------------------

// Writes files that are complete or do not exist.

// Writes the output of `write` to a new file (models/base/files.h), which then replaces
// `path`, or the file that `path` links to. Refuses a link of another user in a sticky folder that
// all may write to. After an error nothing has changed. A character device, a pipe, and an open
// descriptor of this process (/dev/stdout, /dev/fd/3) are written in place, the descriptor at its
// current position. Any other `path` that exists and is not a regular file is refused. Errors read
// `path: error: sentence`, with badInput. The file gets at most the mode `most`.
llvm::Error writeWholeFile(llvm::StringRef path,
                           llvm::function_ref<void(llvm::raw_ostream &)> write, mode_t most = 0666);

// Does the same for a name that the user did not choose: whatever has this name is replaced, and a
// link is not followed.
llvm::Error writeNewFile(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write);

// Returns the error that writing the file would have now, before a long computation of its content.
llvm::Error checkWholeFile(llvm::StringRef path);

} // namespace specmv
