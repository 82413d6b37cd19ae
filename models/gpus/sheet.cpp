// The data sheets of one GPU for each architecture.
#include "models/gpus/sheet.h"

#include <iterator>

namespace specmv {

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

} // namespace specmv
