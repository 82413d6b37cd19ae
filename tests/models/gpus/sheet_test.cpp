// Tests of the data sheets: the GPU of each architecture, and the completion of partial sheets.
#include "models/gpus/borrow.h"

#include "models/base/error.h"

#include <doctest/doctest.h>

using namespace specmv;
using doctest::Approx;

namespace {

double peakOf(const char *arch) {
  const GpuSheet sheet = sheetOf(arch);
  return peakGBs(sheet.busBits, sheet.memoryClockGHz);
}

// TFLOP/s of single precision.
double singleOf(const char *arch) {
  const GpuSheet sheet = sheetOf(arch);
  return static_cast<double>(2 * sheet.sms * sheet.sm.cores) * sheet.clockGHz / 1000;
}

} // namespace

TEST_CASE("sheet: peak rates are those that NVIDIA states") {
  struct {
    const char *arch, *name;
    double peakGBs, singleTflops;
  } const stated[] = {{"sm_75", "t4", 320, 8.1},    {"sm_80", "a100", 2039, 19.5},
                      {"sm_86", "a40", 696, 37.4},  {"sm_89", "l40s", 864, 91.6},
                      {"sm_90", "h100", 3350, 67},  {"sm_100", "b200", 8000, 75},
                      {"sm_103", "b300", 8000, 75}, {"sm_120", "rtx5090", 1792, 104.8},
                      {"sm_121", "gb10", 273, 31}};
  for (const auto &gpu : stated) {
    CAPTURE(std::string(gpu.arch));
    CHECK(sheetOf(gpu.arch).name == gpu.name);
    CHECK(peakOf(gpu.arch) == Approx(gpu.peakGBs).epsilon(0.001));
    CHECK(singleOf(gpu.arch) == Approx(gpu.singleTflops).epsilon(0.01));
  }
}

TEST_CASE("sheet: an architecture without a line has that of the next older one") {
  CHECK(sheetOf("sm_87").name == "a40");
  CHECK(sheetOf("sm_87").arch == "sm_87");
  CHECK(sheetOf("sm_90a").name == "h100");
  CHECK(sheetOf("sm_110").name == "b300");
  CHECK(sheetOf("sm_999").name == "gb10");
  for (const char *none : {"sm_30", "", "sm_", "nonsense"})
    CHECK(sheetOf(none).name == "t4");
}

TEST_CASE("sheet: numbers that a driver does not tell are those of the architecture") {
  GpuSheet known;
  known.name = "NVIDIA A100-PCIE-40GB";
  known.arch = "sm_80";
  known.sms = 54;
  known.busBits = 5120; // without the memory's clock
  const GpuSheet all = completed(known), a100 = sheetOf("sm_80");
  CHECK(all.name == known.name);
  CHECK(all.sms == 54);
  CHECK(all.clockGHz == a100.clockGHz);
  CHECK(all.memoryClockGHz == a100.memoryClockGHz);
  CHECK(all.l2Bytes == a100.l2Bytes);
  CHECK(all.sm.threads == a100.sm.threads);
  CHECK(all.sm.l1Bytes == a100.sm.l1Bytes);
  known.memoryClockGHz = 1.215;
  CHECK(completed(known).memoryClockGHz == 1.215);
}

TEST_CASE("sheet: planning for an architecture uses its GPU's own model or says whose") {
  for (const char *arch : {"sm_75", "sm_80", "sm_86", "sm_89", "sm_100", "sm_120"}) {
    const GpuModel gpu = llvm::cantFail(modelForArch(arch));
    CHECK(gpu.arch == arch);
    CHECK(gpu.name == sheetOf(arch).name);
    CHECK(gpu.isScaled == !gpu.ratesFrom.empty());
    CHECK(gpu.dramGBs < peakOf(arch));
  }
  CHECK(llvm::cantFail(modelForArch("sm_90")).name == "h200"); // which was measured
  for (const char *nonsense : {"", "foo", "compute_90", "sm_", "sm_-5", "sm_x", " sm_90"}) {
    CAPTURE(nonsense);
    auto gpu = modelForArch(nonsense);
    REQUIRE_FALSE(static_cast<bool>(gpu));
    CHECK(describe(gpu.takeError()).first == Status::badCall);
  }
}
