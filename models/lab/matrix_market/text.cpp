// Reads bytes and whole lines of a text, and builds messages that point to a place in it.
#include "models/lab/matrix_market/text.h"

#include "models/base/memory.h"
#include "models/base/stage.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace specmv::matrixmarket {

// --- Input ---------------------------------------------------------------------------------------

// Reads the bytes of memory and of files. Files are read by read(), since access to a mapped file
// on a network disk can end in SIGBUS.

static llvm::Error systemError(llvm::StringRef path, const char *what) {
  return fileError(Status::badInput, path, "cannot {0}: {1}", what, std::strerror(errno));
}

namespace {

class MemoryInput : public Input {
public:
  explicit MemoryInput(llvm::StringRef text) : rest_(text) {}
  llvm::Expected<size_t> read(char *to, size_t room) override {
    const llvm::StringRef given = rest_.take_front(room);
    std::copy(given.begin(), given.end(), to);
    rest_ = rest_.drop_front(given.size());
    return given.size();
  }

private:
  llvm::StringRef rest_;
};

class FileInput : public Input {
public:
  // `bytes` is the size of the file, or 0 if it is unknown, as for a pipe.
  FileInput(int fd, llvm::StringRef path, int64_t bytes)
      : fd_(fd), path_(path), stage_(("reading " + path).str(), Stage::Counts::bytes, bytes) {}
  ~FileInput() override { ::close(fd_); }

  llvm::Expected<size_t> read(char *to, size_t room) override {
    if (!start_.empty()) {
      const size_t given = start_.copy(to, room);
      start_.erase(0, given);
      return given;
    }
    return readOn(to, room);
  }

  // Reads the first bytes and keeps them for read().
  llvm::Expected<bool> startsWith(llvm::StringRef bytes) {
    while (start_.size() < bytes.size()) {
      char next = 0;
      auto got = readOn(&next, 1);
      if (!got)
        return got.takeError();
      if (*got == 0)
        return false;
      start_ += next;
      if (!bytes.starts_with(start_))
        return false;
    }
    return true;
  }

private:
  llvm::Expected<size_t> readOn(char *to, size_t room) {
    constexpr size_t kMost = 1 << 30; // Linux reads at most 2^31 - 4096 bytes at once
    ssize_t got = 0;
    do
      got = ::read(fd_, to, std::min(room, kMost));
    while (got < 0 && errno == EINTR);
    if (got < 0)
      return systemError(path_, "read");
    stage_.advance(got);
    return static_cast<size_t>(got);
  }

  int fd_;
  std::string path_, start_;
  Stage stage_;
};

} // namespace

std::unique_ptr<Input> inputOf(llvm::StringRef text) { return std::make_unique<MemoryInput>(text); }

