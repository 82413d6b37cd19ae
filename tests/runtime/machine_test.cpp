// Tests the GPU model of a device: its own, or one that is borrowed and scaled by the driver's
// data.
#include "runtime/machine.h"
#include "runtime/plan/planning_model.h"

#include "models/gpus/borrow.h"
#include "tests/runtime/cuda/fake_driver.h"

using namespace specmv;

namespace {

// The driver's data for an A100.
GpuInfo a100() {
  GpuInfo info;
  info.name = "NVIDIA A100-SXM4-80GB";
  info.arch = "sm_80";
  info.sms = 108, info.threadsPerSm = 2048;
  info.clockKHz = 1410000, info.memoryClockKHz = 1593000, info.busBits = 5120;
  info.l2Bytes = 40 << 20;
  info.sharedBytesPerBlock = 163 << 10;
  return info;
}

} // namespace

TEST_CASE("machine: a device without a model is scaled by what its driver tells") {
  const GpuModel expected = llvm::cantFail(borrowedModel(sheetOf("sm_80")));
  const GpuModel told = llvm::cantFail(modelOf(a100()));
  CHECK(told.name == "NVIDIA A100-SXM4-80GB");
  CHECK(told.ratesFrom == expected.ratesFrom);
  CHECK(digestOf(told) == digestOf(expected));
  GpuInfo slower = a100();
  slower.memoryClockKHz /= 2;
  CHECK(llvm::cantFail(modelOf(slower))->dramGBs == doctest::Approx(expected.dramGBs / 2));
}

TEST_CASE("machine: what the driver does not tell, the data sheet of the architecture does") {
  GpuInfo silent = a100();
  silent.clockKHz = silent.memoryClockKHz = silent.busBits = 0;
  CHECK(digestOf(llvm::cantFail(modelOf(silent))) == digestOf(llvm::cantFail(modelOf(a100()))));
}

TEST_CASE("machine: a device with a model has its rates as they are") {
  GpuInfo info = a100();
  info.name = "NVIDIA H200 NVL";
  const GpuModel model = llvm::cantFail(modelOf(info)), h200 = llvm::cantFail(loadGpuModel("h200"));
  CHECK(model.name == "h200");
  CHECK(model.ratesFrom.empty());
  CHECK(model.dramGBs == h200.dramGBs);
  CHECK(model.chainNs == h200.chainNs);
  CHECK(model.sms == 108);
}

TEST_CASE("machine: models are named by what tells devices apart") {
  const std::pair<const char *, const char *> names[] = {
      {"NVIDIA H100 80GB HBM3", "h100"}, {"NVIDIA H200", "h200"},
      {"NVIDIA A100-SXM4-80GB", "a100"}, {"Tesla T4", "t4"},
      {"NVIDIA L40S", "l40s"},           {"NVIDIA GeForce RTX 4090", "rtx4090"},
      {"NVIDIA RTX A6000", "a6000"},     {"NVIDIA GH200 480GB", "gh200"},
      {"NVIDIA TITAN V", "titanv"},      {"", ""}};
  for (const auto &[device, name] : names)
    CHECK(modelNameOf(device) == name);
  CHECK(builtInModelOf("NVIDIA H200 NVL") == "h200");
  CHECK(builtInModelOf("NVIDIA GH200 480GB").empty());
}

TEST_CASE("machine: without a device, the architecture or the name decides on the model") {
  const auto modelFor = [](const std::string &arch, const std::string &gpu) {
    return llvm::cantFail(
               Machine::find({.target = Target::host, .device = 0, .gpuModel = gpu, .arch = arch}))
        .model;
  };
  CHECK(modelFor("", "")->name == "h200");
  CHECK(modelFor("sm_80", "")->name == "a100");
  CHECK(modelFor("sm_80", "")->isScaled);
  CHECK(modelFor("sm_90a", "")->name == "h200"); // the same architecture
  CHECK(modelFor("", "a100").digest() == modelFor("sm_80", "").digest());
  CHECK(modelFor("sm_90", "h200").digest() == modelFor("", "").digest());
  // Blocks have the shared memory of the architecture, whatever GPU predicts.
  const SharedModel named = modelFor("sm_89", "h200");
  CHECK(named->name == "h200");
  CHECK(named->sharedBytesPerBlock == sheetOf("sm_89").sm.sharedBytesPerBlock);
}

TEST_CASE("child: the fake driver's device" * doctest::skip()) {
  const Machine machine = llvm::cantFail(Machine::find({.target = Target::gpu}));
  CHECK(machine.gpu->info().clockKHz == 0);
  CHECK(withClocks(machine.gpu->info()).clockKHz == 990000);
  CHECK(withClocks(machine.gpu->info()).memoryClockKHz == 0);
  CHECK(machine.model->name == "NVIDIA GH200 480GB");
  CHECK(machine.model->isScaled);
  CHECK(machine.model->singleRate == 0.99);
  CHECK(machine.model->memoryClockGHz == sheetOf("sm_90").memoryClockGHz);
}

TEST_CASE("machine: clocks are the driver's") {
  passesWithFakeGpu("child: the fake driver's device",
                    {{"SPECMV_FAKE_NAME", "NVIDIA GH200 480GB"}, {"SPECMV_FAKE_CLOCK", "990000"}});
}
