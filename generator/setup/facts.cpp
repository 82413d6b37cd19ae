// Launches the kernels of the facts beside the profile: fingerprint, columns, values, repeated
// blocks.
#include "generator/setup/packing.h"
#include "generator/setup/profile.h"
#include "generator/sources.h"
#include "templates/profile/block_features.cuh"
#include "templates/profile/counts.cuh"
#include "templates/profile/features.cuh"
#include "templates/profile/value_counts.cuh"

#include <algorithm>
#include <array>
#include <limits>

namespace specmv {

// --- Fingerprint ---------------------------------------------------------------------------------

// Launches the kernel of templates/profile/fingerprint.cuh.

constexpr const char *kFound = "found";
constexpr ElementType kFoundType = ElementType::u64;
using FoundWords = std::array<uint64_t, kFoundWords>;

static SetupKernel hashKernel(const DeviceCsr &csr, const char *columns) {
  return setupKernel("fingerprint", "FingerprintArgs", {elementOf(csr.indexType)},
                     {csrRowPtrOf(csr), array(kCsrCol, elementOf(csr.indexType), csr.nnz, columns),
                      filled(kFound, kFoundType), wideNumber("rows", csr.rows),
                      wideNumber("cols", csr.cols), wideNumber("nnz", csr.nnz)},
                     kProfileBlock);
}

static KernelSource emitFingerprint(IndexType index) {
  return emitSetup("the fingerprint", {"profile/fingerprint.cuh"},
                   {hashKernel(DeviceCsr{{}, index}, "")});
}

const KernelSource &fingerprintSource(IndexType index) {
  return emittedOnce<emitFingerprint>(index);
}

// The kernel keeps lengths, rows, columns and the first place of a warp behind the last entry in 32
// bits. It visits rows one by one, so a matrix of many rows and few entries would take too long.
static bool isCountable(const DeviceCsr &csr) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max() - 4096;
  constexpr int64_t kRowsPerEntry = 8, kCheapRows = 1 << 20;
  return csr.rows > 0 && csr.cols > 0 && csr.nnz > 0 && csr.nnz <= kMost && csr.rows <= kMost &&
         csr.cols <= kMost && csr.rows <= kRowsPerEntry * csr.nnz + kCheapRows;
}

// This number of blocks fills any GPU.
constexpr int64_t kHashBlocks = 1056;

static llvm::Expected<FoundWords> findOn(Workspace &w, const char *columns) {
  const DeviceCsr &csr = w.csr();
  if (llvm::Error error = w.addScratch(kFound, kFoundType, kFoundWords, Contents::zeros))
    return error;
  const int64_t pieces = ceilDiv(std::max(csr.rows + 1, csr.nnz), int64_t{kHashed});
  FoundWords found{};
  llvm::Error error = w.launch(fingerprintSource(csr.indexType), hashKernel(csr, columns),
                               std::min(ceilDiv(pieces, int64_t{kProfileBlock}), kHashBlocks));
  if (!error)
    error = w.read(kFound, 0, kFoundWords, found.data());
  w.drop(kFound);
  if (error)
    return error;
  return found;
}

static PatternHash hashOf(const FoundWords &found) {
  return {{found[kFingerprint], found[kFingerprint + 1]}, static_cast<int64_t>(found[kDescents])};
}

llvm::Expected<std::optional<PatternHash>> fingerprintOn(Workspace &workspace) {
  if (!isCountable(workspace.csr()))
    return std::nullopt;
  auto found = findOn(workspace, "");
  if (!found)
    return found.takeError();
  return (*found)[kFault] ? std::nullopt : std::optional(hashOf(*found));
}

llvm::Expected<PatternHash> hashOn(Workspace &workspace, const char *columns) {
  auto found = findOn(workspace, columns);
  if (!found)
    return found.takeError();
  return hashOf(*found);
}

// --- Column degrees ------------------------------------------------------------------------------

// Launches the kernels of templates/profile/columns.cuh.

constexpr int64_t kDegreeCountsSize = int64_t{kMostCountedDegree} + 1;

