// Reads a Matrix Market file: text, header, entries, matrix.
#include "models/matrix_market/matrix_market.h"

#include "models/matrix_market/parts.h"

#include "llvm/Support/Path.h"

namespace specmv {

using namespace matrixmarket;

static llvm::Expected<CsrMatrix> parseSource(const Source &source, llvm::StringRef name) {
  llvm::Expected<Header> header = parseHeader(source);
  if (!header)
    return header.takeError();
  llvm::Expected<Pieces> pieces = parseEntries(source, *header);
  if (!pieces)
    return pieces.takeError();
  llvm::Expected<CsrMatrix> matrix = assemble(source, *header, *pieces);
  if (matrix)
    matrix->name = name.str();
  return matrix;
}

static llvm::Expected<CsrMatrix> parse(const Source &source, llvm::StringRef name) {
  try {
    return parseSource(source, name);
  } catch (const std::bad_alloc &) {
    return outOfMemory(source.file);
  }
}

llvm::Expected<CsrMatrix> parseMatrixMarket(llvm::StringRef text, llvm::StringRef name) {
  return parse({text, name}, name);
}

llvm::StringRef nameOfFile(llvm::StringRef path) {
  llvm::StringRef name = llvm::sys::path::filename(path);
  name.consume_back(".gz");
  name.consume_back(".mtx");
  return name;
}

llvm::Expected<CsrMatrix> readMatrixMarket(llvm::StringRef path) {
  llvm::Expected<Bytes> bytes = readText(path);
  if (!bytes)
    return bytes.takeError();
  return parse({bytes->text(), path}, nameOfFile(path));
}

} // namespace specmv
