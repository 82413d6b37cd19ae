// Gives a text as whole lines, a part at a time, and forgets what it gave before.
#pragma once

#include "models/lab/matrix_market/input.h"
#include "models/lab/matrix_market/text.h"

#include <optional>
#include <string>

namespace specmv::matrixmarket {

// derived: no number is so long, and no comment. Memory need not hold more of a line than twice
// that.
constexpr size_t kMostLine = 16 << 20;

// What `line` and `block` give is valid until the next call of either, and empty at the end.
class Lines {
public:
  Lines(Input &input, llvm::StringRef file) : input_(input), file_(file) {}

  // The next line with its end, or the first `most` bytes of it: then isCut is true.
  llvm::Expected<Source> line(size_t most);
  bool isCut() const { return isCut_; }

  // The next lines: about `bytes` bytes, more if a line is longer. An error if it has no end within
  // kMostLine bytes.
  llvm::Expected<Source> block(size_t bytes);

  // For whoever has counted the ends of lines in what was given last, which are then not counted
  // again.
  void counted(size_t lineEnds) { lineEnds_ = lineEnds; }

  // `file:line:column: error: ...`: the line that was given last is longer than `most`.
  static llvm::Error tooLong(const Source &line, size_t most);
  // `file:line:column: error: sentence` for the end of the text, which has been reached: the place
  // is behind what is no blank.
  llvm::Error errorAtEnd(const std::string &sentence) const;

private:
  llvm::StringRef unread() const { return bytes_.text().drop_front(begin_); }
  Source give(size_t count);
  void forget();
  llvm::Error readOn(size_t size);

  Input &input_;
  llvm::StringRef file_;
  Bytes bytes_;
  size_t begin_ = 0;       // of what was not given yet
  Source given_{};         // what was given last
  std::string lastLine_{}; // that was given before it and is not blank
  size_t linesBeforeLast_ = 0;
  std::optional<size_t> lineEnds_{};
  bool isCut_ = false, inputEnded_ = false;
};

} // namespace specmv::matrixmarket
