// Reads and writes matrices as Matrix Market text (NIST, "The Matrix Market Exchange Formats",
// 1996).
//
// Read: coordinate and array; real, integer and pattern; general, symmetric and skew-symmetric. All
// lines but the first may be blank or comments (%). Lines end in LF or CRLF, numbers are separated
// by blanks of any kind, and each entry has a line of its own.
// - Duplicates are summed in the order of the file. Explicit zeros are entries.
// - pattern: every value is 1.
// - symmetric, skew-symmetric: an entry that is not on the diagonal is mirrored, in whichever
//   triangle it is. The diagonal of a skew-symmetric matrix can only have zeros.
// - array: all entries of the matrix are stored, zeros included. Symmetric files have the lower
//   triangle by columns, skew-symmetric files the lower triangle without the diagonal.
// - integer: values are read like real ones, because files of LAGraph have fractions and inf there.
// - Values may have a sign, may use d or D for the exponent, and may be inf or nan. They are
// rounded
//   to the nearest double: tiny ones to zero, integers beyond 2^53 to a neighbour. A number too
//   large for a double is refused: an infinity that nobody wrote would spoil every product.
// - Rows, columns and entries (after mirroring, before summing) are at most 2^31-1.
// - A line has at most 16 MiB, the first one 64 KiB; blank lines and comments that follow one
//   another have at most 16 MiB.
// - The text is read as it comes, packed or not, and refused at the first line that is wrong: what
//   stands behind that line is not read, and memory holds the entries so far and few megabytes.
//
// An error in the text is `file:line:column: error: sentence`, the line and a caret, of badInput;
// one of the whole file is `file: error: sentence`. Too little memory is `missing`.
#pragma once

#include "models/csr.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace specmv {

// Reads a file, which may be compressed by gzip, whatever its name. The matrix is named after the
// file, without folder, .gz and .mtx.
llvm::Expected<CsrMatrix> readMatrixMarket(llvm::StringRef path);

// The name of the matrix in a file of this path.
llvm::StringRef nameOfFile(llvm::StringRef path);

// Reads text; messages call it `name`, and so does the matrix.
llvm::Expected<CsrMatrix> parseMatrixMarket(llvm::StringRef text, llvm::StringRef name);

// Writes coordinate real general text with the shortest decimals that read back as the same
// doubles. Each comment, which must be of one line, comes behind the banner. The file is compressed
// by gzip if the path ends in .gz. It appears under its name when it is complete; after an error
// nothing has changed (models/base/whole_file.h).
llvm::Error writeMatrixMarket(const CsrMatrix &a, llvm::StringRef path,
                              llvm::ArrayRef<std::string> comments = {});
// Writes the same text to a stream, not compressed.
void writeMatrixMarket(const CsrMatrix &a, llvm::raw_ostream &out,
                       llvm::ArrayRef<std::string> comments = {});

} // namespace specmv
