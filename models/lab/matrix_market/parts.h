// The data that the parts of the Matrix Market reader pass to each other: header, entries, matrix.
#pragma once

#include "models/base/parallel.h"
#include "models/csr.h"
#include "models/lab/matrix_market/text.h"

#include <atomic>
#include <limits>
#include <new>
#include <vector>

namespace specmv::matrixmarket {

enum class Format : uint8_t { coordinate, array };
enum class Field : uint8_t { real, integer, pattern, complex };
enum class Symmetry : uint8_t { general, symmetric, skew, hermitian };

// derived: CsrMatrix has 32-bit indices
constexpr int64_t kMostIndex = std::numeric_limits<int32_t>::max();

struct Header {
  Format format = Format::coordinate;
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  int32_t rows = 0, cols = 0;
  int64_t entries = 0; // number of entry lines that must follow
};

// Reads the banner and the size line, and skips the lines between them.
llvm::Expected<Header> parseHeader(Lines &lines);

// Fails, before any entry is read, if the rows that the header promises need more than `memory`
// bytes, as for generated matrices. Memory for entries is asked for while they are read, since a
// file may have fewer than it promises.
llvm::Error checkRows(llvm::StringRef file, const Header &header, int64_t memory);

// An entry as the file states it, but counted from zero.
struct Triplet {
  int32_t row, col;
  double value;
};
// The entries of the file in order, in the pieces in which they were read.
using Pieces = std::vector<std::vector<Triplet>>;

// Reads exactly header.entries entries and assigns rows and columns to those of array files.
llvm::Expected<Pieces> parseEntries(Lines &lines, llvm::StringRef file, const Header &header);

// Makes the matrix: mirrors entries, sorts them and sums duplicates.
llvm::Expected<CsrMatrix> assemble(llvm::StringRef file, const Header &header,
                                   const Pieces &pieces);

// Bytes per entry of the matrix.
constexpr int64_t kEntryBytes = sizeof(int32_t) + sizeof(double);

// Counts the bytes of consecutive blank lines and comments. Without this limit, a pipe or gzip data
// that contain nothing else could be read forever.
class Idle {
public:
  // Fails if there are too many now.
  llvm::Error add(const Source &lines);
  void reset() { bytes_ = 0; }

private:
  size_t bytes_ = 0;
};

// A fault of an entry: the word, and the part of an entry that it should have been.
enum class Part : uint8_t { none, row, column, value, diagonal, rest, excess };
struct Fault {
  Part part = Part::none;
  llvm::StringRef word;
};
llvm::Error explain(const Source &source, const Header &header, const Fault &fault);

inline bool isBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline bool isDigit(char c) { return c >= '0' && c <= '9'; }

// Reads numbers that std::from_chars alone does not read: with a + sign, with d or D before the
// exponent, or so small that they are rounded to zero. Returns false if the word is not a number or
// exceeds the largest double.
bool parseUnusualReal(llvm::StringRef word, double &value);

// Returns true for digits behind a sign or none, which is how the field integer writes values.
bool isInteger(llvm::StringRef word);

// Calls body as parallelFor does. Returns false if one of the calls ran out of memory.
template <class F> bool parallelWithMemory(int64_t count, int64_t grain, const F &body) {
  std::atomic<bool> enough{true};
  parallelFor(count, grain, [&](int64_t begin, int64_t end) {
    try {
      body(begin, end);
    } catch (const std::bad_alloc &) {
      enough = false;
    }
  });
  return enough;
}

} // namespace specmv::matrixmarket
