// Reads a Matrix Market file: header, entries, matrix.
#include "models/lab/matrix_market/matrix_market.h"

#include "models/base/memory.h"
#include "models/lab/families/build.h"
#include "models/lab/matrix_market/parts.h"

#include "llvm/Support/Path.h"

namespace specmv {

using namespace matrixmarket;

llvm::Error matrixmarket::checkRows(llvm::StringRef file, const Header &header, int64_t memory) {
  llvm::Error error = checkRowsFit(header.rows, header.cols, memory);
  if (!error)
    return error;
  const auto [status, sentence] = describe(std::move(error));
  return fileError(status, file, "{0}", sentence);
}

static llvm::Expected<CsrMatrix> parse(Input &input, llvm::StringRef file, llvm::StringRef name) {
  Lines lines(input, file);
  llvm::Expected<Header> header = parseHeader(lines);
  if (!header)
    return header.takeError();
  if (llvm::Error error = checkRows(file, *header, availableMemory()))
    return error;
  llvm::Expected<Pieces> pieces = parseEntries(lines, file, *header);
  if (!pieces)
    return pieces.takeError();
  llvm::Expected<CsrMatrix> matrix = assemble(file, *header, *pieces);
  if (matrix)
    matrix->name = name.str();
  return matrix;
}

llvm::Expected<CsrMatrix> parseMatrixMarket(llvm::StringRef text, llvm::StringRef name) {
  try {
    return parse(*inputOf(text), name, name);
  } catch (const std::bad_alloc &) {
    return outOfMemory(name);
  }
}

llvm::StringRef nameOfFile(llvm::StringRef path) {
  llvm::StringRef name = llvm::sys::path::filename(path);
  name.consume_back(".gz");
  name.consume_back(".mtx");
  return name;
}

llvm::Expected<CsrMatrix> readMatrixMarket(llvm::StringRef path) {
  try {
    auto input = openInput(path);
    if (!input)
      return input.takeError();
    return parse(**input, path, nameOfFile(path));
  } catch (const std::bad_alloc &) {
    return outOfMemory(path);
  }
}

} // namespace specmv
