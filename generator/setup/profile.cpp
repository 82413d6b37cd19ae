// Launches the kernels of templates/profile and makes a profile of what they counted.
#include "generator/setup/profile.h"

#include "generator/setup/packing.h"
#include "generator/setup/profile_counts.h"

#include <algorithm>
#include <limits>

namespace specmv {

constexpr const char *kCounts = "counts", *kListed = "listed", *kSorted = "sortedCol";
constexpr ElementType kWord = ElementType::u64;

// The array of columns, with another name for the kernels if its rows were sorted.
static Field columnsOf(const DeviceCsr &csr, const char *stored) {
  return array(kCsrCol, elementOf(csr.indexType), csr.nnz, stored);
}

static int64_t rangesOf(const DeviceCsr &csr) { return ceilDiv(csr.rows, int64_t{kRangeRows}); }
static int64_t diagonalWords(const DeviceCsr &csr) { return (csr.rows + csr.cols) / 32 + 1; }
static int64_t listedSize(const DeviceCsr &csr) { return csr.nnz / kCountedLengths + 1; }

static SetupKernel rowsKernel(const DeviceCsr &csr) {
  return setupKernel("profileRows", "ProfileRowsArgs", {elementOf(csr.indexType)},
                     {csrRowPtrOf(csr), filled(kCounts, kWord), filled(kListed, kWord),
                      filled("longs", ElementType::u32), wideNumber("rows", csr.rows),
                      wideNumber("nnz", csr.nnz), wideNumber("listedSize", listedSize(csr))});
}

static SetupKernel entriesKernel(const DeviceCsr &csr, const char *col, int64_t chunksPerBlock) {
  return setupKernel("profileEntries", "ProfileEntriesArgs", {elementOf(csr.indexType)},
                     {csrRowPtrOf(csr), columnsOf(csr, col), filled(kCounts, kWord),
                      filled("rangeFirst", kWord), filled("rangeLast", kWord),
                      filled("diagonalBits", ElementType::u32), wideNumber("rows", csr.rows),
                      wideNumber("cols", csr.cols), wideNumber("nnz", csr.nnz),
                      wideNumber("chunksPerBlock", chunksPerBlock)});
}

static SetupKernel samplesKernel(const char *function, const DeviceCsr &csr, const char *col,
                                 int64_t groups, int64_t parts) {
  return setupKernel(function, "ProfileSamplesArgs", {elementOf(csr.indexType)},
                     {csrRowPtrOf(csr), columnsOf(csr, col), filled(kCounts, kWord),
                      wideNumber("rows", csr.rows), wideNumber("nnz", csr.nnz),
                      wideNumber("groups", groups), narrowNumber("parts", parts)});
}

static SetupKernel diagonalsKernel(const DeviceCsr &csr) {
  return setupKernel("profileDiagonals", "ProfileDiagonalsArgs", {},
                     {array("diagonalBits", ElementType::u32, 0), filled(kCounts, kWord),
                      wideNumber("words", diagonalWords(csr))});
}

static SetupKernel spansKernel(const DeviceCsr &csr) {
  return setupKernel("profileSpans", "ProfileSpansArgs", {},
                     {array("rangeFirst", kWord, 0), array("rangeLast", kWord, 0),
                      filled(kCounts, kWord), wideNumber("ranges", rangesOf(csr)),
                      wideNumber("cols", csr.cols)},
                     kRangesPerSpan);
}

static SetupKernel sortKernel(const DeviceCsr &csr) {
  return setupKernel("sortRows", "SortRowsArgs", {elementOf(csr.indexType)},
                     {csrRowPtrOf(csr), columnsOf(csr, ""),
                      filled(kSorted, elementOf(csr.indexType)), wideNumber("rows", csr.rows)});
}

KernelSource profileSource(IndexType index) {
  const DeviceCsr csr{{}, index};
  return emitSetup(
      "the profile",
      {"profile/rows.cuh", "profile/entries.cuh", "profile/samples.cuh", "profile/finish.cuh"},
      {rowsKernel(csr), entriesKernel(csr, "", 1), samplesKernel("profileGroups", csr, "", 1, 1),
       samplesKernel("profileReuse", csr, "", 1, 1), samplesKernel("profileTiles", csr, "", 1, 1),
       diagonalsKernel(csr), spansKernel(csr), sortKernel(csr)});
}

// --- What the kernels can count
// -------------------------------------------------------------------

// Lengths are kept in 32 bits, and one bit a diagonal must not take more than the matrix.
static bool isCountable(const DeviceCsr &csr) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const int64_t bytes = csr.nnz * static_cast<int64_t>(sizeOf(csr.indexType));
  return csr.rows > 0 && csr.cols > 0 && csr.nnz > 0 && csr.nnz <= kMost && csr.rows <= kMost &&
         csr.cols <= kMost && diagonalWords(csr) * 4 <= bytes + (1 << 20);
}

// The longest row that is sorted on the device: its entries are compared with one another.
constexpr uint64_t kMostSorted = 8192;

// --- The launches
// ---------------------------------------------------------------------------------

namespace {
struct Array {
  const char *name;
  ElementType type;
  int64_t count;
  Contents contents;
};

struct LaunchOf {
  SetupKernel kernel;
  int64_t blocks;
};

// The arrays of the kernels, dropped at the end of the profile.
class WorkArrays {
public:
  explicit WorkArrays(Workspace &workspace) : workspace_(workspace) {}
  WorkArrays(const WorkArrays &) = delete;
  WorkArrays &operator=(const WorkArrays &) = delete;
  ~WorkArrays() {
    for (const std::string &name : names_)
      workspace_.drop(name);
  }
  llvm::Error add(const Array &array) {
    names_.emplace_back(array.name);
    return workspace_.add(array.name, array.type, array.count, array.contents);
  }

private:
  Workspace &workspace_;
  std::vector<std::string> names_;
};
} // namespace

