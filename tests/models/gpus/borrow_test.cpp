// Tests of borrowed models: which number is scaled by which ratio, against figures worked out by
// hand, and which model is the lender.
#include "models/gpus/borrow.h"

#include "models/gpus/write.h"

#include "llvm/ADT/StringRef.h"

#include <doctest/doctest.h>

using namespace specmv;
using doctest::Approx;

namespace {

GpuModel ofH200() { return llvm::cantFail(loadGpuModel("h200")); }

// The H200's own data sheet.
GpuSheet sheetOfH200() {
  return {.name = "h200",
          .arch = "sm_90",
          .sms = 132,
          .clockGHz = 1.98,
          .busBits = 6144,
          .memoryClockGHz = 3.125,
          .l2Bytes = 60 << 20,
          .pcieGBs = 64,
          .sm = sheetOf("sm_90").sm};
}

GpuModel model(const char *arch, double memoryClockGHz, const char *ratesFrom = "") {
  GpuModel gpu = ofH200();
  gpu.arch = arch;
  gpu.memoryClockGHz = memoryClockGHz;
  gpu.ratesFrom = ratesFrom;
  return gpu;
}

} // namespace

TEST_CASE("borrow: an A100 has the lender's rates by memory, SMs x clock, clock and L1") {
  const GpuModel a100 = scaledTo(sheetOf("sm_80"), ofH200()), lender = ofH200();
  CHECK(a100.name == "a100");
  CHECK(a100.ratesFrom == "h200");
  CHECK(a100.isScaled);
  // 5120 bits at 1.593 GHz are 2039.04 GB/s, 0.4248 of 4800.
  CHECK(a100.dramGBs == Approx(0.4248 * lender.dramGBs));
  CHECK(a100.dramGBs == Approx(1806.5).epsilon(1e-3));
  // 108 of 132 SMs at 1.41 of 1.98 GHz.
  CHECK(a100.l2GBs == Approx(152.28 / 261.36 * lender.l2GBs));
  CHECK(a100.gatherGBs == Approx(152.28 / 261.36 * lender.gatherGBs));
  CHECK(a100.loadNs == Approx(198. / 141 * lender.loadNs));
  CHECK(a100.chainNs == Approx(198. / 141 * lender.chainNs));
  CHECK(a100.waveNs == Approx(198. / 141 * lender.waveNs));
  CHECK(a100.setup["asItIs.latencyUs"] == Approx(198. / 141 * lender.setup["asItIs.latencyUs"]));
  CHECK(a100.rates["gather.l1Bytes"] == 3 * 192 * 1024 / 4);
  CHECK(a100.rates["gather.l1Entries"] == Approx(0.75 * lender.rates["gather.l1Entries"]));
}

// The least times of kernels take a fixed number of clocks.
static double clocksOf(const std::string &rate) {
  return llvm::StringRef(rate).ends_with(".leastUs") ? 198. / 141 : 1;
}

TEST_CASE("borrow: launches, shares and costs of the host are the lender's") {
  const GpuModel a100 = scaledTo(sheetOf("sm_80"), ofH200()), lender = ofH200();
  CHECK(a100.launchUs == lender.launchUs);
  CHECK(a100.periodUs == lender.periodUs);
  CHECK(a100.dramDelay == lender.dramDelay);
  for (const auto &rate : lender.rates.all())
    if (rate.first.rfind("gather.", 0) != 0 && rate.first != "launch.early")
      CHECK_MESSAGE(a100.rates[rate.first] == Approx(rate.second * clocksOf(rate.first)),
                    rate.first);
  for (const auto &cost : lender.setup.all())
    if (cost.first != "asItIs.latencyUs")
      CHECK_MESSAGE(a100.setup[cost.first] == cost.second, cost.first);
}

TEST_CASE("borrow: launches begin early from sm_90 on, and cost the whole before") {
  REQUIRE(ofH200().rates["launch.early"] < 1);
  CHECK(scaledTo(sheetOf("sm_80"), ofH200()).rates["launch.early"] == 1);
  for (const char *arch : {"sm_90", "sm_100"})
    CHECK(scaledTo(sheetOf(arch), ofH200()).rates["launch.early"] ==
          ofH200().rates["launch.early"]);
  const std::string text = llvm::cantFail(borrowedModelText(sheetOf("sm_80"), "a100"));
  CHECK(sourceIn(*llvm::cantFail(llvm::json::parse(text)).getAsObject(), "rates.launch.early") ==
        "no kernel begins early on GPUs before sm_90");
}

