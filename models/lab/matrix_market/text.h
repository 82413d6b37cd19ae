// The part of a Matrix Market text that is in memory, and messages that point to a place in it.
#pragma once

#include "models/base/error.h"

#include "llvm/ADT/StringRef.h"

#include <cstdlib>
#include <memory>
#include <string>

namespace specmv::matrixmarket {

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

} // namespace specmv::matrixmarket
