// Reads the banner and the size line of a Matrix Market file.
#include "models/lab/matrix_market/parts.h"

namespace specmv::matrixmarket {

namespace {
// The words of a line, and an empty word at its end, to which messages about a missing word point.
struct Line {
  std::vector<llvm::StringRef> words;
  llvm::StringRef end;
  llvm::StringRef operator[](size_t i) const { return i < words.size() ? words[i] : end; }
};

template <class T> struct Word {
  llvm::StringLiteral text;
  T meaning;
};
} // namespace

constexpr llvm::StringLiteral kBlanks = " \t\r\v\f";
constexpr llvm::StringLiteral kBanner = "%%MatrixMarket";
constexpr Word<Format> kFormats[] = {{"coordinate", Format::coordinate}, {"array", Format::array}};
constexpr Word<Field> kFieldWords[] = {{"real", Field::real},
                                       {"integer", Field::integer},
                                       {"pattern", Field::pattern},
                                       {"complex", Field::complex}};
constexpr Word<Symmetry> kSymmetries[] = {{"general", Symmetry::general},
                                          {"symmetric", Symmetry::symmetric},
                                          {"skew-symmetric", Symmetry::skew},
                                          {"hermitian", Symmetry::hermitian}};

static Line split(llvm::StringRef text) {
  Line line;
  text.consume_back("\n");
  text = text.rtrim(kBlanks);
  line.end = text.take_back(0);
  for (text = text.ltrim(kBlanks); !text.empty(); text = text.ltrim(kBlanks)) {
    line.words.push_back(text.take_until(isBlank));
    text = text.drop_front(line.words.back().size());
  }
  return line;
}

static bool isComment(const Line &line) {
  return line.words.empty() || line.words.front().starts_with("%");
}

static llvm::Error unexpected(const Source &source, llvm::StringRef word, const std::string &what) {
  std::string found = word.empty() ? "the end of the line" : quoted(word);
  return errorAt(source, word, "expected " + what + ", found " + found);
}

// Returns "coordinate or array".
template <class T, size_t N> static std::string choices(const Word<T> (&words)[N]) {
  std::string text = words[0].text.str();
  for (size_t i = 1; i < N; ++i)
    text += (i + 1 < N ? ", " : " or ") + words[i].text.str();
  return text;
}

template <class T, size_t N>
static llvm::Error choose(const Source &source, llvm::StringRef word, const Word<T> (&words)[N],
                          T &meaning) {
  for (const Word<T> &candidate : words)
    if (word.equals_insensitive(candidate.text)) {
      meaning = candidate.meaning;
      return llvm::Error::success();
    }
  return unexpected(source, word, choices(words));
}

// Refuses words that are known but contradict each other or are not supported.
static llvm::Error checkSupported(const Source &source, const Line &banner, const Header &h) {
  if (h.field == Field::complex)
    return errorAt(source, banner[3],
                   "complex matrices are not supported; write the real matrix "
                   "[Re -Im; Im Re], of twice the size");
  if (h.symmetry == Symmetry::hermitian)
    return errorAt(source, banner[4],
                   "hermitian matrices are complex, and complex matrices are not supported");
  if (h.field == Field::pattern && h.format == Format::array)
    return errorAt(source, banner[3], "an array holds values, so it cannot be a pattern");
  if (h.field == Field::pattern && h.symmetry == Symmetry::skew)
    return errorAt(source, banner[4], "a pattern cannot be skew-symmetric: all its values are 1");
  return llvm::Error::success();
}

static llvm::Error parseBanner(const Source &source, const Line &line, Header &h) {
  if (line[0].starts_with("\xef\xbb\xbf"))
    return errorAt(source, line[0],
                   "the text begins with a byte order mark, 3 bytes before the banner; remove it");
  if (!line[0].equals_insensitive(kBanner))
    return unexpected(source, line[0], "the banner '%%MatrixMarket matrix ...'");
  if (!line[1].equals_insensitive("matrix"))
    return unexpected(source, line[1], "matrix");
  if (llvm::Error error = choose(source, line[2], kFormats, h.format))
    return error;
  if (llvm::Error error = choose(source, line[3], kFieldWords, h.field))
    return error;
  if (llvm::Error error = choose(source, line[4], kSymmetries, h.symmetry))
    return error;
  if (line.words.size() > 5)
    return unexpected(source, line[5], "the end of the banner");
  return checkSupported(source, line, h);
}

// Reads a count of the size line. The digits are checked first, so that a number may have any
// length.
static llvm::Error parseCount(const Source &source, llvm::StringRef word, const char *what,
                              int64_t &count) {
  llvm::StringRef digits = word;
  digits.consume_front("+");
  bool negative = digits.consume_front("-");
  if (digits.empty() || digits.find_first_not_of("0123456789") != llvm::StringRef::npos)
    return errorAt(source, word,
                   std::string(what) + " count " + quoted(word) + " is not a whole number");
  if (negative)
    return errorAt(source, word, std::string(what) + " count " + shown(word) + " is negative");
  if (digits.getAsInteger(10, count) || count > kMostIndex)
    return errorAt(source, word,
                   llvm::formatv("{0} count {1} exceeds {2}", what, shown(word), kMostIndex));
  return llvm::Error::success();
}

// The number of values in an array file. Each is an entry of the matrix, and so is its mirror
// image.
static int64_t arrayValues(const Header &h) {
  const int64_t n = h.rows;
  if (h.symmetry == Symmetry::general)
    return n * h.cols;
  return h.symmetry == Symmetry::symmetric ? n * (n + 1) / 2 : n * (n - 1) / 2;
}

static llvm::Error checkShape(const Source &source, const Line &sizes, const Header &h) {
  if (h.symmetry != Symmetry::general && h.rows != h.cols)
    return errorAt(source, sizes[1],
                   llvm::formatv("a {0} matrix is square, but this has {1} rows and {2} columns",
                                 h.symmetry == Symmetry::skew ? "skew-symmetric" : "symmetric",
                                 h.rows, h.cols));
  const int64_t all = int64_t{h.rows} * h.cols;
  if (h.format == Format::array && all > kMostIndex)
    return errorAt(source, sizes[0],
                   llvm::formatv("{0} rows of {1} columns have {2} entries, more than {3}", h.rows,
                                 h.cols, all, kMostIndex));
  return llvm::Error::success();
}

static llvm::Error parseSizes(const Source &source, const Line &line, Header &h) {
  const bool coordinate = h.format == Format::coordinate;
  const size_t wanted = coordinate ? 3 : 2;
  if (line.words.size() != wanted)
    return errorAt(source, line[wanted],
                   llvm::formatv("expected {0} on the size line, found {1}",
                                 coordinate ? "3 numbers (rows, columns, entries)"
                                            : "2 numbers (rows, columns)",
                                 line.words.size()));
  constexpr const char *kNames[] = {"row", "column", "entry"};
  int64_t counts[3] = {};
  for (size_t i = 0; i < wanted; ++i)
    if (llvm::Error error = parseCount(source, line.words[i], kNames[i], counts[i]))
      return error;
  h.rows = static_cast<int32_t>(counts[0]);
  h.cols = static_cast<int32_t>(counts[1]);
  h.entries = coordinate ? counts[2] : arrayValues(h);
  return checkShape(source, line, h);
}

static llvm::Error readBanner(Lines &lines, Header &h) {
  constexpr size_t kMostBanner = 64 << 10; // derived: the banner has five words
  auto first = lines.line(kMostBanner);
  if (!first)
    return first.takeError();
  if (llvm::Error error = parseBanner(*first, split(first->text), h))
    return error;
  return lines.isCut() ? Lines::tooLong(*first, kMostBanner) : llvm::Error::success();
}

static llvm::Error readSizes(Lines &lines, Header &h) {
  for (Idle idle;;) {
    auto next = lines.line(kMostLine);
    if (!next)
      return next.takeError();
    if (next->text.empty())
      return lines.errorAtEnd("the file ends before its size line");
    if (lines.isCut())
      return Lines::tooLong(*next, kMostLine);
    if (const Line line = split(next->text); !isComment(line))
      return parseSizes(*next, line, h);
    if (llvm::Error error = idle.add(*next))
      return error;
  }
}

llvm::Expected<Header> parseHeader(Lines &lines) {
  Header h;
  if (llvm::Error error = readBanner(lines, h))
    return error;
  if (llvm::Error error = readSizes(lines, h))
    return error;
  return h;
}

} // namespace specmv::matrixmarket