std::vector<SetupLaunch> degreeLaunches(const DeviceCsr &csr) {
  return {{setupKernel("columnDegrees", "ColumnDegreesArgs", {elementOf(csr.indexType)},
                       {csrColOf(csr), filled("degrees", ElementType::u32, kDegrees),
                        wideNumber("nnz", csr.nnz)}),
           ceilDiv(csr.nnz, int64_t{kDegreeTile})},
          {setupKernel("degreeCounts", "DegreeCountsArgs", {},
                       {array("degrees", ElementType::u32, csr.cols, kDegrees),
                        filled("counts", ElementType::u32, kDegreeCounts),
                        wideNumber("cols", csr.cols)}),
           std::min(kFewBlocks, ceilDiv(csr.cols, int64_t{kSetupBlock}))}};
}

llvm::Error addDegrees(Workspace &w) {
  if (llvm::Error error = w.addScratch(kDegrees, ElementType::u32, w.csr().cols, Contents::zeros))
    return error;
  return w.addScratch(kDegreeCounts, ElementType::u32, kDegreeCountsSize, Contents::zeros);
}

void dropDegrees(Workspace &w) {
  w.drop(kDegrees);
  w.drop(kDegreeCounts);
}

static KernelSource emitColumns(IndexType index) {
  return emitSetup("the columns' numbers of entries", {kColumnsHeader},
                   kernelsOf(degreeLaunches({{}, index})));
}

const KernelSource &columnsSource(IndexType index) { return emittedOnce<emitColumns>(index); }

llvm::Expected<std::optional<ColumnDegrees>> columnDegreesOn(Workspace &w) {
  const DeviceCsr &csr = w.csr();
  if (csr.nnz > std::numeric_limits<uint32_t>::max())
    return std::nullopt;
  std::vector<uint32_t> counts(static_cast<size_t>(kDegreeCountsSize));
  if (llvm::Error error = addDegrees(w))
    return error;
  if (llvm::Error error = launchAll(w, columnsSource(csr.indexType), degreeLaunches(csr)))
    return error;
  if (llvm::Error error = w.read(kDegreeCounts, 0, kDegreeCountsSize, counts.data()))
    return error;
  dropDegrees(w);
  return degreesFrom(csr.cols, csr.nnz, counts);
}

// --- Value facts ---------------------------------------------------------------------------------

// Launches the kernels of templates/profile/values.cuh and value_diagonals.cuh, and reads what they
// found.

constexpr const char *kValueFound = "valueFound", *kValueTable = "valueTable";
// This number of blocks fills any GPU.
constexpr int64_t kValueBlocks = 1056;

// The kernels compare the bits of values.
static ElementType bitsTypeOf(const DeviceCsr &csr) {
  return csr.valueType == ValueType::f32 ? ElementType::u32 : ElementType::u64;
}

static SetupKernel valuesKernel(const DeviceCsr &csr) {
  const ElementType word = bitsTypeOf(csr);
  SetupKernel kernel =
      setupKernel("valueFacts", "ValueFactsArgs", {word},
                  {array(kCsrVal, word, csr.nnz), filled("found", ElementType::u32, kValueFound),
                   filled("table", word, kValueTable), wideNumber("nnz", csr.nnz)});
  kernel.kernel.blocksPerSm = 4; // left alone, ptxas spills on sm_103
  return kernel;
}

static SetupKernel diagonalsKernel(const DeviceCsr &csr) {
  const ElementType index = elementOf(csr.indexType), word = bitsTypeOf(csr);
  return setupKernel("compareDiagonals", "CompareDiagonalsArgs", {index, word},
                     {csrRowPtrOf(csr), array(kCsrCol, index, csr.nnz),
                      array(kCsrVal, word, csr.nnz), filled("found", ElementType::u32, kValueFound),
                      filled("table", ElementType::u64, kValueTable),
                      wideNumber("rows", csr.rows)});
}

