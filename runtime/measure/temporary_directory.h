// Makes a directory for the caches of a measurement, which is removed with its contents.
#pragma once

#include "models/base/error.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

namespace specmv {

struct TemporaryDirectory {
  llvm::SmallString<128> path;

  TemporaryDirectory() = default;
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;
  ~TemporaryDirectory() {
    if (!path.empty())
      llvm::sys::fs::remove_directories(path);
  }

  llvm::Error create() {
    const std::error_code error = llvm::sys::fs::createUniqueDirectory("specmv-setup", path);
    return error ? fail(Status::missing,
                        "cannot create a temporary directory: {0}; name another place in TMPDIR",
                        error.message())
                 : llvm::Error::success();
  }
};

} // namespace specmv
