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

// Calls pregen for plans on the host, with the compiler that answers immediately.
void makePack(const std::string &pack, const std::string &arguments) {
  const std::string call = "SPECMV_CUDA_HOME='" SPECMV_FAKE_TOOLKIT "' '" SPECMV_TOOL
                           "' pregen --quiet --target host -o '" +
                           pack + "' " + arguments + " >/dev/null";
  REQUIRE(std::system(call.c_str()) == 0);
}

// Makes a pack of that name for smallCsr().
std::string packOfSmallCsr(const std::string &directory) {
  const std::string matrix = directory + "/small.mtx";
  std::string pack = directory + "/small.pack";
  writeFile(matrix, "%%MatrixMarket matrix coordinate real general\n3 4 4\n"
                    "1 4 1\n1 1 2\n3 2 3\n3 3 4\n");
  makePack(pack, "'" + matrix + "'");
  return pack;
}

// The 5-point stencil on a grid of n x n points: -1 beside the diagonal, 4 on it.
Csr<int32_t, double> stencil(int32_t n) {
  Csr<int32_t, double> a;
  a.rows = a.cols = n * n;
  for (int32_t i = 0; i < n * n; ++i) {
    for (const int32_t step : {-n, -1, 0, 1, n}) {
      const int32_t j = i + step;
      const bool wraps = (step == -1 && i % n == 0) || (step == 1 && j % n == 0);
      if (j < 0 || j >= n * n || wraps)
        continue;
      a.col.push_back(j);
      a.val.push_back(step == 0 ? 4 : -1);
    }
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  return a;
}

bool planHas(specmvPlan_t plan, const std::string &text) {
  const std::string report = jsonOf(plan);
  INFO(report);
  return report.find(text) != std::string::npos;
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

// Runs a child case with these variables, without a compiler, a GPU, or kernels of the user's.
void passesWithoutCompiler(const char *child, const ScratchDirectory &scratch,
                           std::vector<std::pair<std::string, std::string>> environment) {
  const std::string output = scratch.path() + "/output";
  environment.insert(environment.end(), {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                                         {"SPECMV_CACHE_DIR", scratch.path() + "/cache"},
                                         {"SPECMV_STANDARD_PACK", ""},
                                         {"CUDA_VISIBLE_DEVICES", "-1"}});
  const int status = runAlone(child, environment, output);
  CHECK_MESSAGE(status == 0, readFile(output));
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
  options.resultApart = options.betaIsZero = 1; // which need no kernels of their own
  CHECK(planOfSmallCsr(options) == SPECMV_STATUS_SUCCESS);
  options.vectors = 3;
  CHECK(planOfSmallCsr(options) == SPECMV_STATUS_NOT_IN_PACKS);
  CHECK_MESSAGE(detailHas("--vectors 4"), detail());
}

TEST_CASE("a plan of packs only is refused until a pack has its kernel") {
  const ScratchDirectory scratch;
  passesWithoutCompiler("child: plans of packs only", scratch,
                        {{"SPECMV_TESTED_PACK", packOfSmallCsr(scratch.path())}});
}

// A former bug: packs had kernels for plain values only, and a plan took the slower one without a
// word.
TEST_CASE("child: plans of packs only with coded values" * doctest::skip()) {
  const Csr<int32_t, double> a = stencil(900);
  specmvPlanOptions_t options = hostOptions();
  options.onlyPacks = 1;
  REQUIRE(specmvAddPack(std::getenv("SPECMV_PLAIN_PACK")) == SPECMV_STATUS_SUCCESS);
  const Plan replaced(a, options);
  CHECK(planHas(replaced, R"("chosenBy":"fallback")"));
  CHECK(planHas(replaced, R"("values":"diagonals")")); // of the better plan
  CHECK(planHas(replaced, "replaces dia with values=diagonals, predicted "));
  CHECK(planHas(replaced, "no pack has the kernel of 'dia "));
  REQUIRE(specmvAddPack(std::getenv("SPECMV_CODED_PACK")) == SPECMV_STATUS_SUCCESS);
  for (const int updatable : {0, 1}) {
    options.updatable = updatable;
    const Plan best(a, options);
    CHECK(planHas(best, R"("chosenBy":"predicted")"));
    CHECK(planHas(best, R"("warnings":[])"));
    const std::string text = planTextOf(best);
    CHECK((text.find(" values=diagonals") != std::string::npos) == (updatable == 0));
  }
  options.updatable = 0;
  const Csr<int64_t, double> wide{
      a.rows, a.cols, {a.rowPtr.begin(), a.rowPtr.end()}, {a.col.begin(), a.col.end()}, a.val};
  const Plan ofWide(wide, options);
  CHECK(planHas(ofWide, R"("warnings":[])"));
  CHECK(planTextOf(ofWide).find(" values=diagonals") != std::string::npos);
}

TEST_CASE("a program with only packs finds what pregen makes for its matrix") {
  const ScratchDirectory scratch;
  const std::string coded = scratch.path() + "/coded", plain = scratch.path() + "/plain";
  makePack(coded, "stencil5:n=900");
  makePack(plain, "stencil5:n=900 --set values=plain");
  passesWithoutCompiler("child: plans of packs only with coded values", scratch,
                        {{"SPECMV_PLAIN_PACK", plain}, {"SPECMV_CODED_PACK", coded}});
}
