// Reads the entries of a Matrix Market file block by block, and what is wrong in them.
#include "models/base/memory.h"
#include "models/lab/matrix_market/parts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace specmv::matrixmarket {

// --- Faults --------------------------------------------------------------------------------------

// The rare cases of reading Matrix Market entries: unusual numbers, and messages about faults.

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

// --- Entries -------------------------------------------------------------------------------------

// Reads the entries of a Matrix Market file block by block; all cores read pieces of whole lines of
// a block.

// derived: milliseconds of work, far more than the cost of starting a piece
constexpr size_t kPieceBytes = 1 << 20;
// The first block is small, so that a bad file is refused early; later ones occupy all cores.
constexpr size_t kFirstBlock = 64 << 10, kMostBlock = 16 * kPieceBytes;

static const char *skipBlanks(const char *p, const char *end) {
  while (p != end && isBlank(*p))
    ++p;
  return p;
}

static llvm::StringRef wordAt(const char *p, const char *end) {
  return llvm::StringRef(p, static_cast<size_t>(end - p)).take_until(isBlank);
}

// These two read the number at p and advance p past it, or return false and leave p unchanged.

static bool parseIndex(const char *&p, const char *end, int32_t limit, int32_t &index) {
  const char *q = p + (p != end && *p == '+');
  int64_t n = 0;
  for (; q != end && isDigit(*q) && n <= limit; ++q)
    n = n * 10 + (*q - '0');
  if (n < 1 || n > limit || (q != end && !isBlank(*q)))
    return false;
  index = static_cast<int32_t>(n - 1);
  p = q;
  return true;
}

static bool parseReal(const char *&p, const char *end, double &value) {
  auto [q, error] = std::from_chars(p, end, value);
  if (error == std::errc{} && (q == end || isBlank(*q))) {
    p = q;
    return true;
  }
  llvm::StringRef word = wordAt(p, end);
  if (!parseUnusualReal(word, value))
    return false;
  p = word.end();
  return true;
}

// Files of integers have infinities and NaN where another type was written under that name.
static bool parseValue(Field field, const char *&p, const char *end, double &value) {
  const char *const start = p;
  if (!parseReal(p, end, value))
    return false;
  if (field != Field::integer || !std::isfinite(value) || isInteger(wordAt(start, end)))
    return true;
  p = start;
  return false;
}

// Reads the line of one entry. p points to its first character that is not blank.
static Fault parseEntry(const Header &h, const char *p, const char *end, Triplet &t) {
  auto fault = [&](Part part) { return Fault{part, wordAt(p, end)}; };
  if (h.format == Format::coordinate) {
    if (!parseIndex(p, end, h.rows, t.row))
      return fault(Part::row);
    p = skipBlanks(p, end);
    if (!parseIndex(p, end, h.cols, t.col))
      return fault(Part::column);
    p = skipBlanks(p, end);
  }
  const char *valueAt = p;
  t.value = 1;
  if (h.field != Field::pattern && !parseValue(h.field, p, end, t.value))
    return fault(Part::value);
  p = skipBlanks(p, end);
  if (p != end)
    return fault(Part::rest);
  if (h.symmetry == Symmetry::skew && t.row == t.col && t.value != 0)
    return {Part::diagonal, wordAt(valueAt, end)};
  return {};
}

namespace {
struct Result {
  std::vector<Triplet> entries;
  Fault fault;         // where reading stopped, if it did
  size_t lineEnds = 0; // line ends up to the end of reading
};
} // namespace

// Reads lines up to the first fault. An entry beyond `limit` is a fault.
static Result parseLines(llvm::StringRef text, const Header &h, int64_t limit) {
  constexpr size_t kUsualEntry = 16; // derived: two indices and a short value
  Result result;
  result.entries.reserve(std::min(static_cast<size_t>(limit), text.size() / kUsualEntry));
  const char *next = text.begin();
  while (next != text.end()) {
    const void *newline = std::memchr(next, '\n', static_cast<size_t>(text.end() - next));
    const char *end = newline ? static_cast<const char *>(newline) : text.end();
    const char *p = skipBlanks(next, end);
    next = newline ? end + 1 : end;
    result.lineEnds += newline ? 1 : 0;
    if (p == end || *p == '%')
      continue;
    Triplet t{0, -1, 0}; // array entries get their places later; this one is not diagonal
    result.fault = static_cast<int64_t>(result.entries.size()) < limit
                       ? parseEntry(h, p, end, t)
                       : Fault{Part::excess, wordAt(p, end)};
    if (result.fault.part != Part::none)
      return result;
    result.entries.push_back(t);
  }
  return result;
}

