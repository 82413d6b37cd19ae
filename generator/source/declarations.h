// The declarations of a source, and their lists, of which some elements are taken out.
#pragma once

#include "generator/source/tokens.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <set>

namespace specmv::source {

// --- Declarations --------------------------------------------------------------------------------

// The declarations of a source: what the specializer keeps or leaves out as a whole.

constexpr const char *kOperator = "operator";

struct Declaration {
  enum class Kind { function, type, numbers, alias, kernel };
  Kind kind;
  std::string name; // "" of an enumeration, whose enumerators have names; kOperator of an operator
  Tokens comment;   // the lines in front
  Tokens tokens;
  bool isNext = false;     // to the one before it, without an empty line
  bool isOfFormat = false; // not of what formats share

  bool isTemplate() const { return tokens[0] == "template"; }
  // The parameters between the brackets of `template <...>`, and where what they precede begins.
  std::vector<Tokens> templateParameters() const;
  size_t behindTemplate() const;
  // The words that must mean something before this can be chosen among its namesakes: those of a
  // function's parameters, or of the arguments that a template is specialized for.
  std::set<std::string> condition() const;
  // The parenthesis that opens a function's parameters; the number of tokens if it is no function.
  size_t openOfParameters() const;
  // The parameters of a function.
  std::vector<Tokens> parameters() const;
};

// Returns the declarations of all namespaces in their order. A comment in front of an empty line
// belongs to none of them.
std::vector<Declaration> declarationsOf(llvm::ArrayRef<Token> tokens);

// --- Lists ---------------------------------------------------------------------------------------

// Lists of parameters, arguments and members, of which some are taken out.

// Erases `count` tokens, an argument or a parameter that begins at `at`, with its comma, and the
// brackets if it was the only one. `open` is the bracket in front of the first.
void eraseFromList(Tokens &tokens, size_t open, size_t at, size_t count);

// Erases a parameter of the declaration's template; without parameters, it is none any more.
void eraseParameter(Declaration &d, const Tokens &parameter);

// Erases the members of a struct for which the function returns true, which is given their tokens
// to the semicolon, with the comments in front of them and behind them on their line.
void eraseMembers(Tokens &type, llvm::function_ref<bool(llvm::ArrayRef<Token> member)> isErased);

} // namespace specmv::source