static KernelSource emitValues(ValueType type) {
  return emitSetup("facts about values", {"profile/values.cuh"},
                   {valuesKernel({{}, IndexType::i32, type})});
}

const KernelSource &valuesSource(ValueType type) { return emittedOnce<emitValues>(type); }

template <IndexType index> static KernelSource emitValueDiagonals(ValueType type) {
  return emitSetup("values along diagonals", {"profile/value_diagonals.cuh"},
                   {diagonalsKernel({{}, index, type})});
}

const KernelSource &valueDiagonalsSource(IndexType index, ValueType type) {
  return index == IndexType::i32 ? emittedOnce<emitValueDiagonals<IndexType::i32>>(type)
                                 : emittedOnce<emitValueDiagonals<IndexType::i64>>(type);
}

namespace {
// The results of a kernel: a few numbers and a table.
template <class Word> struct Found {
  std::vector<uint32_t> numbers;
  std::vector<Word> table;
};

struct FactsLaunch {
  const KernelSource &source;
  SetupKernel kernel;
  int64_t elements; // each thread takes one or more
};
} // namespace

template <class Word>
static llvm::Error readInto(Found<Word> &to, Workspace &w, const FactsLaunch &launch) {
  constexpr ElementType word = sizeof(Word) == 4 ? ElementType::u32 : ElementType::u64;
  const auto numbers = std::ssize(to.numbers), slots = std::ssize(to.table);
  const int64_t blocks = std::min(kValueBlocks, ceilDiv(launch.elements, int64_t{kSetupBlock}));
  if (llvm::Error error = w.addScratch(kValueFound, ElementType::u32, numbers, Contents::zeros))
    return error;
  if (llvm::Error error = w.addScratch(kValueTable, word, slots, Contents::zeros))
    return error;
  if (llvm::Error error = w.launch(launch.source, launch.kernel, blocks))
    return error;
  if (llvm::Error error = w.read(kValueFound, 0, numbers, to.numbers.data()))
    return error;
  return w.read(kValueTable, 0, slots, to.table.data());
}

template <class Word>
static llvm::Expected<Found<Word>> findWith(Workspace &w, const FactsLaunch &launch, int numbers,
                                            int slots) {
  Found<Word> found{std::vector<uint32_t>(static_cast<size_t>(numbers)),
                    std::vector<Word>(static_cast<size_t>(slots))};
  llvm::Error error = readInto(found, w, launch);
  w.drop(kValueFound);
  w.drop(kValueTable);
  if (error)
    return error;
  return found;
}

// The table has the bits of each value xor the bits of the first value.
template <class Word>
static std::vector<uint64_t> valuesOf(const std::vector<Word> &table, Word first) {
  std::vector<uint64_t> out{first};
  for (Word key : table)
    if (key != 0)
      out.push_back(key ^ first);
  return out;
}

template <class Word> static llvm::Expected<ValueFacts> findValues(Workspace &w) {
  const DeviceCsr &csr = w.csr();
  auto found = findWith<Word>(
      w, {valuesSource(csr.valueType), valuesKernel(csr), ceilDiv(csr.nnz, int64_t{kHashed})},
      kValueWords, kValueSlots);
  if (!found)
    return found.takeError();
  std::optional<std::vector<uint64_t>> values;
  if (found->numbers[kOtherValues] < kMostDistinct) {
    Word first = 0;
    if (llvm::Error error = w.read(kCsrVal, 0, 1, &first))
      return error;
    values = valuesOf(found->table, first);
  }
  return factsOfValues(csr.valueType, csr.nnz, found->numbers[kValueFlags], std::move(values));
}

