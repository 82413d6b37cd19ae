// Reads and writes matrices as Matrix Market text (NIST, "The Matrix Market Exchange Formats",
// 1996).
//
// Read: coordinate and array; real, integer and pattern; general, symmetric and skew-symmetric. Any
// line but the first may be blank or a comment (%), lines end in LF or CRLF, numbers are separated
// by any blanks, and every entry stands on a line of its own.
// - Duplicates are summed in the order of the file. Explicit zeros are entries.
// - pattern: every value is 1.
// - symmetric, skew-symmetric: an entry off the diagonal, in either triangle, is mirrored. A
//   skew-symmetric diagonal can only hold zeros.
// - array: every entry of the matrix is stored, zeros included. Symmetric files hold the lower
//   triangle by columns, skew-symmetric files the lower triangle without the diagonal.
// - integer: values are read like real ones; LAGraph's files have fractions and inf among them.
// - Values may have a sign, a d or D for the exponent, or be inf or nan. They are rounded to the
//   nearest double: tiny ones to zero, integers beyond 2^53 to a neighbour. Others too large for a
//   double are refused, since an infinity that nobody wrote would spoil every product.
// - Rows, columns and entries (after mirroring, before summing) are at most 2^31-1.
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

// Reads a file, also one packed by gzip whatever its name. The matrix is named after the file,
// without folder, .gz and .mtx.
llvm::Expected<CsrMatrix> readMatrixMarket(llvm::StringRef path);

// The name of the matrix in a file of this path.
llvm::StringRef nameOfFile(llvm::StringRef path);

// Reads text; messages call it `name`, and so does the matrix.
llvm::Expected<CsrMatrix> parseMatrixMarket(llvm::StringRef text, llvm::StringRef name);

// Writes coordinate real general text with the shortest decimals that read back as the same
// doubles, and each comment, of one line, behind the banner; packed by gzip where the path ends in
// .gz. The file appears under its name when it is whole; after an error nothing has changed
// (models/base/whole_file.h).
llvm::Error writeMatrixMarket(const CsrMatrix &a, llvm::StringRef path,
                              llvm::ArrayRef<std::string> comments = {});
// The same text on a stream, not packed.
void writeMatrixMarket(const CsrMatrix &a, llvm::raw_ostream &out,
                       llvm::ArrayRef<std::string> comments = {});

} // namespace specmv
