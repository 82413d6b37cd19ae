// The templates, embedded as text: what the emitted sources include.
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace specmv {

struct EmbeddedFile {
  const char *name; // as in #include "name"
  const char *text;
};

llvm::ArrayRef<EmbeddedFile> embeddedTemplates();

} // namespace specmv
