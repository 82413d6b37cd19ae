// Chooses a lender and scales its rates, by a table.
#include "models/gpus/borrow.h"

#include "models/base/error.h"
#include "models/gpus/built_in.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace specmv {

using llvm::Expected;

namespace {
// How many times as much a GPU has of something as the lender.
struct Ratios {
  double memory;  // peak rate
  double l2;      // SMs x clock
  double latency; // the time of a clock
  double l1;      // bytes of an SM
};

struct ScaledRate {
  double GpuModel::*member;
  double Ratios::*by;
};
struct ScaledInGroup {
  Rates GpuModel::*group;
  const char *name;
  double Ratios::*by;
};
} // namespace

// What is not here stays: launches and periods are the host's and the driver's, dramDelay and
// efficiencies are shares, all other rates count passes, and set-ups cost the host's time.
constexpr ScaledRate kScaledRates[] = {
    {&GpuModel::dramGBs, &Ratios::memory},  // the lender's measured share of its peak
    {&GpuModel::l2GBs, &Ratios::l2},        // each SM takes so many bytes a clock of L2
    {&GpuModel::gatherGBs, &Ratios::l2},    // and so many sectors
    {&GpuModel::loadNs, &Ratios::latency},  // a load takes so many clocks
    {&GpuModel::chainNs, &Ratios::latency}, // and so does a pass
    {&GpuModel::waveNs, &Ratios::latency},  // and the begin of a wave
};

constexpr ScaledInGroup kScaledInGroups[] = {
    {&GpuModel::rates, "gather.l1Bytes", &Ratios::l1},        // 3/4 of L1 and shared memory
    {&GpuModel::rates, "gather.l1Entries", &Ratios::l1},      // sectors that fit L1
    {&GpuModel::setup, "asItIs.latencyUs", &Ratios::latency}, // a kernel's time within L2
};

static double peakOf(const GpuModel &gpu) { return peakGBs(gpu.busBits, gpu.memoryClockGHz); }

// A model's rate of single precision is its boost clock.
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
}

GpuModel scaledTo(const GpuSheet &sheet, GpuModel lender) {
  lender.ratesFrom = lender.name;
  lender.isScaled = true;
  lender.benchmarks.reset(); // times of another GPU's strips
  scaleRates(ratiosOf(sheet, lender), lender);
  takeSheet(sheet, lender);
  return lender;
}

// Whether `a` is the nearer lender.
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

Expected<GpuModel> borrowedModel(const GpuSheet &sheet) {
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
  return scaledTo(sheet, *lender);
}

Expected<GpuModel> modelForArch(llvm::StringRef arch) {
  int number = 0;
  llvm::StringRef rest = arch;
  if (!rest.consume_front("sm_") || rest.consumeInteger(10, number) || number <= 0)
    return fail(Status::badCall, "'{0}' is no GPU architecture; they are named like sm_90", arch);
  for (const std::string &name : gpuModelNames()) {
    auto gpu = loadGpuModel(name);
    if (!gpu)
      return gpu;
    if (gpu->ratesFrom.empty() &&
        gpu->arch == arch) // what was measured comes before what is scaled
      return gpu;
  }
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
