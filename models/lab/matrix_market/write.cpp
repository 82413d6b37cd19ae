// Writes a matrix as Matrix Market text.
#include "models/lab/matrix_market/matrix_market.h"

#include "models/lab/matrix_market/gzip_write.h"

#include <charconv>

namespace specmv {

static void writeRow(const CsrMatrix &a, size_t row, llvm::raw_ostream &out) {
  char line[64]; // derived: two numbers of 10 digits, a double of at most 24 characters, 3 blanks
  char *const end = line + sizeof line;
  char *columnAt = std::to_chars(line, end, row + 1).ptr;
  *columnAt++ = ' ';
  const auto first = static_cast<size_t>(a.rowPtr[row]);
  const auto last = static_cast<size_t>(a.rowPtr[row + 1]);
  for (size_t k = first; k < last; ++k) {
    char *p = std::to_chars(columnAt, end, int64_t{a.col[k]} + 1).ptr;
    *p++ = ' ';
    p = std::to_chars(p, end, a.val[k]).ptr;
    *p++ = '\n';
    out.write(line, static_cast<size_t>(p - line));
  }
}

void writeMatrixMarket(const CsrMatrix &a, llvm::raw_ostream &out,
                       llvm::ArrayRef<std::string> comments) {
  out << "%%MatrixMarket matrix coordinate real general\n";
  for (const std::string &comment : comments)
    out << "% " << comment << '\n';
  out << a.rows << ' ' << a.cols << ' ' << a.nnz() << '\n';
  for (size_t row = 0; row < static_cast<size_t>(a.rows); ++row)
    writeRow(a, row, out);
}

llvm::Error writeMatrixMarket(const CsrMatrix &a, llvm::StringRef path,
                              llvm::ArrayRef<std::string> comments) {
  const auto write = [&](llvm::raw_ostream &out) { writeMatrixMarket(a, out, comments); };
  return path.ends_with(".gz") ? writeWholeGzip(path, write) : writeWholeFile(path, write);
}

} // namespace specmv