// The kernel sets the flag only if one thread saw two values that differ, so the table is read too.
using Diagonals = std::optional<std::vector<ValueOfDiagonal>>;
static llvm::Expected<Diagonals> findAlongDiagonals(Workspace &w) {
  const DeviceCsr &csr = w.csr();
  auto found = findWith<uint64_t>(
      w, {valueDiagonalsSource(csr.indexType, csr.valueType), diagonalsKernel(csr), csr.rows},
      kDiagonalWords, kDiagonalTable);
  if (!found)
    return found.takeError();
  if (found->numbers[kDiffer] != 0 || found->numbers[kComparedDiagonals] > kMostComparedDiagonals)
    return std::nullopt;
  Diagonals out(std::in_place);
  for (size_t slot = 0; slot < kComparedSlots; ++slot) {
    const uint64_t key = found->table[slot], bits = found->table[kComparedSlots + slot];
    if (key != 0 && bits != ~found->table[2 * kComparedSlots + slot])
      return std::nullopt;
    if (key != 0)
      out->push_back({static_cast<int64_t>(key - (uint64_t{1} << 63)), bits});
  }
  return out;
}

llvm::Expected<ValueFacts> valueFactsOn(Workspace &w, std::optional<int64_t> diagonals) {
  const DeviceCsr &csr = w.csr();
  if (csr.nnz == 0)
    return factsOfValues(csr.valueType, 0, 0, std::vector<uint64_t>{});
  auto facts = csr.valueType == ValueType::f32 ? findValues<uint32_t>(w) : findValues<uint64_t>(w);
  if (!facts)
    return facts.takeError();
  if (const auto known = areConstantAlongDiagonals(*facts, diagonals)) {
    facts->constantAlongDiagonals = *known;
    return facts;
  }
  auto constant = findAlongDiagonals(w);
  if (!constant)
    return constant.takeError();
  facts->setDiagonals(std::move(*constant));
  return facts;
}

// --- Repeated blocks -----------------------------------------------------------------------------

// Launches the kernel of templates/profile/block_samples.cuh, and counts the hashes that it found.

constexpr const char *kBlockHashes = "blockHashes";

static SetupKernel blockSamplesKernel(const DeviceCsr &csr, int64_t r, int64_t c) {
  const ElementType index = elementOf(csr.indexType),
                    word = csr.valueType == ValueType::f32 ? ElementType::u32 : ElementType::u64;
  return setupKernel(
      "sampleBlocks", "SampleBlocksArgs", {index, word},
      {csrRowPtrOf(csr), array(kCsrCol, index, csr.nnz), array(kCsrVal, word, csr.nnz),
       filled("hashes", ElementType::u64, kBlockHashes), wideNumber("rows", csr.rows),
       wideNumber("nnz", csr.nnz), narrowNumber("r", r), narrowNumber("c", c)});
}

template <IndexType index> static KernelSource emitBlockSamples(ValueType type) {
  return emitSetup("samples of blocks", {"profile/block_samples.cuh"},
                   {blockSamplesKernel({{}, index, type}, 1, 1)});
}

const KernelSource &blockSamplesSource(IndexType index, ValueType type) {
  return index == IndexType::i32 ? emittedOnce<emitBlockSamples<IndexType::i32>>(type)
                                 : emittedOnce<emitBlockSamples<IndexType::i64>>(type);
}

static llvm::Error readSamples(Workspace &w, int64_t r, int64_t c, std::vector<uint64_t> &to) {
  const DeviceCsr &csr = w.csr();
  const auto samples = std::ssize(to);
  if (llvm::Error error =
          w.addScratch(kBlockHashes, ElementType::u64, samples, Contents::undefined))
    return error;
  if (llvm::Error error =
          w.launch(blockSamplesSource(csr.indexType, csr.valueType), blockSamplesKernel(csr, r, c),
                   ceilDiv(samples, int64_t{kSetupBlock})))
    return error;
  return w.read(kBlockHashes, 0, samples, to.data());
}

llvm::Expected<std::optional<RepeatedBlocks>> repeatedBlocksOn(Workspace &w, int64_t r, int64_t c) {
  std::vector<uint64_t> hashes(static_cast<size_t>(blocksSampled(w.csr().nnz)));
  llvm::Error error = readSamples(w, r, c, hashes);
  w.drop(kBlockHashes);
  if (error)
    return error;
  return repeatedAmong(hashes, r, c);
}

} // namespace specmv
