// The GPU models that are built in, and the limit of a model's text.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace specmv {

struct BuiltInGpu {
  const char *name;
  const char *text; // JSON
};

// nullptr if none has that name.
const BuiltInGpu *findBuiltInGpu(llvm::StringRef name);

// Fails where a model's text would be of so many bytes.
llvm::Error refuseLongGpuModel(uint64_t bytes, llvm::StringRef origin);

} // namespace specmv
