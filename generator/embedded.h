// The templates, embedded as text: what the emitted sources include.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace specmv {

struct EmbeddedFile {
  const char *name; // as in #include "name"
  const char *text;
};

llvm::ArrayRef<EmbeddedFile> embeddedTemplates();

// The source with the templates that it includes put in their places, each once: compiles anywhere.
std::string selfContained(llvm::StringRef source);

} // namespace specmv
