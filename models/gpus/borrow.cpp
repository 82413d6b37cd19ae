// Chooses the GPU model that lends its rates, and scales them by a table of data sheets.
#include "models/gpus/borrow.h"

#include "models/base/error.h"
#include "models/gpus/write.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <iterator>

namespace specmv {

// --- Sheet ---------------------------------------------------------------------------------------

// The data sheets of one GPU for each architecture.

constexpr int64_t kKB = 1 << 10, kMB = 1 << 20;

// CUDA C++ programming guide, compute capability 7.5: technical specifications, and results of
// arithmetic instructions per clock and SM (single precision 64, int32 64, double 2). The comments
// below give the same three numbers.
constexpr SmSheet kTuring{1024, 64 * kKB, 96 * kKB, 64, 1, 1. / 32};
// 8.0: 64, 64, 32.
constexpr SmSheet kAmpere{2048, 163 * kKB, 192 * kKB, 64, 1, 1. / 2};
// 8.6 and 8.9: 128, 64, 2.
constexpr SmSheet kAda{1536, 99 * kKB, 128 * kKB, 128, 1. / 2, 1. / 64};
// 9.0 and 10.0: 128, 64, 64 (estimate for int32 of 10.0: that of 9.0).
constexpr SmSheet kHopper{2048, 227 * kKB, 256 * kKB, 128, 1. / 2, 1. / 2};
// 10.3: 128, 64 (estimate: that of 9.0), 2.
constexpr SmSheet kBlackwellUltra{2048, 227 * kKB, 256 * kKB, 128, 1. / 2, 1. / 64};
// 12.0 and 12.1: 128, 128 (RTX Blackwell architecture whitepaper: cores for both), 2.
constexpr SmSheet kBlackwellRtx{1536, 99 * kKB, 128 * kKB, 128, 1, 1. / 64};

namespace {
struct SheetRow {
  int arch;
  const char *name;
  int64_t sms;
  double clockGHz;
  int64_t busBits;
  double memoryClockGHz;
  int64_t l2Bytes;
  double pcieGBs;
  SmSheet sm;
};
} // namespace

// Ascending by architecture. Memory clocks are derived: GB/s / (bytes of the bus x 2 transfers per
// clock).
constexpr SheetRow kSheets[] = {
    // T4. Data sheet: 2,560 cores, 320 GB/s, PCIe 3.0 x16. Turing architecture whitepaper: boost
    // clock, 256 bits, 4 MB.
    {75, "t4", 40, 1.59, 256, 5, 4 * kMB, 16, kTuring},
    // A100 80GB SXM. Data sheet: 2,039 GB/s, PCIe 4.0 x16. A100 architecture whitepaper: SMs, boost
    // clock, 5,120 bits, 40 MB.
    {80, "a100", 108, 1.41, 5120, 1.593, 40 * kMB, 32, kAmpere},
    // A40. Data sheet: 10,752 cores, 696 GB/s, 384 bits, PCIe 4.0 x16. GA102 architecture
    // whitepaper: boost clock, 6 MB.
    {86, "a40", 84, 1.74, 384, 7.25, 6 * kMB, 32, kAda},
    // L40S. Data sheet: 18,176 cores, 864 GB/s, 384 bits, PCIe 4.0 x16; clock derived from 91.6
    // TFLOP/s of single precision. L2: estimate, the 96 MB of the L40 in the Ada architecture
    // whitepaper.
    {89, "l40s", 142, 2.52, 384, 9, 96 * kMB, 32, kAda},
    // H100 SXM. Data sheet: 3,350 GB/s, PCIe 5.0 x16; clock derived from 67 TFLOP/s of single
    // precision. H100 architecture whitepaper: SMs, 5,120 bits, 50 MB.
    {90, "h100", 132, 1.98, 5120, 2.6171875, 50 * kMB, 64, kHopper},
    // B200. HGX data sheet: 8,000 GB/s, PCIe 5.0 x16; clock derived from 600 TFLOP/s of single
    // precision of 8 GPUs. SMs, 8,192 bits (8 stacks of HBM3e) and 126 MB: estimates from published
    // driver output.
    {100, "b200", 148, 1.98, 8192, 3.90625, 126 * kMB, 64, kHopper},
    // B300. HGX data sheet: 8,000 GB/s, PCIe 6.0 x16; clock derived from 600 TFLOP/s of single
    // precision of 8 GPUs. The rest: estimates, equal to the B200's.
    {103, "b300", 148, 1.98, 8192, 3.90625, 126 * kMB, 128, kBlackwellUltra},
    // GeForce RTX 5090. RTX Blackwell architecture whitepaper: SMs, boost clock, 512 bits, 1,792
    // GB/s, 96 MB, PCIe 5.0 x16.
    {120, "rtx5090", 170, 2.407, 512, 14, 96 * kMB, 64, kBlackwellRtx},
    // GB10. DGX Spark data sheet: 6,144 cores, 256 bits, 273 GB/s. Estimates: clock derived from 31
    // TFLOP/s of single precision, L2 from published driver output, and half of the memory's rate
    // for copies from the host, since both use one memory.
    {121, "gb10", 48, 2.52, 256, 4.265625, 24 * kMB, 136.5, kBlackwellRtx},
};

double peakGBs(int64_t busBits, double memoryClockGHz) {
  return static_cast<double>(busBits) / 8 * 2 * memoryClockGHz;
}

// Returns 90 for "sm_90" and "sm_90a", and 0 if `arch` is not an architecture.
static int archNumber(llvm::StringRef arch) {
  int number = 0;
  if (!arch.consume_front("sm_") || arch.consumeInteger(10, number))
    return 0;
  return number;
}

bool launchesEarly(llvm::StringRef arch) { return archNumber(arch) >= 90; }

static const SheetRow &rowOf(llvm::StringRef arch) {
  const int number = archNumber(arch);
  const SheetRow *row = std::begin(kSheets);
  for (const SheetRow &each : kSheets)
    if (each.arch <= number)
      row = &each;
  return *row;
}

bool isSameArch(llvm::StringRef a, llvm::StringRef b) {
  return a == b || (archNumber(a) != 0 && archNumber(a) == archNumber(b));
}

std::vector<std::string> sheetNames() {
  std::vector<std::string> names;
  for (const SheetRow &each : kSheets)
    names.emplace_back(each.name);
  return names;
}

std::optional<GpuSheet> sheetNamed(llvm::StringRef name) {
  for (const SheetRow &each : kSheets)
    if (name == each.name)
      return sheetOf("sm_" + std::to_string(each.arch));
  return std::nullopt;
}

GpuSheet sheetOf(llvm::StringRef arch) {
  const SheetRow &row = rowOf(arch);
  return {.name = row.name,
          .arch = arch.str(),
          .sms = row.sms,
          .clockGHz = row.clockGHz,
          .busBits = row.busBits,
          .memoryClockGHz = row.memoryClockGHz,
          .l2Bytes = row.l2Bytes,
          .pcieGBs = row.pcieGBs,
          .sm = row.sm};
}

template <class Number> static void fillIn(Number &number, Number otherwise) {
  if (number <= 0)
    number = otherwise;
}

GpuSheet completed(GpuSheet sheet) {
  const GpuSheet known = sheetOf(sheet.arch);
  fillIn(sheet.sms, known.sms);
  fillIn(sheet.clockGHz, known.clockGHz);
  // The memory's rate needs both numbers, so a single one is replaced too.
  if (sheet.busBits <= 0 || sheet.memoryClockGHz <= 0) {
    sheet.busBits = known.busBits;
    sheet.memoryClockGHz = known.memoryClockGHz;
  }
  fillIn(sheet.l2Bytes, known.l2Bytes);
  fillIn(sheet.pcieGBs, known.pcieGBs);
  fillIn(sheet.sm.threads, known.sm.threads);
  fillIn(sheet.sm.sharedBytesPerBlock, known.sm.sharedBytesPerBlock);
  fillIn(sheet.sm.l1Bytes, known.sm.l1Bytes);
  fillIn(sheet.sm.cores, known.sm.cores);
  fillIn(sheet.sm.intShare, known.sm.intShare);
  fillIn(sheet.sm.doubleShare, known.sm.doubleShare);
  return sheet;
}

// --- Borrow --------------------------------------------------------------------------------------

// Chooses the GPU model that lends its rates, and scales them by a table.

namespace json = llvm::json;
using llvm::Expected;

namespace {
// A quantity of a GPU divided by the same quantity of the lender.
struct Ratios {
  double memory;  // peak rate
  double l2;      // SMs x clock
  double latency; // time of one clock cycle
  double l1;      // L1 bytes of an SM
};

struct ScaledRate {
  const char *name;
  double GpuModel::*member;
  double Ratios::*by;
};
struct ScaledInGroup {
  const char *path;
  Rates GpuModel::*group;
  const char *name;
  double Ratios::*by;
};
} // namespace

// Rates that are not in these tables are not scaled. Launches and periods depend on the host and
// the driver, and set-ups cost the host's time. dramDelay and efficiencies are ratios, and most
// other rates count passes. The least times of kernels are scaled too, by their names.
constexpr ScaledRate kScaledRates[] = {
    {"dramGBs", &GpuModel::dramGBs, &Ratios::memory}, // keeps the measured share of the peak
    {"l2GBs", &GpuModel::l2GBs, &Ratios::l2},         // an SM takes fixed bytes per clock from L2
    {"gatherGBs", &GpuModel::gatherGBs,
     &Ratios::l2}, // an SM takes a fixed number of sectors per clock from L2
    {"loadNs", &GpuModel::loadNs, &Ratios::latency},   // a load takes a fixed number of clocks
    {"chainNs", &GpuModel::chainNs, &Ratios::latency}, // a pass takes a fixed number of clocks
    {"waveNs", &GpuModel::waveNs,
     &Ratios::latency}, // the start of a wave takes a fixed number of clocks
};

constexpr ScaledInGroup kScaledInGroups[] = {
    // 3/4 of L1 and shared memory
    {"rates.gather.l1Bytes", &GpuModel::rates, "gather.l1Bytes", &Ratios::l1},
    // the sectors that fit L1
    {"rates.gather.l1Entries", &GpuModel::rates, "gather.l1Entries", &Ratios::l1},
    // the time of a kernel whose data is in L2
    {"setup.asItIs.latencyUs", &GpuModel::setup, "asItIs.latencyUs", &Ratios::latency},
};

// Those of each pace, such as "sell.leastUs": the stages of a kernel take a fixed number of clocks.
static bool isLeastTime(llvm::StringRef name) { return name.ends_with(".leastUs"); }
constexpr double Ratios::*kOfLeastTimes = &Ratios::latency;

static double peakOf(const GpuModel &gpu) { return peakGBs(gpu.busBits, gpu.memoryClockGHz); }

// The single-precision rate of a model is its boost clock.
static Ratios ratiosOf(const GpuSheet &sheet, const GpuModel &lender) {
  const double clocks = sheet.clockGHz / lender.singleRate;
  const double sms = static_cast<double>(sheet.sms) / static_cast<double>(lender.sms);
  return {.memory = peakGBs(sheet.busBits, sheet.memoryClockGHz) / peakOf(lender),
          .l2 = sms * clocks,
          .latency = 1 / clocks,
          .l1 = static_cast<double>(sheet.sm.l1Bytes) /
                static_cast<double>(sheetOf(lender.arch).sm.l1Bytes)};
}

static void scaleRates(const Ratios &ratios, GpuModel &gpu) {
  for (const ScaledRate &each : kScaledRates)
    gpu.*each.member *= ratios.*each.by;
  for (const ScaledInGroup &each : kScaledInGroups)
    if (Rates &rates = gpu.*each.group; rates.contains(each.name))
      rates.set(each.name, rates[each.name] * ratios.*each.by);
  for (const auto &[name, value] : gpu.rates.all())
    if (isLeastTime(name))
      gpu.rates.set(name, value * ratios.*kOfLeastTimes);
}

static void takeSheet(const GpuSheet &sheet, GpuModel &gpu) {
  gpu.name = sheet.name;
  gpu.arch = sheet.arch;
  gpu.pcieGBs = sheet.pcieGBs;
  gpu.singleRate = sheet.clockGHz;
  gpu.intRate = sheet.clockGHz * sheet.sm.intShare;
  gpu.doubleRate = sheet.clockGHz * sheet.sm.doubleShare;
  gpu.busBits = sheet.busBits;
  gpu.memoryClockGHz = sheet.memoryClockGHz;
  gpu.cores = sheet.sms * sheet.sm.cores;
  gpu.sms = sheet.sms;
  gpu.threadsPerSm = sheet.sm.threads;
  gpu.warpsPerSm = sheet.sm.threads / gpu.warpSize;
  gpu.l2Bytes = sheet.l2Bytes;
  gpu.sharedBytesPerBlock = sheet.sm.sharedBytesPerBlock;
  if (!launchesEarly(sheet.arch))
    gpu.rates.set("launch.early", 1);
}

GpuModel scaledTo(const GpuSheet &sheet, GpuModel lender) {
  lender.ratesFrom = lender.name;
  lender.isScaled = true;
  lender.benchmarks.reset(); // these are times of another GPU
  lender.curves.reset();
  scaleRates(ratiosOf(sheet, lender), lender);
  takeSheet(sheet, lender);
  return lender;
}

// Returns true if `a` is the nearer lender.
static bool isNearer(const GpuModel &a, const GpuModel &b, const GpuSheet &to) {
  if ((a.arch == to.arch) != (b.arch == to.arch))
    return a.arch == to.arch;
  const auto distance = [&](const GpuModel &gpu) {
    return std::abs(std::log(peakOf(gpu) / peakGBs(to.busBits, to.memoryClockGHz)));
  };
  return distance(a) < distance(b);
}

const GpuModel *nearestLender(llvm::ArrayRef<GpuModel> models, const GpuSheet &sheet) {
  const GpuModel *nearest = nullptr;
  for (const GpuModel &gpu : models)
    if (gpu.ratesFrom.empty() && (!nearest || isNearer(gpu, *nearest, sheet)))
      nearest = &gpu;
  return nearest;
}

static Expected<GpuModel> lenderFor(const GpuSheet &sheet) {
  std::vector<GpuModel> models;
  for (const std::string &name : gpuModelNames()) {
    auto gpu = loadGpuModel(name);
    if (!gpu)
      return gpu;
    models.push_back(std::move(*gpu));
  }
  const GpuModel *lender = nearestLender(models, sheet);
  if (!lender)
    return fail(Status::internal, "no built-in GPU model has rates of its own");
  return *lender;
}

Expected<GpuModel> borrowedModel(const GpuSheet &sheet) {
  auto lender = lenderFor(sheet);
  if (!lender)
    return lender;
  return scaledTo(sheet, std::move(*lender));
}

// --- The sources of a borrowed model's numbers

namespace {
// A number set by takeSheet(); isTold() says whether the driver reported it.
struct SheetNumber {
  const char *name;
  bool (*isTold)(const GpuSheet &);
};
struct DerivedNumber {
  const char *name, *how;
};
struct RatioWords {
  double Ratios::*ratio;
  const char *words;
};
} // namespace

static bool tellsMemory(const GpuSheet &s) { return s.busBits > 0 && s.memoryClockGHz > 0; }

constexpr SheetNumber kSheetNumbers[] = {
    {"pcieGBs", [](const GpuSheet &s) { return s.pcieGBs > 0; }},
    {"singleRate", [](const GpuSheet &s) { return s.clockGHz > 0; }},
    {"busBits", tellsMemory},
    {"memoryClockGHz", tellsMemory},
    {"sms", [](const GpuSheet &s) { return s.sms > 0; }},
    {"threadsPerSm", [](const GpuSheet &s) { return s.sm.threads > 0; }},
    {"l2Bytes", [](const GpuSheet &s) { return s.l2Bytes > 0; }},
    {"sharedBytesPerBlock", [](const GpuSheet &s) { return s.sm.sharedBytesPerBlock > 0; }}};

constexpr DerivedNumber kDerivedNumbers[] = {
    {"intRate", "the clock x the share of int32 results"},
    {"doubleRate", "the clock x the share of double results"},
    {"cores", "SMs x cores of one"},
    {"warpsPerSm", "threads of an SM / those of a warp"}};

constexpr RatioWords kRatioWords[] = {{&Ratios::memory, "the peak rates of the memories"},
                                      {&Ratios::l2, "SMs x clock"},
                                      {&Ratios::latency, "the clocks"},
                                      {&Ratios::l1, "the sizes of L1"}};

// The ratio by which the number at the path was scaled; null if it was not scaled.
static double Ratios::*ratioOf(llvm::StringRef path) {
  for (const ScaledRate &each : kScaledRates)
    if (path == each.name)
      return each.by;
  for (const ScaledInGroup &each : kScaledInGroups)
    if (path == each.path)
      return each.by;
  return isLeastTime(path) ? kOfLeastTimes : nullptr;
}

static std::string sheetSourceOf(llvm::StringRef path, const GpuSheet &told) {
  const std::string known = sheetOf(told.arch).name;
  for (const SheetNumber &number : kSheetNumbers)
    if (path == number.name)
      return number.isTold(told) ? "told by the driver of " + told.name
                                 : "data sheet of the " + known + ", which stands for " + told.arch;
  for (const DerivedNumber &number : kDerivedNumbers)
    if (path == number.name)
      return llvm::formatv("derived: {0}, as of the {1}", number.how, known);
  if (path == "rates.launch.early" && !launchesEarly(told.arch))
    return "no kernel begins early on GPUs before sm_90";
  return "";
}

static std::string lentSourceOf(llvm::StringRef path, const Ratios &ratios, const GpuModel &lender,
                                const json::Object &lent) {
  std::string scaled;
  for (const RatioWords &each : kRatioWords)
    if (each.ratio == ratioOf(path))
      scaled = llvm::formatv(" x {0:f3}, by {1}", ratios.*each.ratio, each.words);
  const std::string source = sourceIn(lent, path);
  return llvm::formatv("borrowed, not measured here: {0}'s{1}{2}{3}", lender.name, scaled,
                       source.empty() ? "" : "; there ", source);
}

Expected<std::string> borrowedModelText(const GpuSheet &told, llvm::StringRef name) {
  const GpuSheet sheet = completed(told);
  auto lender = lenderFor(sheet);
  if (!lender)
    return lender.takeError();
  auto lent = json::parse(findBuiltInGpu(lender->name)->text);
  if (!lent)
    return lent.takeError();
  const Ratios ratios = ratiosOf(sheet, *lender);
  GpuModel gpu = scaledTo(sheet, *lender);
  gpu.name = name.str();
  return gpuModelText(gpu, [&](llvm::StringRef path) {
    const std::string ofSheet = sheetSourceOf(path, told);
    return ofSheet.empty() ? lentSourceOf(path, ratios, *lender, *lent->getAsObject()) : ofSheet;
  });
}

Expected<GpuModel> modelForArch(llvm::StringRef arch) {
  int number = 0;
  llvm::StringRef rest = arch;
  if (!rest.consume_front("sm_") || rest.consumeInteger(10, number) || number <= 0)
    return fail(Status::badCall, "'{0}' is not a GPU architecture; write it like sm_90", arch);
  // A measured model is preferred to a scaled one; among several, the one with the most bandwidth.
  std::optional<GpuModel> measured;
  for (const std::string &name : gpuModelNames()) {
    auto gpu = loadGpuModel(name);
    if (!gpu)
      return gpu;
    if (gpu->ratesFrom.empty() && isSameArch(gpu->arch, arch) &&
        (!measured || gpu->dramGBs > measured->dramGBs))
      measured = std::move(*gpu);
  }
  if (measured)
    return std::move(*measured);
  const GpuSheet sheet = sheetOf(arch);
  if (findBuiltInGpu(sheet.name))
    return loadGpuModel(sheet.name);
  return borrowedModel(sheet);
}

std::string borrowingText(const GpuModel &gpu) {
  if (!gpu.isScaled)
    return "";
  return llvm::formatv("no rates were measured on {0}: predictions use those of {1}, scaled to {2} "
                       "SMs, {3:f2} GHz and {4:f0} GB/s",
                       gpu.name, gpu.ratesFrom, gpu.sms, gpu.singleRate, peakOf(gpu));
}

} // namespace specmv