static llvm::Error addWork(WorkArrays &work, const DeviceCsr &csr) {
  const Array arrays[] = {
      {kCounts, kWord, kProfileWords, Contents::zeros},
      {kListed, kWord, listedSize(csr), Contents::undefined},
      {"longs", ElementType::u32, roundUp(csr.rows, int64_t{kWideWindow}), Contents::undefined},
      {"rangeFirst", kWord, rangesOf(csr), Contents::zeros},
      {"rangeLast", kWord, rangesOf(csr), Contents::zeros},
      {"diagonalBits", ElementType::u32, diagonalWords(csr), Contents::zeros}};
  for (const Array &array : arrays)
    if (llvm::Error error = work.add(array))
      return error;
  return llvm::Error::success();
}

// Blocks of the walk over the entries: enough for any GPU, and few enough that each has a run of
// chunks to share its tables.
constexpr int64_t kWalkBlocks = 1056;
constexpr int64_t kWarpsPerBlock = kProfileBlock / 32;

// All kernels that read columns.
static std::vector<LaunchOf> walksOf(const DeviceCsr &csr, const char *col) {
  const int64_t chunks = ceilDiv(csr.nnz, int64_t{kPerChunk});
  const int64_t chunksPerBlock = ceilDiv(chunks, kWalkBlocks);
  const int64_t groups = sampledGroups(csr.rows, csr.nnz);
  const int64_t parts = std::max<int64_t>(1, kWalkBlocks / groups);
  const int64_t forReuse =
      sampledForReuse(kReuseRows[1], csr.nnz) + sampledForReuse(kReuseRows[2], csr.nnz);
  return {
      {entriesKernel(csr, col, chunksPerBlock), ceilDiv(chunks, chunksPerBlock)},
      {samplesKernel("profileGroups", csr, col, groups, parts), groups * parts},
      {samplesKernel("profileReuse", csr, col, groups, parts), ceilDiv(forReuse, kWarpsPerBlock)},
      {samplesKernel("profileTiles", csr, col, groups, parts),
       kTileLevels * kTileSamples / kWarpsPerBlock},
      {diagonalsKernel(csr),
       std::min(kWalkBlocks, ceilDiv(diagonalWords(csr), int64_t{kProfileBlock}))},
      {spansKernel(csr), ceilDiv(rangesOf(csr), int64_t{kRangesPerSpan})}};
}

static llvm::Error launchAll(Workspace &w, const std::vector<LaunchOf> &launches) {
  const KernelSource source = profileSource(w.csr().indexType);
  for (const LaunchOf &launch : launches)
    if (llvm::Error error = w.launch(source, launch.kernel, launch.blocks))
      return error;
  return llvm::Error::success();
}

static llvm::Expected<Words> readWords(Workspace &w, const char *name, int64_t count) {
  Words words(static_cast<size_t>(count));
  if (llvm::Error error = w.read(name, 0, count, words.data()))
    return error;
  return words;
}

// Counts with the rows sorted in a copy of their columns.
static llvm::Expected<Words> countSorted(Workspace &w) {
  const DeviceCsr &csr = w.csr();
  WorkArrays copy(w);
  if (llvm::Error error =
          copy.add({kSorted, elementOf(csr.indexType), csr.nnz, Contents::undefined}))
    return error;
  WorkArrays work(w);
  if (llvm::Error error = addWork(work, csr))
    return error;
  std::vector<LaunchOf> launches = walksOf(csr, kSorted);
  const int64_t blocks = std::min(kWalkBlocks, ceilDiv(csr.rows, kWarpsPerBlock));
  launches.insert(launches.begin(), {sortKernel(csr), blocks});
  if (llvm::Error error = launchAll(w, launches))
    return error;
  return readWords(w, kCounts, kProfileWords);
}

llvm::Expected<std::optional<SparsityProfile>> profileOn(Workspace &w) {
  const DeviceCsr &csr = w.csr();
  if (!isCountable(csr))
    return std::nullopt;
  Words counts, listed;
  {
    WorkArrays work(w);
    if (llvm::Error error = addWork(work, csr))
      return error;
    std::vector<LaunchOf> launches = walksOf(csr, "");
    launches.insert(launches.begin(), {rowsKernel(csr), ceilDiv(csr.rows, int64_t{kWideWindow})});
    if (llvm::Error error = launchAll(w, launches))
      return error;
    auto all = readWords(w, kCounts, kProfileWords);
    if (!all)
      return all.takeError();
    counts = std::move(*all);
    if (counts[kRowFault] || counts[kColumnFault])
      return std::nullopt;
    if (counts[kLongRows] > 0) {
      auto read = readWords(w, kListed, static_cast<int64_t>(counts[kLongRows]));
      if (!read)
        return read.takeError();
      listed = std::move(*read);
    }
  }
  if (!counts[kUnsorted])
    return profileOf(csr, counts, std::move(listed), counts);
  if (counts[kLongest] > kMostSorted)
    return std::nullopt;
  auto walked = countSorted(w);
  if (!walked)
    return walked.takeError();
  return profileOf(csr, counts, std::move(listed), *walked);
}

} // namespace specmv
