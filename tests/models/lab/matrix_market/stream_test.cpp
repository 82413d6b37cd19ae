// Tests that a Matrix Market text is read as a stream: whole lines at any boundary, and no more of
// a bad text than is needed to detect the fault.
#include "models/lab/matrix_market/gzip_write.h"
#include "models/lab/matrix_market/text.h"
#include "tests/models/lab/matrix_market/matrix_market_testing.h"

#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace specmv;
using namespace specmv::matrixmarket;
using namespace specmv::testing;

namespace {

// Gives a few bytes at a time, as a pipe may.
class Drip : public Input {
public:
  Drip(std::string text, size_t most) : text_(std::move(text)), most_(most) {}
  llvm::Expected<size_t> read(char *to, size_t room) override {
    const size_t given = text_.copy(to, std::min(room, most_), at_);
    at_ += given;
    return given;
  }

private:
  std::string text_;
  size_t most_, at_ = 0;
};

// Joins all parts with their line numbers, which are checked by counting the line ends before each
// part.
std::string joined(Lines &lines, size_t bytes, bool counts) {
  std::string all;
  for (;;) {
    auto part = bytes == 0 ? lines.line(kMostLine) : lines.block(bytes);
    REQUIRE(!!part);
    CHECK(part->linesBefore == llvm::StringRef(all).count('\n'));
    if (part->text.empty())
      return all;
    all += part->text.str();
    if (counts)
      lines.counted(part->text.count('\n'));
  }
}

// The message for a pipe that gives `begin` and then `more` repeatedly, and the number of bytes
// written before the reader closed it.
struct Endless {
  std::string said;
  size_t written = 0;
};

Endless refusalOfPipe(const std::string &begin, const std::string &more) {
  TemporaryFolder folder;
  const std::string path = folder / "pipe";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  Endless result;
  std::thread writer([&] {
    const int fd = open(path.c_str(), O_WRONLY);
    std::string text = begin;
    for (ssize_t put = 0; (put = write(fd, text.data(), text.size())) > 0; text = more)
      result.written += static_cast<size_t>(put);
    close(fd);
  });
  result.said = failureOf(readMatrixMarket(path)).text;
  writer.join();
  std::signal(SIGPIPE, before);
  result.said = result.said.substr(0, result.said.find('\n'));
  result.said.erase(0, path.size());
  return result;
}

std::string repeated(const std::string &text, size_t times) {
  std::string result;
  while (times-- > 0)
    result += text;
  return result;
}

const std::string kGoodBanner = "%%MatrixMarket matrix coordinate real general\n";

} // namespace

TEST_CASE("a text is given in whole lines, whatever the sizes of blocks and of reads") {
  const std::string text = "one\n\n  two two\nthree\n\n\nvery much longer than any block\nend";
  for (size_t read = 1; read < 20; ++read)
    for (size_t bytes = 0; bytes < 40; ++bytes)
      for (const bool counts : {false, true}) {
        CAPTURE(read);
        CAPTURE(bytes);
        Drip drip(text + "\n \n\n", read);
        Lines lines(drip, "x");
        CHECK(joined(lines, bytes, counts) == text + "\n \n\n");
        CHECK(failureOf(lines.errorAtEnd("over")).text == "x:8:4: error: over\nend\n   ^");
      }
}

TEST_CASE("a line that is too long is cut, and an error at its place") {
  Drip drip("ab\n" + std::string(300, 'x') + "\n", 7);
  Lines lines(drip, "x");
  CHECK(lines.line(100)->text == "ab\n");
  CHECK_FALSE(lines.isCut());
  auto cut = lines.line(100);
  REQUIRE(!!cut);
  CHECK(cut->text == std::string(100, 'x'));
  CHECK(lines.isCut());
  const std::string said = failureOf(Lines::tooLong(*cut, 100)).text;
  CHECK(said.starts_with("x:2:101: error: the line has more than 100 bytes\n"));
}

TEST_CASE("a pipe that never ends is refused at the first place that is wrong") {
  const std::string sized = kGoodBanner + "3 3 2\n", entries = repeated("1 1 1\n", 10000);
  // Strings of known lengths in the list below make g++ 12 warn of a copy that never happens.
  const std::string blanks = repeated(" ", 4095) + "\n", comment = repeated("%", 1023) + "\n";
  struct Case {
    std::string begin, more, said;
    size_t most;
  };
  constexpr size_t kSmall = 1 << 20; // some blocks, and what a pipe holds
  for (const Case &c : {
           Case{std::string(4096, '\0'), std::string(4096, '\0'),
                ":1:1: error: expected the banner '%%MatrixMarket matrix ...', found '" +
                    std::string(40, '?') + "...'",
                kSmall},
           Case{"%%MatrixMarket matrix coordinate real general", std::string(4096, ' '),
                ":1:65537: error: the line has more than 65536 bytes", kSmall},
           Case{kGoodBanner + "3 3 x", "\n", ":2:5: error: entry count 'x' is not a whole number",
                kSmall},
           Case{sized, entries, ":5:1: error: expected 2 entries, found more", kSmall},
           Case{sized, std::string(65536, '7'),
                ":3:16777217: error: the line has more than 16777216 bytes", 40 << 20},
           Case{sized, blanks,
                ":4083:1: error: more than 16777216 bytes of blank lines and comments", 40 << 20},
           Case{kGoodBanner, comment,
                ":16386:1: error: more than 16777216 bytes of blank lines and comments", 40 << 20},
       }) {
    CAPTURE(c.said);
    const Endless endless = refusalOfPipe(c.begin, c.more);
    CHECK(endless.said == c.said);
    CHECK(endless.written < c.most);
  }
}

// Only reading all of it would show that the end is missing.
TEST_CASE("a text of gzip is refused at its banner, however much would follow") {
  TemporaryFolder folder;
  const std::string path = folder / "a.gz";
  const auto write = [](llvm::raw_ostream &out) { out << "3 3 1\n" << std::string(4 << 20, '\n'); };
  REQUIRE(failureOf(writeWholeGzip(path, write)).text.empty());
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 100);
  const std::string said = failureOf(readMatrixMarket(path)).text;
  CHECK(said.starts_with(path + ":1:1: error: expected the banner "));
}

TEST_CASE("a device is refused like a file") {
  const std::string said = failureOf(readMatrixMarket("/dev/zero")).text;
  CHECK(said.starts_with("/dev/zero:1:1: error: expected the banner "));
}

TEST_CASE("a text that is read as a whole has a limit") {
  CHECK(failureOf(readText("/dev/zero", 1 << 20)).text ==
        "/dev/zero: error: this has more than 1048576 bytes of text");
  TemporaryFolder folder;
  auto bytes = readText(folder.file("a", "12345"), 5);
  REQUIRE(!!bytes);
  CHECK(bytes->text() == "12345");
}
