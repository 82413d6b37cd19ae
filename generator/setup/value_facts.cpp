// Launches the kernels of templates/profile/values.cuh and value_diagonals.cuh, and reads what they
// found.
#include "generator/setup/value_facts.h"

#include "generator/setup/packing.h"
#include "generator/sources.h"
#include "templates/profile/features.cuh"
#include "templates/profile/value_counts.cuh"

#include <algorithm>

namespace specmv {

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

} // namespace specmv
