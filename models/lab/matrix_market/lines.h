// Gives a text in whole lines, one part at a time, and forgets earlier parts.
#pragma once

#include "models/lab/matrix_market/input.h"
#include "models/lab/matrix_market/text.h"

#include <optional>
#include <string>

namespace specmv::matrixmarket {

// derived: longer than any number or comment. At most twice as many bytes of a line are in memory.
constexpr size_t kMostLine = 16 << 20;

// The result of `line` or `block` is valid until the next call of either, and empty at the end.
class Lines {
public:
  Lines(Input &input, llvm::StringRef file) : input_(input), file_(file) {}

  // Returns the next line with its line end, or its first `most` bytes; isCut() is then true.
  llvm::Expected<Source> line(size_t most);
  bool isCut() const { return isCut_; }

  // Returns the next lines: about `bytes` bytes, more if a line is longer. Fails if a line does not
  // end within kMostLine bytes.
  llvm::Expected<Source> block(size_t bytes);

  // Takes the number of line ends in the last result from a caller that has counted them.
  void counted(size_t lineEnds) { lineEnds_ = lineEnds; }

  // `file:line:column: error: ...`: the last line is longer than `most`.
  static llvm::Error tooLong(const Source &line, size_t most);
  // `file:line:column: error: sentence` at the end of the text, which has been reached: the error
  // is placed after the last character that is not blank.
  llvm::Error errorAtEnd(const std::string &sentence) const;

private:
  llvm::StringRef unread() const { return bytes_.text().drop_front(begin_); }
  Source give(size_t count);
  void forget();
  llvm::Error readOn(size_t size);

  Input &input_;
  llvm::StringRef file_;
  Bytes bytes_;
  size_t begin_ = 0;       // begin of the text that was not returned yet
  Source given_{};         // the last result
  std::string lastLine_{}; // the last line before it that is not blank
  size_t linesBeforeLast_ = 0;
  std::optional<size_t> lineEnds_{};
  bool isCut_ = false, inputEnded_ = false;
};

} // namespace specmv::matrixmarket
