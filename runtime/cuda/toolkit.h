// Opens the CUDA libraries at run time and finds their functions by name.
#pragma once

#include "models/base/error.h"
#include "models/base/fork.h"

#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

// A library or a GPU is not on this machine, which is assumed not to change while the process
// lives. Its status is one of isMissing().
class AbsentError : public llvm::ErrorInfo<AbsentError, SpecmvError> {
public:
  static char ID;
  using ErrorInfo::ErrorInfo;
};
llvm::Error absent(std::string sentence);

// Returns the same error with `words` before its sentence; an AbsentError stays one.
llvm::Error prefixed(const char *words, llvm::Error error);

// Returns the same error with a kind of missing as its status, if that says that the machine lacks
// something; an AbsentError stays one.
llvm::Error ofKind(Status kind, llvm::Error error);

// Combines two errors: one about a file that exists but cannot be opened is preferred over one
// about a missing file; otherwise the first.
llvm::Error moreInformative(llvm::Error one, llvm::Error other);

// Checks that a number returned by a library is in least .. most, before memory is allocated or
// work is divided by it. `call` names the call, and what the number is.
template <class T>
llvm::Error checkAnswer(llvm::StringRef call, T answer, int64_t least, int64_t most) {
  if (std::cmp_greater_equal(answer, least) && std::cmp_less_equal(answer, most))
    return llvm::Error::success();
  return fail(Status::internal,
              "{0} answered {1}, but {2} to {3} was expected; reinstall the library", call, answer,
              least, most);
}

// derived: no log, object or image of such a library has more bytes
constexpr int64_t kMostAnswered = 256 << 20;

// A shared library that stays open until the process ends, because everything that uses it must end
// before it is closed, and CUDA libraries start threads of their own.
class DynamicLibrary {
public:
  // Tries the paths in their order, with RTLD_NOW | RTLD_LOCAL, and returns the first library that
  // opens. If none opens: AbsentError if none of the files exists, otherwise Status::missing with
  // the loader's message for the first file that exists.
  // `beside` is a prefix of file names. Files with this prefix in the library's folder are opened
  // before the library. This is for a library that itself opens them later by their plain name and
  // has no RUNPATH: the loader finds a library by its name if it is open already.
  static llvm::Expected<DynamicLibrary> open(const std::vector<std::string> &paths,
                                             const char *beside = nullptr);
  // Returns nullptr if there is no such function.
  void *find(const char *name) const;
  const std::string &path() const { return path_; }

private:
  DynamicLibrary(void *handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  static llvm::Expected<DynamicLibrary> open(const std::string &path, const char *beside);

  void *handle_;
  std::string path_;
};

// A library that is opened on first use and stays open. An AbsentError is remembered for the life
// of the process. Any other failure may be temporary (too many open files, no memory), so the next
// call tries again. Thread-safe: `ready_` is set, with release order, only after `library_` is
// complete, and `library_` does not change after that. So a thread that reads a pointer from
// `ready_` with acquire order may use the library without the mutex.
template <class Library> class OpenedOnce {
public:
  using Open = llvm::Expected<Library> (*)();
  explicit OpenedOnce(Open open) : open_(open) {}

  // The pointer stays valid.
  llvm::Expected<const Library *> get() {
    if (const Library *ready = ready_.load(std::memory_order_acquire))
      return ready;
    const std::lock_guard lock(mutex_);
    if (!library_)
      if (llvm::Error error = tryToOpen())
        return error;
    ready_.store(&*library_, std::memory_order_release);
    return &*library_;
  }

  bool isOpen() const { return ready_.load(std::memory_order_acquire) != nullptr; }

private:
  llvm::Error tryToOpen() {
    if (!whyAbsent_) {
      auto opened = open_();
      if (opened) {
        library_ = std::move(*opened);
        return llvm::Error::success();
      }
      llvm::Error error = opened.takeError();
      if (!error.isA<AbsentError>())
        return error;
      whyAbsent_ = describe(std::move(error));
    }
    return ofKind(whyAbsent_->first, absent(whyAbsent_->second));
  }

  const Open open_;
  ForkMutex mutex_; // guards library_ and whyAbsent_
  std::optional<Library> library_;
  std::optional<std::pair<Status, std::string>> whyAbsent_;
  std::atomic<const Library *> ready_{nullptr};
};

} // namespace specmv
