// Tests that the executor can fail: it finds every planted error, and does not accuse the kernels
// without one.
#include "tests/simt/executor.h"
#include "tests/simt/memory.h"
#include "tests/simt/planted_kernels.h"
#include "tests/simt/race.h"
#include "tests/simt/sanitizer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace specmv::simt;

namespace {

constexpr int kRows = 21, kCols = 256, kWidth = 13;

template <class T> Buffer filled(const char *name, const std::vector<T> &values) {
  // The buffer ends with its page, so that even a build without sanitizers detects accesses beyond
  // it.
  Buffer buffer(name, values.size() * sizeof(T), sizeof(T), sizeof(T));
  if (!values.empty())
    std::memcpy(buffer.data(), values.data(), buffer.bytes());
  return buffer;
}

template <class T> T *pointer(const Buffer &buffer) { return reinterpret_cast<T *>(buffer.data()); }

// Row i has i % 13 + 1 entries, in columns that depend on the row, without column 0.
int lengthOf(int row) { return row % kWidth + 1; }
int columnOf(int row, int k) { return 1 + (row * 7 + k * 11) % (kCols - 1); }
float valueOf(int row, int k) { return static_cast<float>(row + 2 * k + 1); }

struct Inputs {
  std::vector<int> rowPtr{0}, col, ellCol = std::vector<int>(kRows * kWidth, -1);
  std::vector<float> val, ellVal = std::vector<float>(kRows * kWidth, 0.0F), x;
  std::vector<double> expected; // A x without its column 0

  Inputs() {
    for (int c = 0; c < kCols; ++c)
      x.push_back(static_cast<float>(c % 9 - 4));
    for (int row = 0; row < kRows; ++row)
      addRow(row);
  }
  void addRow(int row) {
    double sum = 0;
    for (int k = 0; k < lengthOf(row); ++k) {
      col.push_back(columnOf(row, k));
      val.push_back(valueOf(row, k));
      const int slot = k * kRows + row;
      ellCol[static_cast<size_t>(slot)] = columnOf(row, k);
      ellVal[static_cast<size_t>(slot)] = valueOf(row, k);
      sum += static_cast<double>(valueOf(row, k)) * x[static_cast<size_t>(columnOf(row, k))];
    }
    rowPtr.push_back(static_cast<int>(col.size()));
    expected.push_back(sum);
  }
};

// Runs the kernel and returns the finding, or that the numbers of a product are wrong.
std::string outcome(const Planted &planted, unsigned seed) {
  const bool isEll = std::strncmp(planted.name, "ell", 3) == 0;
  const bool isProduct = isEll || std::strncmp(planted.name, "csr", 3) == 0;
  Inputs in;
  if (isProduct)
    in.x[0] = std::numeric_limits<float>::quiet_NaN(); // no entry lies there
  const Buffer rowPtr = filled("rowPtr", in.rowPtr),
               col = filled("col", isEll ? in.ellCol : in.col),
               val = filled("val", isEll ? in.ellVal : in.val), x = filled("x", in.x);
  Buffer y = filled("y", std::vector<float>(isProduct ? kRows : 64)),
         scratch = filled("scratch", std::vector<float>(256)),
         counter = filled("counter", std::vector<unsigned>(1));
  for (Buffer *written : {&y, &scratch, &counter})
    written->trackWrites();
  const PlantedArgs args{pointer<int>(rowPtr),
                         pointer<int>(col),
                         pointer<float>(val),
                         pointer<float>(x),
                         pointer<float>(y),
                         pointer<float>(scratch),
                         pointer<unsigned>(counter),
                         kRows,
                         kWidth};
  const Shape shape{{planted.blocks, 1, 1}, planted.threads};
  std::string finding = execute(
      shape, [&] { planted.kernel(args); }, seed);
  for (size_t row = 0; finding.empty() && isProduct && row < in.expected.size(); ++row)
    if (!(pointer<float>(y)[row] == in.expected[row]))
      finding = "wrong number in row " + std::to_string(row);
  return finding;
}

struct Ended {
  std::string text;
  bool well;
};

// Runs in a child, since a sanitizer or a guard page ends the process.
Ended inChild(const Planted &planted, unsigned seed) {
  int pipes[2];
  REQUIRE(pipe(pipes) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL); // else doctest would report it as a failure of this test
    dup2(pipes[1], 2);
    const std::string text = outcome(planted, seed);
    const bool written = write(2, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(text.empty() && written ? 0 : 1);
  }
  close(pipes[1]);
  Ended ended;
  char buffer[4096];
  for (ssize_t n; (n = read(pipes[0], buffer, sizeof buffer)) > 0;)
    ended.text.append(buffer, static_cast<size_t>(n));
  close(pipes[0]);
  int status = 0;
  waitpid(child, &status, 0);
  ended.well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return ended;
}

bool isReported(const Planted &planted, const std::string &text) {
  const std::string wanted = *planted.finding ? planted.finding : "wrong number";
  if (text.find(wanted) != std::string::npos)
    return true;
  // Without tracing, an out-of-bounds access ends in the sanitizer or in an unmapped page.
  return !isTracing() && wanted.find("out of bounds") == 0;
}

void checkPlanted(const Planted &planted, unsigned seed) {
  INFO(std::string(planted.name), ", seed ", seed);
  const Ended ended = inChild(planted, seed);
  INFO("it said: ", ended.text);
  CHECK(ended.well == (planted.fault == Fault::none));
  CHECK((planted.fault == Fault::none || isReported(planted, ended.text)));
}

} // namespace

TEST_CASE("every planted error is found with every seed, and nothing else is reported") {
  unsigned skipped = 0;
  for (const Planted *planted = kPlanted; planted != kPlanted + kPlantedCount; ++planted)
    for (unsigned seed = 0; seed < 3; ++seed)
      if (planted->needsTrace && !isTracing())
        ++skipped;
      else
        checkPlanted(*planted, seed);
  if (skipped > 0)
    MESSAGE("skipped ", skipped, " runs: this build does not trace loads and stores");
}

TEST_CASE("a launch with less dynamic shared memory than its kernel needs is a finding") {
  const auto needing = [](unsigned long bytes) { return [bytes] { needDynamicShared(bytes); }; };
  const Shape shape{{1, 1, 1}, 32, 64};
  CHECK(execute(shape, needing(64), 0) == "");
  CHECK(execute(shape, needing(65), 0).find("65") != std::string::npos);
}
