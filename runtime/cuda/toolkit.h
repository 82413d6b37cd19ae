// Opens the CUDA libraries at run time: where they are looked for, and their functions by name.
#pragma once

#include "models/base/error.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

// A shared library that stays open until the process ends: handles of CUDA libraries must outlive
// whatever uses them, threads of their own included.
class DynamicLibrary {
public:
  // Tries each path in turn with RTLD_NOW | RTLD_LOCAL. Status::missing, with the loader's words
  // for the first path, if none opens.
  static llvm::Expected<DynamicLibrary> open(const std::vector<std::string> &paths);
  // nullptr where there is no such function.
  void *find(const char *name) const;
  const std::string &path() const { return path_; }

private:
  void *handle_ = nullptr;
  std::string path_;
};

// What opening a library came to, for the life of the process: its functions, or why there are
// none.
template <class Library> class OpenedOnce {
public:
  explicit OpenedOnce(llvm::Expected<Library> opened) {
    if (opened)
      library_ = std::move(*opened);
    else
      reason_ = describe(opened.takeError()).second;
  }
  llvm::Expected<const Library *> get() const {
    if (!library_)
      return failWith(Status::missing, reason_);
    return &*library_;
  }

private:
  std::optional<Library> library_;
  std::string reason_;
};

// Where a library of the toolkit may be that has one of these names, the best name first: under
// SPECMV_CUDA_HOME, beside libspecmv.so or the program that this is linked into (or in lib64/ or
// lib/ beside its folder), under the toolkit of the build, and last wherever the system's loader
// looks. A place goes before a name: SPECMV_CUDA_HOME wins though its toolkit be the older one.
std::vector<std::string> toolkitCandidates(std::initializer_list<const char *> files);

// Why SPECMV_CUDA_HOME is of no use, if it is set and no directory that can be read; empty
// otherwise.
std::string whyNotCudaHome();

// Opens the files beside `library` whose names begin so, for a library that looks for them by name
// only and has no RUNPATH: what is open already is found. Nothing where `library` is not there.
void openBeside(const std::string &library, const std::string &prefix);

} // namespace specmv
