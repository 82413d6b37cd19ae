// Opens the CUDA libraries at run time: where they are looked for, and their functions by name.
#pragma once

#include "models/base/error.h"

#include <atomic>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

// What was looked for is not on this machine, which is not going to change: Status::missing.
class AbsentError : public llvm::ErrorInfo<AbsentError, SpecmvError> {
public:
  static char ID;
  using ErrorInfo::ErrorInfo;
};
llvm::Error absent(std::string sentence);

// The same error, absent or not, with words before its sentence.
llvm::Error prefixed(const char *words, llvm::Error error);

// A shared library that stays open until the process ends: handles of CUDA libraries must outlive
// whatever uses them, threads of their own included.
class DynamicLibrary {
public:
  // Opens the first of these that opens, with RTLD_NOW | RTLD_LOCAL. If none does, Status::missing
  // with the loader's words for the first that is there, and AbsentError where none is.
  // `beside` is how files begin that lie beside it and are opened before it, for a library that
  // looks for them by name only and has no RUNPATH: what is open already is found.
  static llvm::Expected<DynamicLibrary> open(const std::vector<std::string> &paths,
                                             const char *beside = nullptr);
  // nullptr where there is no such function.
  void *find(const char *name) const;
  const std::string &path() const { return path_; }

private:
  DynamicLibrary(void *handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  static llvm::Expected<DynamicLibrary> open(const std::string &path, const char *beside);

  void *handle_;
  std::string path_;
};

// A library that is opened on first use and stays open. That it is not there is remembered for the
// life of the process; any other failure may pass (no more open files, no memory) or be mended, so
// that the next call tries again. Thread-safe.
template <class Library> class OpenedOnce {
public:
  using Open = llvm::Expected<Library> (*)();
  explicit OpenedOnce(Open open) : open_(open) {}

  // The pointer stays valid.
  llvm::Expected<const Library *> get() {
    if (const Library *ready = ready_.load(std::memory_order_acquire))
      return ready;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!library_)
      if (llvm::Error error = tryToOpen())
        return error;
    ready_.store(&*library_, std::memory_order_release);
    return &*library_;
  }

private:
  llvm::Error tryToOpen() {
    if (whyAbsent_.empty()) {
      auto opened = open_();
      if (opened) {
        library_ = std::move(*opened);
        return llvm::Error::success();
      }
      llvm::Error error = opened.takeError();
      if (!error.isA<AbsentError>())
        return error;
      whyAbsent_ = describe(std::move(error)).second;
    }
    return absent(whyAbsent_);
  }

  const Open open_;
  std::mutex mutex_; // guards what follows but for ready_, which is set when the rest is
  std::optional<Library> library_;
  std::string whyAbsent_;
  std::atomic<const Library *> ready_{nullptr};
};

// Where a library of the toolkit may be that has one of these names, the best name first: under
// SPECMV_CUDA_HOME, beside libspecmv.so or the program that this is linked into (or in lib64/ or
// lib/ beside its folder), under the toolkit of the build, and last wherever the system's loader
// looks. A place goes before a name: SPECMV_CUDA_HOME wins though its toolkit be the older one.
std::vector<std::string> toolkitCandidates(std::initializer_list<const char *> files);

// Why SPECMV_CUDA_HOME is of no use, if it is set and no directory that can be read; empty
// otherwise.
std::string whyNotCudaHome();

} // namespace specmv
