// Tests that the tables of the built-in models equal the models, except for fields on which no
// choice depends.
#include "runtime/plan/planning_model.h"

#include <doctest/doctest.h>

using namespace specmv;

TEST_CASE("a built-in model as a table is the one that is read from JSON") {
  for (const char *device : {"NVIDIA H200", "NVIDIA H100 80GB HBM3"}) {
    CAPTURE(device);
    GpuInfo info;
    info.name = device;
    const GpuModel shipped = llvm::cantFail(loadGpuModel(builtInModelOf(device)));
    info.arch = shipped.arch;
    info.sms = static_cast<int>(shipped.sms);
    info.threadsPerSm = static_cast<int>(shipped.threadsPerSm);
    info.l2Bytes = shipped.l2Bytes;
    info.sharedBytesPerBlock = shipped.sharedBytesPerBlock;
    const SharedModel flat = llvm::cantFail(modelOf(info, ModelParts::ofChoices));
    const SharedModel whole = llvm::cantFail(modelOf(info));
    CHECK(flat.digest() == digestOf(whole));
    CHECK(flat.digest() == digestOf(flat));
    CHECK(flat->name == whole->name);
    CHECK(flat->arch == whole->arch);
    CHECK(flat->ratesFrom == whole->ratesFrom);
    CHECK(flat->isScaled == whole->isScaled);
    CHECK_FALSE(flat->benchmarks);
    CHECK(whole->benchmarks);
    CHECK(whole->curves);
  }
}

TEST_CASE("plans share the model of a device") {
  const MachineRequest request{.usesOwnModels = false, .modelParts = ModelParts::ofChoices};
  GpuInfo info;
  info.name = "NVIDIA H200";
  info.arch = "sm_90", info.sms = 100, info.threadsPerSm = 2048, info.l2Bytes = 1 << 20;
  info.sharedBytesPerBlock = 100'000;
  const SharedModel first = llvm::cantFail(modelToPlanFor(request, &info));
  CHECK(first->sms == 100);
  CHECK(first->sharedBytesPerBlock == 100'000);
  CHECK(llvm::cantFail(modelToPlanFor(request, &info)).operator->() == first.operator->());
  info.sms = 99; // another device
  CHECK(llvm::cantFail(modelToPlanFor(request, &info))->sms == 99);
}
