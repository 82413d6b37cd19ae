// The templates, embedded as text: what the emitted sources include.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace specmv {

struct EmbeddedFile {
  const char *name; // as in #include "name"
  const char *text;
};

llvm::ArrayRef<EmbeddedFile> embeddedTemplates();

// The templates that the source includes and those that these include, each once, in the order in
// which a compiler comes upon them: it depends on nothing but the source and these templates.
std::vector<EmbeddedFile> closureOf(llvm::StringRef source,
                                    llvm::ArrayRef<EmbeddedFile> templates = embeddedTemplates());

// The source with the templates that it includes put in their places, each once: compiles anywhere.
std::string selfContained(llvm::StringRef source);

} // namespace specmv
