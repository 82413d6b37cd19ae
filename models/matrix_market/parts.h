// What the parts of the Matrix Market reader hand to each other: header, entries, matrix.
#pragma once

#include "models/base/parallel.h"
#include "models/csr.h"
#include "models/matrix_market/text.h"

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
  int64_t entries = 0; // lines of entries that must follow
  size_t body = 0;     // where they begin in the text
};

// The banner and the size line, with what lies before and between.
llvm::Expected<Header> parseHeader(const Source &source);

// An entry as it stands in the file, counted from zero.
struct Triplet {
  int32_t row, col;
  double value;
};
// The entries of the file in order, in as many pieces as were read at once.
using Pieces = std::vector<std::vector<Triplet>>;

// Exactly header.entries entries, with array files' rows and columns filled in.
llvm::Expected<Pieces> parseEntries(const Source &source, const Header &header);

// Mirrors, sorts and sums.
llvm::Expected<CsrMatrix> assemble(const Source &source, const Header &header,
                                   const Pieces &pieces);

// What is wrong with an entry: the word, and what it should have been.
enum class Part : uint8_t { none, row, column, value, diagonal, rest, excess };
struct Fault {
  Part part = Part::none;
  llvm::StringRef word;
};
llvm::Error explain(const Source &source, const Header &header, const Fault &fault);

inline bool isBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline bool isDigit(char c) { return c >= '0' && c <= '9'; }

// Reads a number that std::from_chars alone does not: with a + sign, with the exponent after d or
// D, or rounded to zero. False for what is no number, and for one beyond the largest double.
bool parseUnusualReal(llvm::StringRef word, double &value);

// Calls body as parallelFor does; false when one of the calls ran out of memory.
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
