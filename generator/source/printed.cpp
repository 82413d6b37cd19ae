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

// The parameters of a function in lines that begin under the first of them.
static Tokens aligned(const Declaration &d) {
  Tokens out = d.tokens;
  const size_t open = d.openOfParameters();
  if (d.kind != Declaration::Kind::function || open >= out.size())
    return out;
  const std::string head = textOf(llvm::ArrayRef<Token>(out).take_front(open + 1));
  const size_t column = head.size() - (head.rfind('\n') + 1);
  for (size_t i = open + 2, end = closingOf(out, open); i < end; ++i)
    if (llvm::StringRef(out[i].before).contains('\n'))
      out[i].before = "\n" + std::string(column, ' ');
  return out;
}

static std::string textOfDeclaration(const Declaration &d, const Reached &reached) {
  std::string out;
  for (const Token &line : d.comment)
    out += line.text + "\n";
  return out +
         (d.kind == Declaration::Kind::numbers ? enumerationText(d, reached)
                                               : trimmedTextOf(aligned(d))) +
         "\n";
}

// Removes spaces at the ends of lines and in front of what follows a statement on its line, empty
// lines behind the first, and those at the begin of a block.
static std::string tidied(const std::string &text) {
  std::string out;
  bool isOpen = false;
  for (llvm::StringRef line : llvm::split(llvm::StringRef(text).rtrim(), '\n')) {
    if (line.trim().empty() && (out.empty() || isOpen || llvm::StringRef(out).ends_with("\n\n")))
      continue;
    isOpen = line.ends_with("{");
    llvm::StringRef behind;
    if (const size_t comment = line.find("  //"); !line.trim().starts_with("//"))
      std::tie(line, behind) = std::pair(line.take_front(comment),
                                         line.drop_front(std::min(comment, line.size())).trim());
    out += line.rtrim().str() + (behind.empty() ? "" : " " + behind.str()) + "\n";
  }
  return out;
}

// `using Int64 = long long;`, which is printed with the types of the operands.
static bool isNameOfNumber(const Declaration &d) {
  return d.kind == Declaration::Kind::alias && !d.isTemplate() &&
         llvm::StringRef(d.name).starts_with("Int");
}

std::string textOfReached(const SourceParts &parts, const Reached &reached) {
  const std::string views = namesText(parts, reached, {"Values", "Columns", "X", "Y"});
  std::string out =
      "\nnamespace specmv {\n\n" + namesText(parts, reached, {"Value", "Offset", "Column"});
  for (size_t i = 0; i < parts.templates.size(); ++i)
    if (reached.isKept[i] && isNameOfNumber(parts.templates[i]))
      out += textOfDeclaration(parts.templates[i], reached);
  out += "\n";
  bool hasViews = false, isNext = true; // to the last one that was printed
  const auto addViews = [&] {           // with the types of a fused step, which they may name
    for (const Declaration &d : parts.own)
      out += textOfDeclaration(d, reached) + "\n";
    out += views + "\n";
    hasViews = true;
  };
  for (size_t i = 0; i < parts.templates.size(); ++i) {
    const Declaration &d = parts.templates[i];
    isNext = isNext && d.isNext;
    if (!reached.isKept[i] || isNameOfNumber(d))
      continue;
    if (!hasViews && d.isOfFormat)
      addViews();
    if (isNext && llvm::StringRef(out).ends_with("\n\n"))
      out.pop_back();
    isNext = true;
    out += textOfDeclaration(d, reached) + "\n";
  }
  if (!hasViews)
    addViews();
  for (const Declaration &d : parts.kernels)
    out += textOfDeclaration(d, reached) + "\n";
  return tidied(out + "} // namespace specmv\n");
}

} // namespace specmv::source
