// Tests reading and writing Matrix Market files: gzip, names, files that cannot be read or written.
#include "models/base/memory.h"
#include "tests/models/lab/matrix_market/matrix_market_testing.h"
#include "tests/sanitized.h"

#include <bit>
#include <csignal>
#include <sys/resource.h>
#include <zlib.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

const std::string kText = "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 3 4\n2 1 -0.5\n";

std::string gzip(const std::string &text) {
  z_stream z{};
  REQUIRE(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(deflateBound(&z, text.size()), '\0');
  z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef *>(packed.data());
  z.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
  packed.resize(z.total_out);
  deflateEnd(&z);
  return packed;
}

void checkText(const CsrMatrix &a, const std::string &name) {
  checkMatrix(a, 2, 3, {0, 1, 2}, {2, 0}, {4, -0.5});
  CHECK(a.name == name);
}

// A limit of the process for the lifetime of the object.
class Limit {
public:
  Limit(decltype(RLIMIT_FSIZE) resource, rlim_t value) : resource_(resource) {
    getrlimit(resource_, &before_);
    rlimit now{value, before_.rlim_max};
    setrlimit(resource_, &now);
  }
  ~Limit() { setrlimit(resource_, &before_); }

private:
  decltype(RLIMIT_FSIZE) resource_;
  rlimit before_{};
};

std::string contents(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

CsrMatrix dense(int32_t rows, int32_t cols) {
  CsrMatrix a;
  a.rows = rows;
  a.cols = cols;
  for (int32_t i = 0; i < rows; ++i) {
    for (int32_t j = 0; j < cols; ++j) {
      a.col.push_back(j);
      a.val.push_back(1.0 / (i + j + 1));
    }
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  return a;
}

} // namespace

TEST_CASE("plain and gzip files are told apart by their bytes, and named without the endings") {
  TemporaryFolder folder;
  checkText(valueOf(readMatrixMarket(folder.file("a.mtx", kText))), "a");
  checkText(valueOf(readMatrixMarket(folder.file("b.mtx.gz", gzip(kText)))), "b");
  checkText(valueOf(readMatrixMarket(folder.file("c.mtx", gzip(kText)))), "c");
  checkText(valueOf(readMatrixMarket(folder.file("d.mtx.gz", kText))), "d");
  checkText(valueOf(readMatrixMarket(folder.file("e.f", kText))), "e.f");
}

TEST_CASE("gzip files may have several members and zeros after them") {
  TemporaryFolder folder;
  std::string packed = gzip(kText.substr(0, 30)) + gzip("") + gzip(kText.substr(30));
  checkText(valueOf(readMatrixMarket(folder.file("a.mtx.gz", packed))), "a");
  packed += std::string(1000, '\0');
  checkText(valueOf(readMatrixMarket(folder.file("a.mtx.gz", packed))), "a");
  std::string loose = kText + std::string(5000000, '\n'); // packs to a thousandth
  checkText(valueOf(readMatrixMarket(folder.file("a.mtx.gz", gzip(loose)))), "a");
}

TEST_CASE("errors in a packed text have their line too") {
  TemporaryFolder folder;
  std::string path = folder.file("a.mtx.gz", gzip(kText + "1 1 1\n"));
  CHECK(failureOf(readMatrixMarket(path)).text ==
        path + ":5:1: error: expected 2 entries, found more\n1 1 1\n^");
}

TEST_CASE("files that cannot be read give one sentence") {
  TemporaryFolder folder;
  auto check = [&](const std::string &path, const std::string &sentence) {
    Failure failure = failureOf(readMatrixMarket(path));
    CHECK(failure.status == Status::badInput);
    CHECK(failure.text == path + ": error: " + sentence);
  };
  std::string packed = gzip(kText), size = std::to_string(packed.size() - 3);
  check(folder / "none.mtx", "cannot open: No such file or directory");
  check(folder / "", "this is a directory");
  check(folder.file("a", packed.substr(0, packed.size() - 3)),
        "the gzip data is cut off after " + size + " bytes");
  check(folder.file("b", "\x1f\x8b"), "the gzip data is cut off after 2 bytes");
  check(folder.file("c", packed + "junk"), "4 bytes after the gzip data are not gzip");
  check(folder.file("d", packed + packed.substr(0, 20)),
        "the gzip data is cut off after " + std::to_string(packed.size() + 20) + " bytes");
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1); // the checksum
  std::string error = failureOf(readMatrixMarket(folder.file("e", packed))).text;
  CHECK(error.find("e: error: the gzip data is damaged after ") != std::string::npos);
  CHECK(error.find("incorrect data check") != std::string::npos);
}

TEST_CASE("a matrix is written as coordinate real general with the shortest exact decimals") {
  TemporaryFolder folder;
  CsrMatrix a = parsed("%%MatrixMarket matrix coordinate real general\n3 4 4\n1 4 0.1\n3 1 1e300\n"
                       "3 2 0\n3 3 -12\n");
  CHECK(failureOf(writeMatrixMarket(a, folder / "a%b.mtx")).text.empty());
  CHECK(contents(folder / "a%b.mtx") == "%%MatrixMarket matrix coordinate real general\n3 4 4\n"
                                        "1 4 0.1\n3 1 1e+300\n3 2 0\n3 3 -12\n");
  CHECK(folder.names() == std::vector<std::string>{"a%b.mtx"});
}

TEST_CASE("what is written reads back with the same bits") {
  TemporaryFolder folder;
  CsrMatrix a = dense(40, 50);
  std::mt19937_64 random(3);
  for (double &v : a.val)
    do
      v = std::bit_cast<double>(random());
    while (v != v);
  const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, 5e-324, 2.2250738585072011e-308, 1.0 / 3};
  std::copy(std::begin(odd), std::end(odd), a.val.begin());
  REQUIRE(failureOf(writeMatrixMarket(a, folder / "a.mtx")).text.empty());
  CsrMatrix b = valueOf(readMatrixMarket(folder / "a.mtx"));
  CHECK(b.rowPtr == a.rowPtr);
  CHECK(b.col == a.col);
  REQUIRE(b.nnz() == a.nnz());
  for (size_t k = 0; k < a.val.size(); ++k)
    CHECK(std::bit_cast<uint64_t>(a.val[k]) == std::bit_cast<uint64_t>(b.val[k]));
  REQUIRE(failureOf(writeMatrixMarket(CsrMatrix{}, folder / "a.mtx")).text.empty());
  CHECK(valueOf(readMatrixMarket(folder / "a.mtx")).rows == 0);
}

