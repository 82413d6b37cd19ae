// Launches the kernels of templates/profile and makes a profile of what they counted.
#include "generator/setup/profile.h"

#include "generator/setup/profile_counts.h"

#include "generator/setup/packing.h"
#include "generator/sources.h"
#include "models/base/numbers.h"

#include <algorithm>

namespace specmv {

// --- Profile counts ------------------------------------------------------------------------------

// Makes a profile from the counts of the kernels.

static Count countAt(const Words &words, int at) {
  return static_cast<Count>(words[static_cast<size_t>(at)]);
}

static std::vector<LengthCount> lengthsOf(const Words &counts, Words longRows) {
  std::vector<LengthCount> out;
  for (int length = 0; length < kCountedLengths; ++length)
    if (const Count rows = countAt(counts, kLengths + length))
      out.push_back({length, rows});
  std::sort(longRows.begin(), longRows.end());
  for (uint64_t length : longRows) {
    if (out.empty() || out.back().length != static_cast<Count>(length))
      out.push_back({static_cast<Count>(length), 0});
    ++out.back().rows;
  }
  return out;
}

static std::vector<SliceCount> paddingOf(const Words &counts) {
  std::vector<SliceCount> out;
  int at = kSlices;
  for (Count window : {1, int{kNarrowWindow}, int{kWideWindow}})
    for (int size = 0; size < kSliceSizes; ++size)
      out.push_back({Count{2} << size, window, countAt(counts, at++)});
  return out;
}

static std::vector<DiagonalCount> listedDiagonals(const Words &counts) {
  std::vector<DiagonalCount> out;
  for (int slot = 0; slot < kDiagonalSlots && counts[kManyDiagonals] == 0; ++slot)
    if (const uint64_t key = counts[size_t{kDiagonalKeys} + static_cast<size_t>(slot)])
      out.push_back(
          {static_cast<Count>(key - (uint64_t{1} << 63)), countAt(counts, kDiagonalCounts + slot)});
  std::sort(out.begin(), out.end(),
            [](const DiagonalCount &a, const DiagonalCount &b) { return a.offset < b.offset; });
  return out;
}

static BlockFill blockFillOf(const Words &counts, const DeviceCsr &csr) {
  BlockFill fill{};
  const int64_t groups = ceilDiv(csr.rows, int64_t{kSampledRows});
  const int64_t sampled = sampledGroups(csr.rows, csr.nnz);
  for (int64_t k = 0; k < sampled; ++k) {
    const int64_t first = evenlySpread(k, sampled, groups) * kSampledRows;
    fill.sampledRows += std::min<int64_t>(kSampledRows, csr.rows - first);
  }
  fill.sampledEntries = countAt(counts, kSampledInGroups);
  for (int r = 0; r < kBlockSides; ++r)
    for (int c = 0; c < kBlockSides; ++c)
      fill.blocks[static_cast<size_t>(r)][static_cast<size_t>(c)] =
          countAt(counts, kBlocks + r * kBlockSides + c);
  return fill;
}

static std::vector<LineCount> linesOf(const Words &counts) {
  std::vector<LineCount> out;
  int at = kLines;
  for (Count window : {1, int{kLineWindow}}) {
    LineCount count{window, countAt(counts, at++), {}};
    for (Count &fours : count.fours)
      fours = countAt(counts, at++);
    out.push_back(count);
  }
  return out;
}

static std::vector<ReuseCount> reuseOf(const Words &counts) {
  std::vector<ReuseCount> out;
  for (int group = 0; group < kReuseGroups; ++group) {
    ReuseCount count{reuseRows(group), 0, {}};
    Count wider = 0; // entries with a width above the level
    for (int bin = kReuseBins - 1; bin >= 0; --bin) {
      if (bin < kReuseLevels)
        count.first[static_cast<size_t>(bin)] = wider;
      wider += countAt(counts, kReuse + group * kReuseBins + bin);
    }
    count.sampledEntries = wider;
    out.push_back(count);
  }
  return out;
}

CountedRows countedRows(const Words &counts, Words longRows) {
  return {lengthsOf(counts, std::move(longRows)), paddingOf(counts)};
}

SparsityProfile profileOf(const DeviceCsr &csr, const Fingerprint &fingerprint, CountedRows rows,
                          const Words &walked) {
  SparsityProfile p;
  p.rows = csr.rows;
  p.cols = csr.cols;
  p.nnz = csr.nnz;
  p.fingerprint = fingerprint;
  p.lengths = std::move(rows.lengths);
  p.distSum = countAt(walked, kDistSum);
  p.bandwidth = countAt(walked, kBandwidth);
  p.diagonals = listedDiagonals(walked);
  p.occupiedDiagonals = walked[kManyDiagonals] ? kMaxListedDiagonals + 1 : std::ssize(p.diagonals);
  p.blockFill = blockFillOf(walked, csr);
  p.slices = std::move(rows.slices);
  p.lines = linesOf(walked);
  for (int size = 0; size < kSpanSizes; ++size)
    p.spans.push_back({Count{kRangeRows} << size, countAt(walked, kSpanTotal + size),
                       countAt(walked, kSpanLongest + size)});
  p.reuse = reuseOf(walked);
  for (int level = 0; level < kTileLevels; ++level) {
    TileDensity tiles{tileSize(level), std::min<Count>(kTileSamples, csr.nnz), {}};
    for (int bin = 0; bin < kDensityBins; ++bin)
      tiles.bins[static_cast<size_t>(bin)] = countAt(walked, kTiles + level * kDensityBins + bin);
    p.tiles.push_back(tiles);
  }
  p.sampled = p.blockFill.sampledEntries < p.nnz;
  for (const ReuseCount &count : p.reuse)
    p.sampled |= count.sampledEntries < p.nnz;
  return p;
}

// --- Profile -------------------------------------------------------------------------------------

// Launches the kernels of templates/profile and makes a profile of what they counted.

constexpr const char *kCounts = "counts", *kListed = "listed", *kSorted = "sortedCol";
constexpr ElementType kWord = ElementType::u64;

// The array of columns; if its rows were sorted, the copy of the name `stored`.
static Field columnsOf(const DeviceCsr &csr, const char *stored) {
  return array(kCsrCol, elementOf(csr.indexType), csr.nnz, stored);
}

static int64_t rangesOf(const DeviceCsr &csr) { return ceilDiv(csr.rows, int64_t{kRangeRows}); }
static int64_t listedSize(const DeviceCsr &csr) { return csr.nnz / kCountedLengths + 1; }

static SetupKernel rowsKernel(const DeviceCsr &csr) {
  SetupKernel kernel =
      setupKernel("profileRows", "ProfileRowsArgs", {elementOf(csr.indexType)},
                  {csrRowPtrOf(csr), filled(kCounts, kWord), filled(kListed, kWord),
                   filled("longs", ElementType::u32), wideNumber("rows", csr.rows)},
                  kRowsBlock);
  kernel.kernel.blocksPerSm = 2; // left alone, ptxas spills on some architectures
  return kernel;
}

static SetupKernel entriesKernel(const DeviceCsr &csr, const char *col, int64_t rangesPerBlock) {
  return setupKernel("profileEntries", "ProfileEntriesArgs", {elementOf(csr.indexType)},
                     {csrRowPtrOf(csr), columnsOf(csr, col), filled(kCounts, kWord),
                      wideNumber("rows", csr.rows), wideNumber("cols", csr.cols),
                      wideNumber("nnz", csr.nnz), wideNumber("ranges", rangesOf(csr)),
                      wideNumber("rangesPerBlock", rangesPerBlock)},
                     kEntriesBlock);
}

namespace {
// The numbers of blocks of profileSamples() for each of its tasks.
struct SampleBlocks {
  int64_t groups = 0, parts = 0, reuse = 0, tiles = 0, windows = 0, lineParts = 0, spans = 0;
  int64_t lines() const { return windows * lineParts; }
  int64_t all() const { return groups * parts + reuse + tiles + lines() + spans; }
};
} // namespace

static SetupKernel samplesKernel(const DeviceCsr &csr, const char *col, int64_t descents,
                                 const SampleBlocks &blocks) {
  SetupKernel kernel = setupKernel(
      "profileSamples", "ProfileSamplesArgs", {elementOf(csr.indexType)},
      {csrRowPtrOf(csr), columnsOf(csr, col), filled(kCounts, kWord), wideNumber("rows", csr.rows),
       wideNumber("cols", csr.cols), wideNumber("nnz", csr.nnz),
       wideNumber("ranges", rangesOf(csr)), wideNumber("descents", descents),
       wideNumber("groups", blocks.groups), narrowNumber("parts", blocks.parts),
       narrowNumber("groupBlocks", blocks.groups * blocks.parts),
       narrowNumber("reuseBlocks", blocks.reuse), narrowNumber("tileBlocks", blocks.tiles),
       narrowNumber("lineBlocks", blocks.lines()), narrowNumber("lineParts", blocks.lineParts)});
  kernel.kernel.blocksPerSm = 4; // left alone, ptxas spills rather than use more than 40 registers
  return kernel;
}

static SetupKernel sortKernel(const DeviceCsr &csr) {
  return setupKernel("sortRows", "SortRowsArgs", {elementOf(csr.indexType)},
                     {csrRowPtrOf(csr), columnsOf(csr, ""),
                      filled(kSorted, elementOf(csr.indexType)), wideNumber("rows", csr.rows)});
}

static KernelSource emitProfile(IndexType index) {
  const DeviceCsr csr{{}, index};
  return emitSetup("the profile",
                   {"profile/rows.cuh", "profile/entries.cuh", "profile/samples.cuh"},
                   {rowsKernel(csr), entriesKernel(csr, "", 1), samplesKernel(csr, "", 0, {})});
}

const KernelSource &profileSource(IndexType index) { return emittedOnce<emitProfile>(index); }

// Few matrices need this kernel, so it is not loaded with the others.
static KernelSource emitRowSort(IndexType index) {
  return emitSetup("sorting the rows of a profile", {"profile/sort.cuh"},
                   {sortKernel(DeviceCsr{{}, index})});
}

const KernelSource &rowSortSource(IndexType index) { return emittedOnce<emitRowSort>(index); }

// --- The launches
// ---------------------------------------------------------------------------------

// The longest row that is sorted on the device. The kernel compares each entry of a row with all
// others.
constexpr Count kMostSorted = 8192;

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
      {kCounts, kWord, kProfileWords + 2 * rangesOf(csr), Contents::zeros},
      {kListed, kWord, listedSize(csr), Contents::undefined},
      {"longs", ElementType::u32, roundUp(csr.rows, int64_t{kWideWindow}), Contents::undefined}};
  for (const Array &array : arrays)
    if (llvm::Error error = work.add(array))
      return error;
  return llvm::Error::success();
}

