// Reads more of a text until there is a whole line, or enough lines.
#include "models/lab/matrix_market/lines.h"

#include <algorithm>

namespace specmv::matrixmarket {

// derived: reads a small file at once, and little more than needed of a bad one
constexpr size_t kReadBytes = 64 << 10;

// Forgets the text that was given last, but keeps the line that an error at the end of the text
// shows.
void Lines::forget() {
  const size_t lines = lineEnds_ ? *lineEnds_ : given_.text.count('\n');
  lineEnds_.reset();
  if (const llvm::StringRef text = given_.text.rtrim(); !text.empty()) {
    const size_t start = text.rfind('\n') + 1; // npos + 1 is 0, the first line
    lastLine_ = given_.text.drop_front(start).take_until([](char c) { return c == '\n'; }).str();
    linesBeforeLast_ = given_.linesBefore + lines - given_.text.drop_front(text.size()).count('\n');
  }
  given_ = {{}, file_, given_.linesBefore + lines};
}

Source Lines::give(size_t count) {
  given_.text = unread().take_front(count); // or all of the rest
  given_.file = file_;
  begin_ += given_.text.size();
  return given_;
}

// Reads once, so that the first lines of a slow pipe are available immediately. Afterwards at most
// `size` bytes are unread.
llvm::Error Lines::readOn(size_t size) {
  bytes_.dropFront(begin_);
  begin_ = 0;
  if (!bytes_.reserve(size))
    return outOfMemory(file_);
  auto got = input_.read(bytes_.end(), size - bytes_.text().size());
  if (!got)
    return got.takeError();
  inputEnded_ = *got == 0;
  bytes_.add(*got);
  return llvm::Error::success();
}

llvm::Expected<Source> Lines::line(size_t most) {
  forget();
  isCut_ = false;
  for (size_t searched = 0;;) {
    const size_t newline = unread().take_front(most).find('\n', searched);
    if (newline != llvm::StringRef::npos)
      return give(newline + 1);
    searched = unread().size();
    isCut_ = searched > most;
    if (isCut_ || inputEnded_)
      return give(most);
    if (llvm::Error error = readOn(searched + kReadBytes))
      return error;
  }
}

llvm::Expected<Source> Lines::block(size_t bytes) {
  forget();
  for (;; bytes *= 2) {
    while (unread().size() < bytes && !inputEnded_)
      if (llvm::Error error = readOn(bytes))
        return error;
    const size_t newline = unread().rfind('\n');
    if (inputEnded_ || newline != llvm::StringRef::npos)
      return give(inputEnded_ ? unread().size() : newline + 1);
    if (unread().size() > kMostLine)
      return tooLong(give(kMostLine), kMostLine);
  }
}

llvm::Error Lines::tooLong(const Source &line, size_t most) {
  return errorAt(line, line.text.take_back(0),
                 llvm::formatv("the line has more than {0} bytes", most));
}

llvm::Error Lines::errorAtEnd(const std::string &sentence) const {
  const Source last{lastLine_, file_, linesBeforeLast_};
  return errorAt(last, last.text.rtrim().take_back(0), sentence);
}

} // namespace specmv::matrixmarket
