// Tests of packs in the C API: which files specmvAddPack() accepts, and plans that may use only
// packs.
#include "tests/api/fused_testing.h"
#include "tests/runtime/child_process.h"
#include "tests/runtime/scratch_directory.h"

#include <cstdlib>
#include <iostream>
#include <thread>

using namespace apitest;

namespace {

// Makes a pack of that name for smallCsr(), with the compiler that answers immediately.
std::string packOfSmallCsr(const std::string &directory) {
  const std::string matrix = directory + "/small.mtx";
  std::string pack = directory + "/small.pack";
  writeFile(matrix, "%%MatrixMarket matrix coordinate real general\n3 4 4\n"
                    "1 4 1\n1 1 2\n3 2 3\n3 3 4\n");
  const std::string call = "SPECMV_CUDA_HOME='" SPECMV_FAKE_TOOLKIT "' '" SPECMV_TOOL
                           "' pregen --quiet --with resultApart -o '" +
                           pack + "' '" + matrix + "' >/dev/null";
  REQUIRE(std::system(call.c_str()) == 0);
  return pack;
}

specmvStatus_t planOfSmallCsr(const specmvPlanOptions_t &options) {
  const Csr<int32_t, double> a = smallCsr();
  const Matrix m(a);
  specmvPlan_t plan = nullptr;
  const specmvStatus_t status = specmvCreatePlan(&plan, m, &options);
  CHECK((plan != nullptr) == (status == SPECMV_STATUS_SUCCESS));
  specmvDestroyPlan(plan);
  return status;
}

} // namespace

TEST_CASE("what is no pack is refused with a sentence") {
  const ScratchDirectory scratch;
  const std::string nonsense = scratch.path() + "/nonsense", absent = scratch.path() + "/absent";
  CHECK(specmvAddPack(nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(specmvAddPack("") == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("path is empty"));
  CHECK(specmvAddPack(absent.c_str()) == SPECMV_STATUS_MISSING);
  CHECK(detailHas(absent + ": No such file or directory"));
  CHECK(specmvAddPack(scratch.path().c_str()) == SPECMV_STATUS_MISSING);
  writeFile(nonsense, "nonsense");
  CHECK(specmvAddPack(nonsense.c_str()) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas(nonsense + " is not a pack"));
  std::filesystem::permissions(nonsense, std::filesystem::perms(0646));
  CHECK(specmvAddPack(nonsense.c_str()) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas(nonsense + " may be written by others (its mode is 0646)"));
}

// The kernel of the step is compiled into the user's cache by another plan, which a plan of packs
// only must not read.
void checkNoStepsFor(specmvPlanOptions_t options) {
  options.compileOnHost = 1;
  const Plan ofPacks(smallCsr(), options);
  options.onlyPacks = 0;
  const Plan ofAll(smallCsr(), options);
  const FusedStep step(ofAll, cgStep());
  specmvFused_t none = nullptr;
  const specmvFusion_t fusion = cgStep();
  CHECK(specmvCreateFused(&none, ofPacks, &fusion) == SPECMV_STATUS_NOT_IN_PACKS);
  CHECK_MESSAGE(detailHas("no pack has the kernels 'fused' for sm_90, and only packs are allowed"),
                detail());
}

// Runs in its own process, since a pack cannot be removed after it was added.
TEST_CASE("child: plans of packs only" * doctest::skip()) {
  specmvPlanOptions_t options = hostOptions();
  options.onlyPacks = 1;
  CHECK(planOfSmallCsr(options) == SPECMV_STATUS_NOT_IN_PACKS);
  CHECK(detailHas("no pack has the kernel of"));
  CHECK(detailHas("specmv pregen"));
  options.operation = SPECMV_OPERATION_TRANSPOSE;
  CHECK(planOfSmallCsr(options) == SPECMV_STATUS_NOT_IN_PACKS);
  CHECK_MESSAGE(detailHas("pass --transpose to pregen"), detail());
  options.operation = SPECMV_OPERATION_NON_TRANSPOSE;
  options.target = SPECMV_TARGET_AUTO; // without a GPU no kernel is needed
  CHECK(planOfSmallCsr(options) == SPECMV_STATUS_SUCCESS);
  options.target = SPECMV_TARGET_HOST;
  options.structSize = offsetof(specmvPlanOptions_t, onlyPacks); // an older caller's structure
  CHECK(planOfSmallCsr(options) == SPECMV_STATUS_SUCCESS);
  options.structSize = sizeof options;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(
        [] { CHECK(specmvAddPack(std::getenv("SPECMV_TESTED_PACK")) == SPECMV_STATUS_SUCCESS); });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(planOfSmallCsr(options) == SPECMV_STATUS_SUCCESS);
  checkNoStepsFor(options);
  options.resultApart = 1; // which the pack was made for, too
  CHECK(planOfSmallCsr(options) == SPECMV_STATUS_SUCCESS);
  options.vectors = 3;
  CHECK(planOfSmallCsr(options) == SPECMV_STATUS_NOT_IN_PACKS);
  CHECK_MESSAGE(detailHas("--vectors 4 --with resultApart"), detail());
}

TEST_CASE("a plan of packs only is refused until a pack has its kernel") {
  const ScratchDirectory scratch;
  const std::string output = scratch.path() + "/output";
  const int status = runAlone("child: plans of packs only",
                              {{"SPECMV_TESTED_PACK", packOfSmallCsr(scratch.path())},
                               {"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                               {"SPECMV_CACHE_DIR", scratch.path() + "/cache"},
                               {"SPECMV_STANDARD_PACK", ""},
                               {"CUDA_VISIBLE_DEVICES", "-1"}},
                              output);
  CHECK_MESSAGE(status == 0, readFile(output));
}
