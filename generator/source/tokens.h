// The tokens of a source: what the specializer reads, after its preprocessor, and evaluates,
// changes and prints.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace specmv::source {

// --- Tokens --------------------------------------------------------------------------------------

// The tokens of a source: what the specializer (specialized.h) reads, changes and prints. Only as
// much C++ as templates/ and emitted kernels have.

struct Token {
  enum class Kind { word, number, string, punctuation, comment, directive };
  Kind kind;
  std::string text;
  std::string before; // the white space in front of it

  bool operator==(llvm::StringRef other) const { return other == text; }
  bool isWord() const { return kind == Kind::word; }
  bool isComment() const { return kind == Kind::comment; }
};
using Tokens = std::vector<Token>;

// A directive reaches to the end of its last line. A closing angle bracket is a token of its own,
// also where two of them shift.
Tokens tokensOf(llvm::StringRef source);

std::string textOf(llvm::ArrayRef<Token> tokens);

// True if all brackets but angle brackets close in order.
bool isBalanced(llvm::ArrayRef<Token> tokens);

// The index of the next such token; the number of tokens if there is none.
size_t indexOf(llvm::ArrayRef<Token> tokens, llvm::StringRef text, size_t from = 0);

// The index of the bracket that closes the one at `open`, one of ( [ { <; the number of tokens if
// there is none.
size_t closingOf(llvm::ArrayRef<Token> tokens, size_t open);

// Returns the tokens between the bracket at `open` and the one that closes it, or the end.
llvm::ArrayRef<Token> insideOf(llvm::ArrayRef<Token> tokens, size_t open);

// The tokens between two indices without comments and directives, split at commas that no bracket
// encloses.
std::vector<Tokens> splitAtCommas(llvm::ArrayRef<Token> tokens);

// The text without the white space at its ends.
std::string trimmedTextOf(llvm::ArrayRef<Token> tokens);

// --- Constants -----------------------------------------------------------------------------------

// The value of a constant expression of integers, as far as it is known.

// By name; a member of a struct is named as in `EllPlan::width`.
using Numbers = std::map<std::string, int64_t, std::less<>>;

// Returns no value if it depends on something that has no number. `false && x` does not depend on
// x.
std::optional<int64_t> evaluated(llvm::ArrayRef<Token> expression, const Numbers &numbers);

// --- Preprocess ----------------------------------------------------------------------------------

// The preprocessor for the few directives of templates/: it decides conditions on the architecture
// and expands macros.

struct Macro {
  std::vector<std::string> parameters;
  Tokens body;
};
using Macros = std::map<std::string, Macro, std::less<>>;

// The tokens as a compiler sees them whose __CUDA_ARCH__ is `arch`, or has none if that is 0,
// without directives but for `#pragma unroll`. Macros of earlier tokens are in `macros`.
Tokens preprocessed(Tokens tokens, int arch, Macros &macros);

// The __CUDA_ARCH__ of an architecture such as sm_90 or sm_103a; 0 if it is none, and then
// code is for the host executor of tests/simt.
int cudaArchOf(llvm::StringRef architecture);

} // namespace specmv::source
