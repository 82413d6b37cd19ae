// Holds the embedded templates; the .inc is made from templates/ by generator/embed.cmake.
#include "generator/embedded.h"

namespace specmv {

llvm::ArrayRef<EmbeddedFile> embeddedTemplates() {
  static constexpr EmbeddedFile files[] = {
#include "generator/embedded_templates.inc"
  };
  return files;
}

} // namespace specmv
