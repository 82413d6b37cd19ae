// Feeds the readers of models/: matrices, gzip data, SPECs and GPU models.
#include "models/csr_check.h"
#include "models/gpu.h"
#include "models/lab/families/families.h"
#include "models/lab/matrix_market/gzip_write.h"
#include "models/lab/matrix_market/matrix_market.h"
#include "models/lab/matrix_market/text.h"
#include "tests/fuzz/targets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace specmv::fuzz {

// An error must have a sentence.
static void dropError(llvm::Error error) {
  const auto [status, sentence] = describe(std::move(error));
  require(status != Status::internal && !sentence.empty());
}

static size_t longestNumber(llvm::StringRef text) {
  size_t longest = 0;
  for (size_t at = 0, length = 0; at < text.size(); ++at) {
    length = llvm::isDigit(text[at]) ? length + 1 : 0;
    longest = std::max(longest, length);
  }
  return longest;
}

// --- Matrix Market

static std::vector<std::string> matrixSeeds() {
  return {"%%MatrixMarket matrix coordinate real general\n% c\n\n3 4 3\n1 4 0.1\n3 1 1d3\n3 1 -2\n",
          "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n",
          "%%MatrixMarket matrix coordinate integer skew-symmetric\r\n3 3 1\r\n3 1 +7\r\n",
          "%%MatrixMarket matrix array real general\n2 2\n1\ninf\nnan\n1e-400\n",
          "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n"};
}

// Returns true for matrices of more than 10^6 rows: they are allowed to take memory, but only cost
// time here.
static bool promisesMuch(llvm::StringRef text) {
  text = text.split('\n').second;
  while (!text.empty()) {
    const auto [line, rest] = text.split('\n');
    if (!line.trim().empty() && !line.trim().starts_with("%"))
      return longestNumber(line) > 6;
    text = rest;
  }
  return false;
}

static void feedMatrix(llvm::StringRef text) {
  if (promisesMuch(text))
    return;
  auto matrix = parseMatrixMarket(text, "x");
  if (!matrix)
    return dropError(matrix.takeError());
  llvm::cantFail(checkCsr(matrix->view()));
}

// --- gzip

static std::vector<std::string> gzipSeeds() {
  std::vector<std::string> seeds;
  for (const std::string &text : matrixSeeds()) {
    const std::string path = "fuzz-seed.gz";
    llvm::cantFail(writeWholeGzip(path, [&](llvm::raw_ostream &out) { out << text; }));
    auto bytes = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*NullTerminator=*/false);
    seeds.push_back((*bytes)->getBuffer().str());
    llvm::sys::fs::remove(path);
  }
  seeds.push_back(seeds[0] + seeds[1] + std::string(20, '\0'));
  return seeds;
}

static void feedGzip(llvm::StringRef bytes) {
  using namespace matrixmarket;
  auto input = llvm::cantFail(gunzipped(inputOf(bytes), "x"));
  Lines lines(*input, "x");
  for (size_t all = 0; all < 1 << 20;) {
    auto block = lines.block(1 << 12);
    if (!block)
      return dropError(block.takeError());
    if (block->text.empty())
      return;
    all += block->text.size();
  }
}

// --- SPECs

static std::vector<std::string> specSeeds() {
  std::vector<std::string> seeds;
  for (const Family &family : families()) {
    std::string spec = family.name.str();
    const char *separator = ":";
    for (const SpecKey &key : family.keys) {
      spec += separator + key.name.str() + "=" +
              (key.choices.empty() ? "4" : key.choices.split('|').first.str());
      separator = ",";
    }
    seeds.push_back(spec);
  }
  seeds.insert(seeds.end(), {"twin:pwtk,as=paper", "stencil5:n=99999999999"});
  return seeds;
}

// Parses every SPEC, but makes a matrix only if no number has two digits, so that none is large:
// larger matrices would take the machine's memory.
static void feedSpec(llvm::StringRef text) {
  auto spec = parseSpec(text);
  if (!spec)
    return dropError(spec.takeError());
  for (const Family &family : families())
    if (auto options = readOptions(*spec, family.keys); !options)
      dropError(options.takeError());
  constexpr llvm::StringLiteral kLarge[] = {"twin", "chessboard", "queue"};
  if (llvm::is_contained(kLarge, spec->name) || longestNumber(text) > 1)
    return;
  auto matrix = generateFamily(text);
  if (!matrix)
    return dropError(matrix.takeError());
  llvm::cantFail(checkCsr(matrix->view()));
}

// --- GPU models

static std::vector<std::string> gpuSeeds() {
  std::vector<std::string> seeds{"{}", "[", R"({"name": "x", "rates": "h200"})"};
  for (const std::string &name : gpuModelNames())
    seeds.push_back(llvm::cantFail(gpuModelText(name)));
  return seeds;
}

static void feedGpu(llvm::StringRef text) {
  auto gpu = parseGpuModel(text, "x");
  if (!gpu)
    return dropError(gpu.takeError());
  require(!digestOf(*gpu).empty());
}

llvm::ArrayRef<Target> modelTargets() {
  static constexpr Target table[] = {{"matrix", matrixSeeds, feedMatrix},
                                     {"gzip", gzipSeeds, feedGzip},
                                     {"spec", specSeeds, feedSpec},
                                     {"gpu", gpuSeeds, feedGpu}};
  return table;
}

} // namespace specmv::fuzz
