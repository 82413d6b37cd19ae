// The templates, embedded as text. Emitted sources include them.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <string_view>
#include <vector>

namespace specmv {

struct EmbeddedFile {
  // The name in #include "name"; it ends with a zero. Its length is known, so that other names are
  // told apart without reading them.
  std::string_view name;
  const char *text;
  // Digest of this text and of all that it includes, as hexadecimal digits. It is made when specmv
  // is built (embed.cmake): to read the texts in a first set-up would take as long as to launch ten
  // kernels.
  const char *digest;
};

llvm::ArrayRef<EmbeddedFile> embeddedTemplates();

// The templates that the source itself includes, in the order of its lines.
std::vector<EmbeddedFile> includedBy(llvm::StringRef source);

// The templates that the source includes, directly or through another template, each once, in the
// order of their declarations: each behind those that it includes. The result depends on the source
// and these templates only.
std::vector<EmbeddedFile> expansionOf(llvm::StringRef source,
                                      llvm::ArrayRef<EmbeddedFile> templates = embeddedTemplates());

} // namespace specmv
