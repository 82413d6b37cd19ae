// Measures how fast a large Matrix Market file is read: read_benchmark [MINIMUM [MEGABYTES]] makes
// one in the temporary folder and exits with 1 below MINIMUM megabytes of text per second.
#include "models/base/error.h"
#include "models/base/parallel.h"
#include "models/lab/matrix_market/matrix_market.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace {

constexpr int kEntriesPerColumn = 20;

// Entries column by column, as in the files of the SuiteSparse collection, in a band of a thousand
// rows, with doubles of full precision: about 33 bytes per entry.
std::string entriesText(int64_t n, int64_t &entries) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> value(-1, 1);
  std::string text;
  char line[64];
  for (int64_t j = 0; j < n; ++j)
    for (int64_t k = 0; k < kEntriesPerColumn; ++k, ++entries) {
      int64_t i = (j + k * 47 + static_cast<int64_t>(random() % 47)) % n;
      int length =
          std::snprintf(line, sizeof line, "%lld %lld %.17g\n", i + 1LL, j + 1LL, value(random));
      text.append(line, static_cast<size_t>(length));
    }
  return text;
}

// Writes a file of about that many megabytes and returns its size in bytes.
size_t makeFile(const std::string &path, int64_t megabytes) {
  const int64_t n = std::max<int64_t>(1000, megabytes * 1000000 / 33 / kEntriesPerColumn);
  int64_t entries = 0;
  std::string body = entriesText(n, entries);
  std::string head = "%%MatrixMarket matrix coordinate real general\n" + std::to_string(n) + " " +
                     std::to_string(n) + " " + std::to_string(entries) + "\n";
  std::ofstream(path, std::ios::binary) << head << body;
  return head.size() + body.size();
}

// Returns megabytes per second, or a negative number after printing a message.
double readOnce(const std::string &path, size_t bytes) {
  auto start = std::chrono::steady_clock::now();
  llvm::Expected<specmv::CsrMatrix> a = specmv::readMatrixMarket(path);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (a)
    return static_cast<double>(bytes) / 1e6 / seconds.count();
  std::fprintf(stderr, "%s\n", specmv::describe(a.takeError()).second.c_str());
  return -1;
}

} // namespace

int main(int argc, char **argv) {
  const double minimum = argc > 1 ? std::atof(argv[1]) : 0;
  const int64_t megabytes = argc > 2 ? std::atoll(argv[2]) : 200;
  std::random_device unique;
  const std::string path = std::filesystem::temp_directory_path() /
                           ("read_benchmark-" + std::to_string(unique()) + ".mtx");
  const size_t bytes = makeFile(path, megabytes);
  double best = 0; // of five: other work on the machine only ever slows a run down
  for (int i = 0; i < 5; ++i)
    best = std::max(best, readOnce(path, bytes));
  std::filesystem::remove(path);
  std::printf("%.0f MB of text, %u threads: %.0f MB/s\n", static_cast<double>(bytes) / 1e6,
              specmv::threadCount(), best);
  return best >= minimum && best > 0 ? 0 : 1;
}
