// The rare cases of reading Matrix Market entries: unusual numbers, and messages about faults.
#include "models/lab/matrix_market/parts.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace specmv::matrixmarket {

namespace {
enum class Reading : uint8_t { number, tooLarge, none };
} // namespace

static Reading readReal(llvm::StringRef word, double &value) {
  if (word.consume_front("+") && (word.starts_with("-") || word.starts_with("+")))
    return Reading::none;
  std::string text = word.str();
  size_t exponent = text.find_first_of("dD");
  if (exponent != std::string::npos)
    text[exponent] = 'e';
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument)
    return Reading::none;
  if (error == std::errc{})
    return Reading::number;
  // Out of range: LLVM's conversion rounds to 0, a subnormal number or infinity in every locale.
  if (llvm::StringRef(text).getAsDouble(value))
    return Reading::none;
  return std::isfinite(value) ? Reading::number : Reading::tooLarge;
}

bool parseUnusualReal(llvm::StringRef word, double &value) {
  return readReal(word, value) == Reading::number;
}

static bool isWhole(llvm::StringRef digits) {
  return !digits.empty() && std::all_of(digits.begin(), digits.end(), isDigit);
}

bool isInteger(llvm::StringRef word) {
  return isWhole(word.drop_front(word.starts_with("+") || word.starts_with("-") ? 1 : 0));
}

static std::string indexSentence(const char *what, int32_t limit, llvm::StringRef word) {
  if (word.empty())
    return llvm::formatv("expected a {0} index, found the end of the line", what);
  llvm::StringRef digits = word;
  bool negative = !digits.consume_front("+") && digits.consume_front("-");
  if (!isWhole(digits))
    return llvm::formatv("{0} index {1} is not a whole number", what, quoted(word));
  if (negative)
    return llvm::formatv("{0} index {1} is negative", what, shown(word));
  if (digits.find_first_not_of('0') == llvm::StringRef::npos)
    return llvm::formatv("{0} index {1} is too small: indices begin at 1", what, shown(word));
  return llvm::formatv("{0} index {1} exceeds {2} {0}s", what, shown(word), limit);
}

static std::string valueSentence(Field field, llvm::StringRef word) {
  if (word.empty())
    return "expected a value, found the end of the line";
  double value = 0;
  const Reading reading = readReal(word, value);
  if (reading == Reading::tooLarge)
    return "value " + shown(word) + " exceeds the largest double";
  if (field == Field::integer && reading == Reading::number)
    return "value " + quoted(word) +
           " is not an integer, but the banner says integer; write real there";
  return "value " + quoted(word) + " is not a number";
}

static std::string sentence(const Header &h, const Fault &fault) {
  switch (fault.part) {
  case Part::row:
    return indexSentence("row", h.rows, fault.word);
  case Part::column:
    return indexSentence("column", h.cols, fault.word);
  case Part::value:
    return valueSentence(h.field, fault.word);
  case Part::diagonal:
    return "the diagonal of a skew-symmetric matrix is 0, not " + shown(fault.word);
  case Part::rest:
    return "unexpected " + quoted(fault.word) + " after the entry";
  case Part::excess:
    return llvm::formatv("expected {0} entries, found more", h.entries);
  case Part::none:
    break;
  }
  return "";
}

llvm::Error explain(const Source &source, const Header &header, const Fault &fault) {
  return errorAt(source, fault.word, sentence(header, fault));
}

} // namespace specmv::matrixmarket
