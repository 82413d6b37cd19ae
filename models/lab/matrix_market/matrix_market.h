// Reads and writes matrices as Matrix Market text (NIST, "The Matrix Market Exchange Formats",
// 1996).
//
// Reads coordinate and array; real, integer and pattern; general, symmetric and skew-symmetric. All
// lines but the first may be blank or comments (%). Lines end in LF or CRLF, numbers are separated
// by any whitespace, and each entry has its own line.
// - Duplicates are summed in the order of the file. Explicit zeros are entries.
// - pattern: every value is 1.
// - symmetric, skew-symmetric: an entry that is not on the diagonal is mirrored, whichever triangle
//   it is in. The diagonal of a skew-symmetric matrix can only have zeros.
// - array: all entries of the matrix are stored, zeros included. Symmetric files have the lower
//   triangle by columns, skew-symmetric files the lower triangle without the diagonal.
// - integer: values are read like real ones, because files of LAGraph have fractions and inf there.
// - Values may have a sign, may use d or D for the exponent, and may be inf or nan. They are
// rounded
//   to the nearest double: tiny ones to zero, integers beyond 2^53 to a neighbour. A number too
//   large for a double is refused: an infinity that is not in the file would spoil every product.
// - Rows, columns and entries (after mirroring, before summing) are at most 2^31-1.
// - A line has at most 16 MiB, the first one 64 KiB; consecutive blank lines and comments have at
//   most 16 MiB.
// - The text is read as it arrives, compressed or not, and refused at the first wrong line: the
// text
//   after that line is not read, and memory holds the entries so far and a few megabytes.
//
// An error in the text is badInput and has the form `file:line:column: error: sentence`, followed
// by the line and a caret. An error of the whole file has the form `file: error: sentence`. Too
// little memory is `missing`.
#pragma once

#include "models/csr.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace specmv {

// Reads a file, which may be compressed by gzip under any name. The matrix is named after the file,
// without folder, .gz and .mtx.
llvm::Expected<CsrMatrix> readMatrixMarket(llvm::StringRef path);

// The name of the matrix in the file at this path.
llvm::StringRef nameOfFile(llvm::StringRef path);

// Reads text. `name` is the name of the matrix, and of the text in messages.
llvm::Expected<CsrMatrix> parseMatrixMarket(llvm::StringRef text, llvm::StringRef name);

// Writes coordinate real general text with the shortest decimals that read back as the same
// doubles. Each comment, which must be a single line, follows the banner. The file is compressed by
// gzip if the path ends in .gz. It appears under its name when it is complete; after an error
// nothing has changed (models/base/files.h).
llvm::Error writeMatrixMarket(const CsrMatrix &a, llvm::StringRef path,
                              llvm::ArrayRef<std::string> comments = {});
// Writes the same text to a stream, uncompressed.
void writeMatrixMarket(const CsrMatrix &a, llvm::raw_ostream &out,
                       llvm::ArrayRef<std::string> comments = {});

} // namespace specmv
