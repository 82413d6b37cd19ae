// Holds the embedded templates; the .inc is made from templates/ by generator/embed.cmake.
#include "generator/embedded.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace specmv {

llvm::ArrayRef<EmbeddedFile> embeddedTemplates() {
  static constexpr EmbeddedFile files[] = {
#include "generator/embedded_templates.inc"
  };
  return files;
}

static void expand(llvm::StringRef source, std::set<std::string> &seen, std::string &out) {
  while (!source.empty()) {
    auto [line, rest] = source.split('\n');
    source = rest;
    llvm::StringRef name = line;
    const bool isInclude = name.consume_front("#include \"") && name.consume_back("\"");
    const auto *const file =
        llvm::find_if(embeddedTemplates(), [&](const EmbeddedFile &f) { return name == f.name; });
    if (isInclude && file != embeddedTemplates().end()) {
      if (seen.insert(file->name).second)
        expand(file->text, seen, out);
    } else if (line != "#pragma once") {
      out += line.str() + "\n";
    }
  }
}

std::string selfContained(llvm::StringRef source) {
  std::set<std::string> seen;
  std::string out;
  expand(source, seen, out);
  return out;
}

} // namespace specmv
