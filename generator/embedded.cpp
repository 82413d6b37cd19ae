// Holds the embedded templates; the .inc is made from templates/ by generator/embed.cmake.
#include "generator/embedded.h"

#include "llvm/ADT/STLExtras.h"

namespace specmv {

llvm::ArrayRef<EmbeddedFile> embeddedTemplates() {
  static constexpr EmbeddedFile files[] = {
#include "generator/embedded_templates.inc"
  };
  return files;
}

namespace {
// A source with its templates inserted: their list, and the text.
struct Expansion {
  std::vector<EmbeddedFile> files;
  std::string text;
};
} // namespace

// The template that a line includes; null if the line includes none.
static const EmbeddedFile *includedBy(llvm::StringRef line,
                                      llvm::ArrayRef<EmbeddedFile> templates) {
  if (!line.consume_front("#include \"") || !line.consume_back("\""))
    return nullptr;
  const auto *const file =
      llvm::find_if(templates, [&](const EmbeddedFile &f) { return line == f.name; });
  return file == templates.end() ? nullptr : file;
}

static void expand(llvm::StringRef source, llvm::ArrayRef<EmbeddedFile> templates, Expansion &out) {
  while (!source.empty()) {
    auto [line, rest] = source.split('\n');
    source = rest;
    if (const EmbeddedFile *file = includedBy(line, templates)) {
      if (llvm::none_of(out.files, [&](const EmbeddedFile &f) {
            return llvm::StringRef(f.name) == file->name;
          })) {
        out.files.push_back(*file);
        expand(file->text, templates, out);
      }
    } else if (line != "#pragma once") {
      out.text += line.str() + "\n";
    }
  }
}

std::vector<EmbeddedFile> closureOf(llvm::StringRef source,
                                    llvm::ArrayRef<EmbeddedFile> templates) {
  Expansion out;
  expand(source, templates, out);
  return out.files;
}

std::string selfContained(llvm::StringRef source) {
  Expansion out;
  expand(source, embeddedTemplates(), out);
  return out.text;
}

} // namespace specmv