llvm::Expected<std::unique_ptr<Input>> openInput(llvm::StringRef path) {
  const int fd = ::open(path.str().c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return systemError(path, "open");
  struct stat facts {};
  const bool isExamined = ::fstat(fd, &facts) == 0;
  const int64_t bytes = isExamined && S_ISREG(facts.st_mode) ? facts.st_size : 0;
  auto file = std::make_unique<FileInput>(fd, path, bytes); // the object closes fd
  if (!isExamined)
    return systemError(path, "examine");
  if (S_ISDIR(facts.st_mode))
    return fileError(Status::badInput, path, "this is a directory");
  auto packed = file->startsWith(kGzipStart);
  if (!packed)
    return packed.takeError();
  if (*packed)
    return gunzipped(std::move(file), path);
  return file;
}

// --- Text ----------------------------------------------------------------------------------------

// Keeps text in memory, and reads whole files into it.

bool Bytes::reserve(size_t capacity) {
  if (capacity <= capacity_)
    return true;
  if (!memoryHolds(static_cast<int64_t>(capacity - size_)))
    return false;
  auto *larger = static_cast<char *>(std::realloc(data_.get(), capacity));
  if (!larger)
    return false;
  (void)data_.release();
  data_.reset(larger);
  capacity_ = capacity;
  return true;
}

void Bytes::dropFront(size_t count) {
  size_ -= count;
  if (count > 0)
    std::memmove(data_.get(), data_.get() + count, size_);
}

llvm::Error outOfMemory(llvm::StringRef file) {
  return fileError(Status::missing, file, "not enough memory for this matrix");
}

llvm::Expected<Bytes> readText(llvm::StringRef path, size_t most) {
  auto input = openInput(path);
  if (!input)
    return input.takeError();
  Bytes bytes;
  for (size_t capacity = 1 << 16;; capacity *= 2) {
    if (!bytes.reserve(capacity))
      return outOfMemory(path);
    while (bytes.room() > 0) {
      auto got = (*input)->read(bytes.end(), bytes.room());
      if (!got)
        return got.takeError();
      if (*got == 0)
        return bytes;
      bytes.add(*got);
      if (bytes.text().size() > most)
        return fileError(Status::badInput, path, "this has more than {0} bytes of text", most);
    }
  }
}

// --- Lines ---------------------------------------------------------------------------------------

// Reads more of a text until there is a whole line, or enough lines.

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

// --- Diagnostic ----------------------------------------------------------------------------------

// Builds messages that point to a place in a Matrix Market text.

// About a line of a terminal, half of it before the word.
constexpr size_t kShownBefore = 50, kShown = 100;
constexpr size_t kShownOfWord = 40;

static std::string printable(llvm::StringRef bytes) {
  std::string result = bytes.str();
  for (char &c : result)
    if (!llvm::isPrint(c))
      c = c == '\t' ? ' ' : '?';
  return result;
}

std::string shown(llvm::StringRef word) {
  bool whole = word.size() <= kShownOfWord;
  return printable(word.take_front(kShownOfWord)) + (whole ? "" : "...");
}

std::string quoted(llvm::StringRef word) { return "'" + shown(word) + "'"; }

namespace {
// A line as it is shown, and the columns of the word in it.
struct Excerpt {
  std::string text;
  size_t begin, end;
};
} // namespace

static Excerpt excerpt(llvm::StringRef line, size_t column, size_t length) {
  size_t first = line.size() <= kShown || column <= kShownBefore ? 0 : column - kShownBefore;
  std::string before = first == 0 ? "" : "...";
  std::string after = line.size() - first <= kShown ? "" : "...";
  Excerpt e{before + printable(line.substr(first, kShown)) + after, 0, 0};
  e.begin = column - first + before.size();
  e.end = std::min(e.begin + std::max<size_t>(length, 1), std::max(e.text.size(), e.begin + 1));
  return e;
}

// Prints the sentence, the line and the caret as LLVM does, but without a location, because the
// column in an excerpt is not the column in the file.
static std::string rendered(const Excerpt &e, const std::string &sentence) {
  llvm::SourceMgr manager;
  std::pair<unsigned, unsigned> range{e.begin, e.end};
  llvm::SMDiagnostic diagnostic(manager, llvm::SMLoc(), "", 1, static_cast<int>(e.begin),
                                llvm::SourceMgr::DK_Error, sentence, e.text, range);
  std::string text;
  llvm::raw_string_ostream out(text);
  diagnostic.print(nullptr, out, /*ShowColors=*/false, /*ShowKindLabel=*/true,
                   /*ShowLocation=*/false);
  out.flush();
  return llvm::StringRef(text).rtrim('\n').str();
}

llvm::Error errorAt(const Source &source, llvm::StringRef word, const std::string &sentence) {
  const auto at = static_cast<size_t>(word.data() - source.text.data());
  llvm::StringRef before = source.text.take_front(at);
  size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0, the first line
  llvm::StringRef line = source.text.substr(lineStart);
  line = line.take_front(line.find('\n')).rtrim('\r');
  size_t column = std::min(at - lineStart, line.size()); // a missing word may be after the CR
  return fail(Status::badInput, "{0}:{1}:{2}: {3}", source.file,
              source.linesBefore + before.count('\n') + 1, column + 1,
              rendered(excerpt(line, column, word.size()), sentence));
}

} // namespace specmv::matrixmarket