// Blocks of the pass over the rows: enough for any GPU, and few enough that each block counts many
// rows in its tables.
constexpr int64_t kWalkBlocks = 528;
// Blocks for all sampled groups together, so that many blocks share a long row; and the entries
// that a block reads at a time.
constexpr int64_t kGroupBlocks = 2048, kEntriesTogether = 32;
// Blocks for all sampled windows of lines together: a window is short work for many, but long for
// one.
constexpr int64_t kLineBlocks = 256;
constexpr int64_t kWarpsPerBlock = kProfileBlock / 32;

// The two kernels that read columns.
static std::vector<LaunchOf> walksOf(const DeviceCsr &csr, const char *col, int64_t descents) {
  // Each warp has at least one range.
  const int64_t rangesPerBlock =
      std::max(ceilDiv(rangesOf(csr), kWalkBlocks), int64_t{kEntriesBlock / 32});
  const int64_t groups = sampledGroups(csr.rows, csr.nnz);
  const int64_t forReuse =
      sampledForReuse(reuseRows(1), csr.nnz) + sampledForReuse(reuseRows(2), csr.nnz);
  const int64_t windows = sampledLineWindows(csr.rows, csr.cols, csr.nnz);
  const SampleBlocks blocks{
      .groups = groups,
      .parts = std::clamp<int64_t>(kGroupBlocks / groups, 1, ceilDiv(csr.nnz, kEntriesTogether)),
      .reuse = ceilDiv(forReuse, kWarpsPerBlock),
      .tiles = kTileLevels * int{kTileSamples} / kWarpsPerBlock,
      .windows = windows,
      .lineParts = std::clamp<int64_t>(kLineBlocks / std::max<int64_t>(windows, 1), 1,
                                       int{kLineWindow} / int{kLineRows}),
      .spans = ceilDiv(rangesOf(csr), int64_t{kProfileBlock})};
  return {{entriesKernel(csr, col, rangesPerBlock), ceilDiv(rangesOf(csr), rangesPerBlock)},
          {samplesKernel(csr, col, descents, blocks), blocks.all()}};
}

