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

// The name in a line `#include "name"`; empty for other lines.
static llvm::StringRef nameIncludedBy(llvm::StringRef line) {
  return line.consume_front("#include \"") && line.consume_back("\"") ? line : "";
}

// Returns null if no file has the name.
static const EmbeddedFile *findFile(llvm::ArrayRef<EmbeddedFile> files, llvm::StringRef name) {
  const auto *const file =
      llvm::find_if(files, [&](const EmbeddedFile &f) { return name == llvm::StringRef(f.name); });
  return file == files.end() ? nullptr : file;
}

using Names = std::vector<llvm::StringRef>;

static Names namesIncludedIn(llvm::StringRef source) {
  Names out;
  while (!source.empty()) {
    auto [line, rest] = source.split('\n');
    source = rest;
    if (const llvm::StringRef name = nameIncludedBy(line); !name.empty())
      out.push_back(name);
  }
  return out;
}

// `seen` has the templates that were entered, so that templates that include each other end.
static void addExpansion(llvm::StringRef source, llvm::ArrayRef<EmbeddedFile> templates,
                         std::vector<EmbeddedFile> &seen, std::vector<EmbeddedFile> &out) {
  for (const llvm::StringRef name : namesIncludedIn(source)) {
    const EmbeddedFile *file = findFile(templates, name);
    if (!file || findFile(seen, name))
      continue;
    seen.push_back(*file);
    addExpansion(file->text, templates, seen, out);
    out.push_back(*file);
  }
}

std::vector<EmbeddedFile> expansionOf(llvm::StringRef source,
                                      llvm::ArrayRef<EmbeddedFile> templates) {
  std::vector<EmbeddedFile> seen, out;
  addExpansion(source, templates, seen, out);
  return out;
}

std::vector<EmbeddedFile> includedBy(llvm::StringRef source) {
  std::vector<EmbeddedFile> out;
  for (const llvm::StringRef name : namesIncludedIn(source))
    if (const EmbeddedFile *file = findFile(embeddedTemplates(), name))
      out.push_back(*file);
  return out;
}

} // namespace specmv
