// Prints declarations as they stood in the templates, without what is not used.
#include "generator/source/printed.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace specmv::source {

// `which` of the types, as far as they are used.
static std::string namesText(const SourceParts &parts, const Reached &reached,
                             llvm::ArrayRef<llvm::StringRef> which) {
  std::string out;
  for (const auto &[name, type] : parts.types)
    if (llvm::is_contained(which, name) && reached.has(name))
      out += "using " + name + " = " + type + ";\n";
  return out;
}

static std::string enumerationText(const Declaration &d, const Reached &reached) {
  const std::vector<Tokens> enumerators = enumeratorsOf(d);
  if (enumerators.size() == 1)
    return trimmedTextOf(d.tokens);
  std::vector<std::string> used;
  for (const Tokens &one : enumerators)
    if (reached.has(one[0].text))
      used.push_back(trimmedTextOf(one));
  const size_t open = indexOf(d.tokens, "{");
  return trimmedTextOf(llvm::ArrayRef<Token>(d.tokens).take_front(open)) + " { " +
         llvm::join(used, ", ") + " };";
}

static std::string textOfDeclaration(const Declaration &d, const Reached &reached) {
  std::string out;
  for (const Token &line : d.comment)
    out += line.text + "\n";
  return out +
         (d.kind == Declaration::Kind::numbers ? enumerationText(d, reached)
                                               : trimmedTextOf(d.tokens)) +
         "\n";
}

// Removes spaces at the ends of lines, empty lines behind the first, and those at the begin of a
// block.
static std::string tidied(const std::string &text) {
  std::string out;
  bool isOpen = false;
  for (const llvm::StringRef line : llvm::split(llvm::StringRef(text).rtrim(), '\n')) {
    if (line.trim().empty() && (out.empty() || isOpen || llvm::StringRef(out).ends_with("\n\n")))
      continue;
    out += line.rtrim().str() + "\n";
    isOpen = line.ends_with("{");
  }
  return out;
}

std::string textOfReached(const SourceParts &parts, const Reached &reached) {
  const std::string views = namesText(parts, reached, {"Values", "Columns", "X", "Y"});
  std::string out =
      "\nnamespace specmv {\n\n" + namesText(parts, reached, {"Value", "Offset", "Column"}) + "\n";
  bool hasViews = false;
  const auto addViews = [&] { // with the types of a fused step, which they may name
    for (const Declaration &d : parts.own)
      out += textOfDeclaration(d, reached) + "\n";
    out += views + "\n";
    hasViews = true;
  };
  for (size_t i = 0; i < parts.templates.size(); ++i) {
    const Declaration &d = parts.templates[i];
    if (!reached.isKept[i])
      continue;
    if (!hasViews && d.isOfFormat)
      addViews();
    if (d.isNext && i > 0 && reached.isKept[i - 1] && llvm::StringRef(out).ends_with("\n\n"))
      out.pop_back();
    out += textOfDeclaration(d, reached) + "\n";
  }
  if (!hasViews)
    addViews();
  for (const Declaration &d : parts.kernels)
    out += textOfDeclaration(d, reached) + "\n";
  return tidied(out + "} // namespace specmv\n");
}

} // namespace specmv::source
