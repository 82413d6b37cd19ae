// The built-in GPU models, and the limit on the length of a model's text.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace specmv {

struct BuiltInGpu {
  const char *name;
  const char *text; // JSON
};

// Returns nullptr if no model has that name.
const BuiltInGpu *findBuiltInGpu(llvm::StringRef name);

// Fails if a model's text of this length would exceed the limit.
llvm::Error refuseLongGpuModel(uint64_t bytes, llvm::StringRef origin);

} // namespace specmv