static llvm::Error launchAll(Workspace &w, const std::vector<LaunchOf> &launches) {
  const KernelSource &source = profileSource(w.csr().indexType);
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

namespace {
struct Walked {
  Fingerprint fingerprint;
  Words counts;
};
} // namespace

constexpr int64_t kSortBlocks = 1056;

// Sorts the rows in a copy of the columns, and counts with that copy.
static llvm::Expected<Walked> countSorted(Workspace &w) {
  const DeviceCsr &csr = w.csr();
  WorkArrays copy(w);
  if (llvm::Error error =
          copy.add({kSorted, elementOf(csr.indexType), csr.nnz, Contents::undefined}))
    return error;
  const int64_t blocks = std::min(kSortBlocks, ceilDiv(csr.rows, kWarpsPerBlock));
  if (llvm::Error error = w.launch(rowSortSource(csr.indexType), sortKernel(csr), blocks))
    return error;
  auto hashed = hashOn(w, kSorted);
  if (!hashed)
    return hashed.takeError();
  WorkArrays work(w);
  if (llvm::Error error = addWork(work, csr))
    return error;
  if (llvm::Error error = launchAll(w, walksOf(csr, kSorted, hashed->descents)))
    return error;
  auto counts = readWords(w, kCounts, kProfileWords);
  if (!counts)
    return counts.takeError();
  return Walked{hashed->fingerprint, std::move(*counts)};
}

llvm::Expected<std::optional<SparsityProfile>> profileOn(Workspace &w, const PatternHash &hash) {
  const DeviceCsr &csr = w.csr();
  Words counts, listed;
  {
    WorkArrays work(w);
    if (llvm::Error error = addWork(work, csr))
      return error;
    std::vector<LaunchOf> launches = walksOf(csr, "", hash.descents);
    launches.insert(launches.begin(), {rowsKernel(csr), ceilDiv(csr.rows, int64_t{kWideWindow})});
    if (llvm::Error error = launchAll(w, launches))
      return error;
    auto all = readWords(w, kCounts, kProfileWords);
    if (!all)
      return all.takeError();
    counts = std::move(*all);
    if (counts[kLongRows] > 0) {
      auto read = readWords(w, kListed, static_cast<int64_t>(counts[kLongRows]));
      if (!read)
        return read.takeError();
      listed = std::move(*read);
    }
  }
  CountedRows rows = countedRows(counts, std::move(listed));
  if (static_cast<int64_t>(counts[kRowDescents]) == hash.descents)
    return profileOf(csr, hash.fingerprint, std::move(rows), counts);
  if (rows.lengths.back().length > kMostSorted)
    return std::nullopt;
  auto walked = countSorted(w);
  if (!walked)
    return walked.takeError();
  return profileOf(csr, walked->fingerprint, std::move(rows), walked->counts);
}

} // namespace specmv