TEST_CASE("borrow: what the sheet tells is the GPU's own") {
  const GpuModel a100 = scaledTo(sheetOf("sm_80"), ofH200());
  CHECK(a100.arch == "sm_80");
  CHECK(a100.sms == 108);
  CHECK(a100.threadsPerSm == 2048);
  CHECK(a100.warpsPerSm == 64);
  CHECK(a100.cores == 6912);
  CHECK(a100.l2Bytes == 40 << 20);
  CHECK(a100.sharedBytesPerBlock == 163 << 10);
  CHECK(a100.busBits == 5120);
  CHECK(a100.memoryClockGHz == 1.593);
  CHECK(a100.pcieGBs == 32);
  CHECK(a100.singleRate == 1.41);
  CHECK(a100.doubleRate == 1.41 / 2);
}

TEST_CASE("borrow: a GPU like the lender has its model, and another one another digest") {
  CHECK(digestOf(scaledTo(sheetOfH200(), ofH200())) == digestOf(ofH200()));
  CHECK(digestOf(scaledTo(sheetOf("sm_80"), ofH200())) != digestOf(ofH200()));
  GpuSheet slower = sheetOfH200();
  slower.clockGHz = 1.785;
  CHECK(digestOf(scaledTo(slower, ofH200())) != digestOf(ofH200()));
}

TEST_CASE("borrow: the nearest lender has the architecture, else the nearest memory") {
  const GpuSheet a100 = sheetOf("sm_80"); // 1.593 GHz
  const auto lenderOf = [&](std::vector<GpuModel> models) {
    const GpuModel *lender = nearestLender(models, a100);
    return lender ? lender - models.data() : -1;
  };
  CHECK(lenderOf({model("sm_90", 1.5), model("sm_80", 9)}) == 1);
  CHECK(lenderOf({model("sm_80", 9), model("sm_80", 1)}) == 1);
  CHECK(lenderOf({model("sm_90", 3), model("sm_89", 0.2)}) == 0); // by the ratio
  CHECK(lenderOf({model("sm_80", 1.593, "h200"), model("sm_90", 9)}) == 1);
  CHECK(lenderOf({model("sm_80", 1.593, "h200")}) == -1);
}

TEST_CASE("borrow: no model lends that has its rates from another") {
  const GpuModel gt645m = llvm::cantFail(loadGpuModel("gt645m"));
  CHECK(gt645m.ratesFrom == "h200");
  CHECK_FALSE(gt645m.isScaled);
  CHECK(ofH200().ratesFrom.empty());
  GpuSheet like = sheetOf("sm_75");
  like.arch = gt645m.arch;
  like.busBits = gt645m.busBits;
  like.memoryClockGHz = gt645m.memoryClockGHz;
  CHECK(llvm::cantFail(borrowedModel(like)).ratesFrom != "gt645m");
}

TEST_CASE("borrow: who borrows says so with the numbers, and nobody else") {
  CHECK(borrowingText(scaledTo(sheetOf("sm_80"), ofH200())) ==
        "no rates were measured on a100: predictions use those of h200, scaled to 108 SMs, 1.41 "
        "GHz and 2039 GB/s");
  CHECK(borrowingText(ofH200()) == "");
  CHECK(borrowingText(llvm::cantFail(loadGpuModel("gt645m"))) == "");
}

TEST_CASE("a borrowed model is written with the source of every number, and reads back as it is") {
  GpuSheet told{.name = "NVIDIA H100 80GB HBM3",
                .arch = "sm_90",
                .sms = 132,
                .clockGHz = 1.98,
                .l2Bytes = 50 << 20,
                .sm = {}};
  const std::string text = llvm::cantFail(borrowedModelText(told, "h100"));
  const GpuModel model = llvm::cantFail(parseGpuModel(text, "x"));
  CHECK(model.name == "h100");
  CHECK(digestOf(model) == digestOf(llvm::cantFail(borrowedModel(completed(told)))));
  const auto json = llvm::cantFail(llvm::json::parse(text));
  const auto sourceOf = [&](const char *path) { return sourceIn(*json.getAsObject(), path); };
  CHECK(sourceOf("sms") == "told by the driver of NVIDIA H100 80GB HBM3");
  CHECK(sourceOf("busBits") == "data sheet of the h100, which stands for sm_90");
  CHECK(sourceOf("cores") == "derived: SMs x cores of one, as of the h100");
  CHECK(sourceOf("dramGBs").find("borrowed, not measured here: h100's x ") == 0);
  CHECK(sourceOf("dramGBs").find(", by the peak rates of the memories; there specmv calibrate") !=
        std::string::npos);
  CHECK(sourceOf("rates.gather.l1Bytes").find("x 1.000, by the sizes of L1") != std::string::npos);
  CHECK(sourceOf("dramDelay").find("borrowed, not measured here: h100's; there specmv calibrate") ==
        0);
  CHECK(sourceOf("setup.asItIs.latencyUs").find(", by the clocks; there ") != std::string::npos);
  CHECK(sourceOf("noSuchNumber").empty());
}
