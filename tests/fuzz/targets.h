// The fuzz targets: each reads bytes as one part of specmv does.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace specmv::fuzz {

struct Target {
  const char *name;
  std::vector<std::string> (*seeds)(); // valid input to start from
  void (*feed)(llvm::StringRef bytes); // ends the process if something is wrong
};

// The targets of models/, of the readers of runtime/, and of the C API.
llvm::ArrayRef<Target> modelTargets();
llvm::ArrayRef<Target> storeTargets();
llvm::ArrayRef<Target> apiTargets();

// Ends the process, which libFuzzer reports with the input.
inline void require(bool holds) {
  if (!holds)
    __builtin_trap();
}

} // namespace specmv::fuzz
