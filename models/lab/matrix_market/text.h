// A text as the reader of Matrix Market has it: bytes of memory or files, in whole lines, with
// messages.
#pragma once

#include "models/base/error.h"

#include "llvm/ADT/StringRef.h"

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

namespace specmv::matrixmarket {

// --- Input ---------------------------------------------------------------------------------------

// The source of a text's bytes: memory, a file, or a file compressed by gzip. The bytes come piece
// by piece, so that a bad text can be refused before all of it is in memory.

class Input {
public:
  Input() = default;
  Input(const Input &) = delete;
  Input &operator=(const Input &) = delete;
  virtual ~Input() = default;
  // Puts at most `room` bytes at `to` and returns their number; 0 only at the end.
  virtual llvm::Expected<size_t> read(char *to, size_t room) = 0;
};

// Reads text in memory, which must stay there.
std::unique_ptr<Input> inputOf(llvm::StringRef text);

// Reads a file with read(), and decompresses it if it begins like a gzip file. Waits for a pipe.
llvm::Expected<std::unique_ptr<Input>> openInput(llvm::StringRef path);

// Reads the content of gzip data; messages call it `file`.
llvm::Expected<std::unique_ptr<Input>> gunzipped(std::unique_ptr<Input> packed,
                                                 llvm::StringRef file);
inline constexpr llvm::StringLiteral kGzipStart = "\x1f\x8b";

// --- Text ----------------------------------------------------------------------------------------

// The part of a Matrix Market text that is in memory, and messages that point to a place in it.

// Bytes that grow by realloc: a vector would clear memory that is about to be overwritten.
class Bytes {
public:
  // Returns false if there is not enough memory; the bytes so far stay.
  bool reserve(size_t capacity);
  char *end() { return data_.get() + size_; }
  size_t room() const { return capacity_ - size_; }
  void add(size_t count) { size_ += count; } // counts bytes that were written at end()
  void dropFront(size_t count); // removes the first bytes and moves the rest to the front
  llvm::StringRef text() const { return {data_.get(), size_}; }

private:
  struct Free {
    void operator()(char *p) const { std::free(p); }
  };
  std::unique_ptr<char, Free> data_;
  size_t size_ = 0, capacity_ = 0;
};

// `file: error: sentence`, for an error of the whole file.
template <class... Args>
llvm::Error fileError(Status status, llvm::StringRef file, const char *format, Args &&...args) {
  std::string sentence = llvm::formatv(format, std::forward<Args>(args)...);
  return fail(status, "{0}: error: {1}", file, sentence);
}
llvm::Error outOfMemory(llvm::StringRef file);

// Reads a whole file as openInput does. Refuses a file with more than `most` bytes of text.
constexpr size_t kMostText = size_t{1} << 30;
llvm::Expected<Bytes> readText(llvm::StringRef path, size_t most = kMostText);

// Whole lines of the text that is read, the number of lines before them, and the name of the text
// in messages.
struct Source {
  llvm::StringRef text, file;
  size_t linesBefore = 0;
};

// `file:line:column: error: sentence`, the line and a caret, for a word of the text, which may be
// empty. A long line is shortened around the word; bytes that are not printable ASCII show as '?'.
llvm::Error errorAt(const Source &source, llvm::StringRef word, const std::string &sentence);

// A word as messages show it, at most 40 printable characters, without and with quotes.
std::string shown(llvm::StringRef word);
std::string quoted(llvm::StringRef word);

// --- Lines ---------------------------------------------------------------------------------------

// Gives a text in whole lines, one part at a time, and forgets earlier parts.

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