TEST_CASE("a path that ends in .gz is packed, with the same bytes each time") {
  TemporaryFolder folder;
  const CsrMatrix a = dense(300, 400); // more than one buffer of text
  const std::vector<std::string> comments = {"one", "two"};
  for (const char *name : {"a.mtx", "a.mtx.gz", "b.mtx.gz"})
    REQUIRE(failureOf(writeMatrixMarket(a, folder / name, comments)).text.empty());
  const std::string packed = contents(folder / "a.mtx.gz"), plain = contents(folder / "a.mtx");
  CHECK(packed.substr(0, 3) == "\x1f\x8b\x08");
  CHECK(packed.substr(4, 4) == std::string(4, '\0')); // no time (RFC 1952, MTIME)
  CHECK(packed.size() < plain.size() / 2);
  CHECK(packed == contents(folder / "b.mtx.gz"));
  CHECK(plain.find("general\n% one\n% two\n300 400 120000\n") != std::string::npos);
  const CsrMatrix b = valueOf(readMatrixMarket(folder / "a.mtx.gz"));
  CHECK(b.name == "a");
  CHECK(b.col == a.col);
  CHECK(b.val == a.val);
}

TEST_CASE("a disk that is full leaves no new file and the old one as it was") {
  TemporaryFolder folder;
  std::string path = folder.file("a.mtx", "old");
  auto before = std::signal(SIGXFSZ, SIG_IGN); // so that write() fails with EFBIG
  Failure large, small, packed;
  {
    Limit limit(RLIMIT_FSIZE, 1000);
    large = failureOf(writeMatrixMarket(dense(500, 500), path)); // fails while it writes
    small = failureOf(writeMatrixMarket(dense(10, 10), path));   // fails when it closes
    packed = failureOf(writeMatrixMarket(dense(100, 100), path + ".gz"));
  }
  std::signal(SIGXFSZ, before);
  CHECK(large.text == path + ": error: cannot write: File too large");
  CHECK(small.text == path + ": error: cannot write: File too large");
  CHECK(packed.text == path + ".gz: error: cannot write: File too large");
  CHECK(contents(path) == "old");
  CHECK(folder.names() == std::vector<std::string>{"a.mtx"});
}

TEST_CASE("places where no file can be written are refused, and devices are not replaced") {
  TemporaryFolder folder;
  CHECK(failureOf(writeMatrixMarket(dense(2, 2), folder / "no/a.mtx")).text ==
        (folder / "no/a.mtx") + ": error: cannot write: No such file or directory");
  CHECK(failureOf(writeMatrixMarket(dense(2, 2), folder / "")).text ==
        (folder / "") + ": error: this is not a regular file");
  CHECK(failureOf(writeMatrixMarket(dense(2, 2), "/dev/null")).text.empty());
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK(folder.names().empty());
}

TEST_CASE("a link is followed, not replaced") {
  TemporaryFolder folder;
  std::filesystem::create_symlink(folder.file("a.mtx", "old"), folder / "link");
  REQUIRE(failureOf(writeMatrixMarket(dense(2, 2), folder / "link")).text.empty());
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(valueOf(readMatrixMarket(folder / "a.mtx")).nnz() == 4);
}

TEST_CASE("a link to what does not stand yet is followed, and a circle of links refused") {
  TemporaryFolder folder;
  std::filesystem::create_symlink("second", folder / "first");
  std::filesystem::create_symlink("new.mtx", folder / "second");
  REQUIRE(failureOf(writeMatrixMarket(dense(2, 2), folder / "first")).text.empty());
  CHECK(std::filesystem::is_symlink(folder / "first"));
  CHECK(std::filesystem::is_symlink(folder / "second"));
  CHECK(valueOf(readMatrixMarket(folder / "new.mtx")).nnz() == 4);
  std::filesystem::create_symlink("round", folder / "about");
  std::filesystem::create_symlink("about", folder / "round");
  CHECK(failureOf(writeMatrixMarket(dense(2, 2), folder / "round")).status == Status::badInput);
  CHECK(std::filesystem::is_symlink(folder / "round"));
}

TEST_CASE("a matrix too large for the memory is refused, not fatal") {
  if (kSanitized) {
    MESSAGE("skipped: a sanitizer's shadow memory needs more than any limit");
    return;
  }
  const PretendedMemory much(kMuchMemory);
  rlimit now{};
  getrlimit(RLIMIT_AS, &now);
  Failure failure;
  {
    Limit limit(RLIMIT_AS, std::min<rlim_t>(now.rlim_cur, size_t{3} << 30));
    failure = failureOf(parseMatrixMarket(
        "%%MatrixMarket matrix coordinate real general\n2000000000 1 1\n1 1 1\n", "x"));
  }
  CHECK(failure.status == Status::missing);
  CHECK(failure.text == "x: error: not enough memory for this matrix");
}
