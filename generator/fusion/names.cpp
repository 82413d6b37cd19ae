// Which names a step may choose for what it names and declares.
#include "generator/fusion/words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

constexpr size_t kLongestName = 64;

// C++20 ([lex.key], [lex.digraph]).
llvm::ArrayRef<llvm::StringLiteral> wordsOfCpp() {
  static constexpr llvm::StringLiteral kWords[] = {
      "alignas",       "alignof",     "and",
      "and_eq",        "asm",         "auto",
      "bitand",        "bitor",       "bool",
      "break",         "case",        "catch",
      "char",          "char16_t",    "char32_t",
      "char8_t",       "class",       "co_await",
      "co_return",     "co_yield",    "compl",
      "concept",       "const",       "const_cast",
      "consteval",     "constexpr",   "constinit",
      "continue",      "decltype",    "default",
      "delete",        "do",          "double",
      "dynamic_cast",  "else",        "enum",
      "explicit",      "export",      "extern",
      "false",         "float",       "for",
      "friend",        "goto",        "if",
      "inline",        "int",         "long",
      "mutable",       "namespace",   "new",
      "noexcept",      "not",         "not_eq",
      "nullptr",       "operator",    "or",
      "or_eq",         "private",     "protected",
      "public",        "register",    "reinterpret_cast",
      "requires",      "return",      "short",
      "signed",        "sizeof",      "static",
      "static_assert", "static_cast", "struct",
      "switch",        "template",    "this",
      "thread_local",  "throw",       "true",
      "try",           "typedef",     "typeid",
      "typename",      "union",       "unsigned",
      "using",         "virtual",     "void",
      "volatile",      "wchar_t",     "while",
      "xor",           "xor_eq"};
  return kWords;
}

bool isWordOfCpp(llvm::StringRef word) { return llvm::is_contained(wordsOfCpp(), word); }

bool isWordOfSteps(llvm::StringRef word) {
  static constexpr llvm::StringLiteral kWords[] = {"if", "else", "const", "auto", "true", "false"};
  return isTypeWord(word) || llvm::is_contained(kWords, word);
}

// Names that NVRTC defines without two underscores at the beginning, as variables or macros. It
// defines many with these prefixes.
static bool isOfCuda(llvm::StringRef name) {
  static constexpr llvm::StringLiteral kNames[] = {"threadIdx", "blockIdx", "blockDim", "gridDim",
                                                   "warpSize",  "NULL",     "assert"};
  return llvm::is_contained(kNames, name) || name.starts_with_insensitive("cuda") ||
         name.starts_with("CU_") || name.starts_with("NV_");
}

// C++ keeps names that begin with _A for compilers ([lex.name]).
static bool isTaken(llvm::StringRef name) {
  static constexpr llvm::StringLiteral kReserved[] = {"i", "j", "ax", "real"};
  return llvm::is_contained(kReserved, name) || name.starts_with_insensitive("specmv") ||
         name.starts_with("__") || (name.size() > 1 && name[0] == '_' && llvm::isUpper(name[1]));
}

std::string whyNotName(llvm::StringRef name, const char *kind) {
  const auto why = [&](const char *format) { return llvm::formatv(format, name, kind).str(); };
  if (name.empty())
    return llvm::formatv("a {0} has no name; remove the comma before or behind it", kind);
  if (name.size() > kLongestName)
    return llvm::formatv("the name of a {0} has {1} bytes, more than the limit, {2}", kind,
                         name.size(), kLongestName);
  if (isWordOfCpp(name))
    return why("'{0}', the name of a {1}, is a word of C++; choose another name");
  if (!llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }) ||
      llvm::isDigit(name[0]))
    return why("'{0}' is not a name for a {1}: use letters, digits and _");
  if (isTaken(name))
    return why("'{0}' cannot be the name of a {1}: i, j, ax, real and names that begin with "
               "specmv, two underscores, or _ and a capital are taken; choose another name");
  return isOfCuda(name) ? why("'{0}', the name of a {1}, is a name of CUDA; choose another name")
                        : "";
}

} // namespace specmv