// Cuts the text into pieces at line ends.
static std::vector<llvm::StringRef> cut(llvm::StringRef text) {
  std::vector<llvm::StringRef> pieces;
  while (!text.empty()) {
    size_t newline = text.find('\n', std::min(kPieceBytes, text.size()) - 1);
    pieces.push_back(text.take_front(newline == llvm::StringRef::npos ? newline : newline + 1));
    text = text.drop_front(pieces.back().size());
  }
  return pieces;
}

// Returns the first fault of a block. It is found only now because it depends on the number of
// entries before each piece. `left` is the number of missing entries before the block, and becomes
// the number after it.
static llvm::Error firstFault(const Source &block, const Header &h,
                              const std::vector<llvm::StringRef> &texts,
                              const std::vector<Result> &results, int64_t &left) {
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto count = static_cast<int64_t>(results[i].entries.size());
    if (count > left)
      return explain(block, h, parseLines(texts[i], h, left).fault);
    if (results[i].fault.part != Part::none)
      return explain(block, h, results[i].fault);
    left -= count;
  }
  return llvm::Error::success();
}

// Adds the entries of a block, at most `left`, and returns the number of line ends in it.
static llvm::Expected<size_t> parseBlock(const Source &block, const Header &h, int64_t &left,
                                         Pieces &pieces) {
  const std::vector<llvm::StringRef> texts = cut(block.text);
  std::vector<Result> results(texts.size());
  const auto count = static_cast<int64_t>(texts.size());
  bool enough = parallelWithMemory(count, 1, [&](int64_t i, int64_t) {
    results[static_cast<size_t>(i)] = parseLines(texts[static_cast<size_t>(i)], h, left);
  });
  if (!enough)
    return outOfMemory(block.file);
  if (llvm::Error error = firstFault(block, h, texts, results, left))
    return error;
  size_t lineEnds = 0;
  for (Result &result : results) {
    lineEnds += result.lineEnds;
    if (!result.entries.empty())
      pieces.push_back(std::move(result.entries));
  }
  return lineEnds;
}

llvm::Error Idle::add(const Source &lines) {
  constexpr size_t kMost = 16 << 20; // derived: longer than any comment, and quick to read
  bytes_ += lines.text.size();
  if (bytes_ <= kMost)
    return llvm::Error::success();
  return errorAt(lines, lines.text.take_front(0),
                 llvm::formatv("more than {0} bytes of blank lines and comments", kMost));
}

// The values of an array come column by column; in a triangle, each column starts at the diagonal.
static void fillPlaces(const Header &h, Pieces &pieces) {
  const bool general = h.symmetry == Symmetry::general;
  const int32_t skipped = h.symmetry == Symmetry::skew ? 1 : 0;
  int32_t col = 0, row = skipped;
  for (std::vector<Triplet> &piece : pieces)
    for (Triplet &t : piece) {
      t.row = row++;
      t.col = col;
      if (row == h.rows) {
        ++col;
        row = general ? 0 : col + skipped;
      }
    }
}

// The diagonal of an array whose file omits it. It is stored, like all entries of an array.
static std::vector<Triplet> zeroDiagonal(int32_t rows) {
  std::vector<Triplet> diagonal;
  diagonal.reserve(static_cast<size_t>(rows));
  for (int32_t i = 0; i < rows; ++i)
    diagonal.push_back({i, i, 0});
  return diagonal;
}

static llvm::Expected<Pieces> readBlocks(Lines &lines, llvm::StringRef file, const Header &h) {
  Pieces pieces;
  Idle idle;
  int64_t left = h.entries;
  for (size_t bytes = kFirstBlock;; bytes = std::min(2 * bytes, kMostBlock)) {
    auto block = lines.block(bytes);
    if (!block)
      return block.takeError();
    if (block->text.empty())
      break;
    const int64_t before = left;
    auto lineEnds = parseBlock(*block, h, left, pieces);
    if (!lineEnds)
      return lineEnds.takeError();
    lines.counted(*lineEnds);
    if (left < before)
      idle.reset();
    else if (llvm::Error error = idle.add(*block))
      return error;
    if (!memoryHolds((h.entries - left) *
                     kEntryBytes)) // memory for the matrix that is made of the entries
      return outOfMemory(file);
  }
  if (left > 0)
    return lines.errorAtEnd(
        llvm::formatv("expected {0} entries, found {1}", h.entries, h.entries - left));
  return pieces;
}

llvm::Expected<Pieces> parseEntries(Lines &lines, llvm::StringRef file, const Header &h) {
  llvm::Expected<Pieces> pieces = readBlocks(lines, file, h);
  if (pieces && h.format == Format::array) {
    fillPlaces(h, *pieces);
    if (h.symmetry == Symmetry::skew)
      pieces->push_back(zeroDiagonal(h.rows));
  }
  return pieces;
}

} // namespace specmv::matrixmarket
