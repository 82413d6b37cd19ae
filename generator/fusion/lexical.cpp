// Refuses what is not of the language of fused steps, byte by byte and then token by token.
#include "generator/fusion/lexical.h"

#include "generator/fusion/words.h"
#include "models/base/error.h"
#include "models/base/text.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace specmv {

// Derived: with NVRTC 13.0, 60 KiB of "i && i && ..." take 15 s.
constexpr size_t kMostText = 8 << 10;

std::string atPlace(const char *what, const Token &place, const std::string &sentence) {
  return llvm::formatv("{0}, line {1}, column {2}: {3}", what, place.line, place.column, sentence);
}

std::string shortened(llvm::StringRef text) {
  constexpr size_t kMost = 64;
  return text.size() <= kMost ? text.str() : text.take_front(kMost).str() + "...";
}

template <class... Args>
static llvm::Error refuse(const char *what, const Token &place, const char *format,
                          Args &&...args) {
  return failWith(Status::badCall,
                  atPlace(what, place, llvm::formatv(format, std::forward<Args>(args)...).str()));
}

// --- Bytes ---

static bool isLineEnd(llvm::StringRef rest) { return rest[0] == '\n' || rest.starts_with("\r\n"); }

static llvm::Error refuseByte(const char *what, const Token &place, char c) {
  return c == '\\' ? refuse(what, place,
                            "the character '\\' is not allowed in a fused step, since it could "
                            "join lines; remove it")
                   : refuse(what, place,
                            "the byte {0} is not allowed in a fused step: comments are UTF-8 "
                            "without control characters, and all else is ASCII",
                            int{static_cast<unsigned char>(c)});
}

// Compilers differ in which bytes end a line, and NVRTC takes the byte 255 for the end of the file.
// A backslash, also as a trigraph, would join lines, so that a comment goes on in the next one.
static llvm::Error checkBytes(llvm::StringRef text, const char *what) {
  Token place;
  for (size_t at = 0; at < text.size();) {
    const llvm::StringRef rest = text.drop_front(at);
    const size_t size = isLineEnd(rest) ? 1 : shownBytes(text, at);
    if (size == 0 || rest[0] == '\\')
      return refuseByte(what, place, rest[0]);
    if (rest.starts_with("?\?/"))
      return refuse(what, place, "'?\?/' is not allowed in a fused step; remove it");
    const bool isEnd = rest[0] == '\n';
    place.line += isEnd;
    place.column = isEnd ? 1 : place.column + static_cast<int>(size);
    at += size;
  }
  return llvm::Error::success();
}

// --- Numbers ---

static bool isInteger(llvm::StringRef number) {
  uint64_t value = 0;
  const bool isOctal = number.size() > 1 && number[0] == '0';
  return llvm::all_of(number, llvm::isDigit) && !isOctal && !number.getAsInteger(10, value) &&
         value <= uint64_t{INT64_MAX};
}

// Returns true if the number is in the range of double, or of float if an f follows. The compiler
// refuses others.
static bool isFloatingNumber(llvm::StringRef number) {
  const bool isHex = number.starts_with_insensitive("0x");
  const bool isFloat = (!isHex || number.contains_insensitive("p")) &&
                       (number.consume_back("f") || number.consume_back("F"));
  if (!number.contains_insensitive(isHex ? "p" : "e") && !(number.contains('.') && !isHex))
    return false;
  if (!llvm::isDigit(number.back()) && number.back() != '.') // APFloat takes 1e
    return false;
  llvm::APFloat value(isFloat ? llvm::APFloat::IEEEsingle() : llvm::APFloat::IEEEdouble());
  auto status = value.convertFromString(number, llvm::APFloat::rmNearestTiesToEven);
  if (!status)
    return llvm::consumeError(status.takeError()), false;
  const bool isLost = (*status & llvm::APFloat::opUnderflow) != 0 && value.isZero();
  return value.isFinite() && !isLost;
}

// --- Tokens ---

static bool isOperatorOfSteps(llvm::StringRef token) {
  static constexpr llvm::StringLiteral kOperators[] = {
      "(", ")", "{",  "}",  ";",  ",",  "?",  ":",  "+",  "-",  "*",  "/",  "%",  "!",  "<",
      ">", "=", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "++", "--"};
  return llvm::is_contained(kOperators, token);
}

static llvm::Error checkWord(const Token &word, const char *what) {
  return isWordOfCpp(word.text) && !isWordOfSteps(word.text)
             ? refuse(what, word,
                      "'{0}' is not allowed: a fused step has assignments, declarations, "
                      "conditions and calls of functions, without loops, jumps or types",
                      word.text)
             : llvm::Error::success();
}

static llvm::Error checkToken(const Token &token, const char *what) {
  if (token.isWord())
    return checkWord(token, what);
  if (token.isNumber())
    return isInteger(token.text) || isFloatingNumber(token.text)
               ? llvm::Error::success()
               : refuse(what, token,
                        "'{0}' is not a number of fused steps: write digits, at most {1}, or a "
                        "number of double such as 1.5e-3, or 1.5e-3f of float",
                        shortened(token.text), INT64_MAX);
  return isOperatorOfSteps(token.text)
             ? llvm::Error::success()
             : refuse(what, token,
                      "'{0}' is not allowed: the operators of a fused step are + - * / % < <= > >= "
                      "== != && || ! ?: and those that assign; there are no addresses, bits, "
                      "members or brackets [ ]",
                      token.text);
}

static llvm::Expected<std::vector<Token>> checkedTokens(llvm::StringRef text, const char *what) {
  std::vector<Token> out;
  Tokens tokens(text);
  for (Token token = tokens.next(); !token.text.empty(); token = tokens.next()) {
    if (llvm::Error error = checkToken(token, what))
      return error;
    out.push_back(token);
  }
  if (!tokens.openComment().text.empty())
    return refuse(what, tokens.openComment(), "the comment that begins here has no end; write */");
  return out;
}

llvm::Expected<std::vector<Token>> tokensOf(llvm::StringRef text, const char *what) {
  if (text.size() > kMostText)
    return fail(Status::badCall, "{0} of {1} bytes exceeds the limit, {2} bytes", what, text.size(),
                kMostText);
  if (llvm::Error error = checkBytes(text, what))
    return error;
  return checkedTokens(text, what);
}

} // namespace specmv
