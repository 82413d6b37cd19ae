// Tests a user's GPU models: which of several is used for predictions, on a fake GPU, and the
// faults of a file.
#include "runtime/plan/planning_model.h"

#include "models/base/own_environment.h"
#include "runtime/machine.h"
#include "tests/runtime/cuda/fake_driver.h"
#include "tests/runtime/store/environment.h"
#include "tests/text.h"

#include <filesystem>

using namespace specmv;
using specmv::testing::contains;
namespace fs = std::filesystem;

namespace {

constexpr const char *kDevice = "NVIDIA X100 80GB HBM3";

GpuModel modelFor(const MachineRequest &request) {
  return llvm::cantFail(Machine::find(request)).model;
}

std::string whyNotFound() {
  auto machine = Machine::find({.target = Target::gpu});
  REQUIRE_FALSE(bool(machine));
  const auto [status, sentence] = describe(machine.takeError());
  CHECK(status == Status::badCall);
  return sentence;
}

// The text of a model with a rate that no format reads.
std::string textWithOddRate() {
  std::string text = llvm::cantFail(gpuModelText("h200"));
  const std::string group = "\"csr5\": {";
  return text.insert(text.find(group) + group.size(),
                     R"("odd": {"value": 1, "source": "a test"}, )");
}

} // namespace

TEST_CASE("own models: a file is named by all words of its GPU's name") {
  CHECK(keptModelPath("/c", kDevice) == "/c/models/nvidia-x100-80gb-hbm3.json");
  CHECK(keptModelPath("/c", "NVIDIA A100-SXM4-80GB") == "/c/models/nvidia-a100-sxm4-80gb.json");
  CHECK(keptModelPath("/c", "../Odd (tm)") == "/c/models/odd-tm.json");
}

TEST_CASE("child: models of the user on the fake GPU" * doctest::skip()) {
  const std::string path = keptModelPath(environment("SPECMV_CACHE_DIR"), kDevice);
  CHECK(modelFor({.target = Target::gpu}).name == kDevice); // borrowed
  writeFile(path, llvm::cantFail(gpuModelText("gt645m")));
  const GpuModel kept = modelFor({.target = Target::gpu});
  CHECK(kept.name == "gt645m");
  CHECK(kept.sms == llvm::cantFail(Machine::find({.target = Target::gpu})).gpu->info().sms);
  CHECK(modelFor({.target = Target::gpu, .gpuModel = "h200"}).name == "h200");
  CHECK(modelFor({.target = Target::gpu, .onlyPacks = true}).name == kDevice);
  CHECK(modelFor({.target = Target::gpu, .usesOwnModels = false}).name == kDevice);
  CHECK(modelFor({.target = Target::gpu, .places = {.own = ""}}).name == kDevice);
  CHECK(modelFor({.target = Target::host}).name == "h200"); // it is no model of that GPU
  {
    const Environment named({{std::string("SPECMV_GPU_MODEL"), "h100"}});
    CHECK(modelFor({.target = Target::gpu}).name == "h100");
    CHECK(modelFor({.target = Target::host}).name == "h100");
    CHECK(modelFor({.target = Target::host, .arch = "sm_80"}).name == "a100");
    CHECK(modelFor({.target = Target::gpu, .gpuModel = "h200"}).name == "h200");
  }
  // A former bug: wherever the model came from, each choice by prediction failed, without its path.
  const std::string odd = path + ".odd.json", has = ": the GPU model h200 has a rate 'csr5.odd'";
  writeFile(odd, textWithOddRate());
  writeFile(path, textWithOddRate());
  CHECK(modelFor({.target = Target::gpu}).rates.contains("csr5.odd")); // another version's
  {
    const Environment named({{std::string("SPECMV_GPU_MODEL"), odd}});
    CHECK(contains(whyNotFound(), "SPECMV_GPU_MODEL: " + odd + has));
  }
  auto named = Machine::find({.target = Target::gpu, .gpuModel = odd});
  REQUIRE_FALSE(bool(named));
  const auto [status, sentence] = describe(named.takeError());
  CHECK(status == Status::badInput); // as where there is no such file
  CHECK(sentence.rfind(odd + has, 0) == 0);
  writeFile(path, "{}");
  CHECK(whyNotFound().rfind(path + ": ", 0) == 0);
  fs::permissions(path, fs::perms::others_write, fs::perm_options::add);
  CHECK(contains(whyNotFound(), path));
  fs::remove(path);
  fs::create_symlink("/dev/null", path);
  CHECK(contains(whyNotFound(), path + " is a symbolic link"));
}

TEST_CASE("own models: what is named comes before what is kept, and that before what is built in") {
  const ScratchDirectory cache("specmv-own-models");
  passesWithFakeGpu("child: models of the user on the fake GPU",
                    {{"SPECMV_FAKE_NAME", kDevice},
                     {"SPECMV_CACHE_DIR", cache.path()},
                     {"SPECMV_GPU_MODEL", ""}});
}
