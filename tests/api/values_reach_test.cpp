// Tests that new values reach whatever multiplies later: a kernel that is still being compiled, and
// the plans of SpMVOp and SpMVGeneric, which hold what they derived from the old values.
#include "tests/api/recode_testing.h"
#include "tests/api/start_testing.h"

#include <bit>

using namespace apitest;

namespace {

// The eight bytes of each of the first arguments of a product, as far as every kernel has them.
bool isArgument(double value) {
  const auto *arguments = ofFakeDriver<uint64_t>("fakeArguments");
  const int count = *ofFakeDriver<int>("fakeArgumentCount");
  return std::find(arguments, arguments + count, std::bit_cast<uint64_t>(value)) !=
         arguments + count;
}

const std::string kOnes =
    "dia dia.rows=1 holes=0 block=256 offset=32 column=32 dia.offsets=[-1,0,1] values=ones";

bool isSpecialized(specmvPlan_t plan) {
  return jsonOf(plan).find(R"("are":"specialized")") != std::string::npos;
}

} // namespace

TEST_CASE("child: new values while the plan's kernel is compiled" * doctest::skip()) {
  auto a = tridiagonal(40);
  a.val.assign(a.val.size(), 2);
  *ofFakeDriver<int>("fakeArgumentCount") = 8;
  specmvPlanOptions_t options = coded(SPECMV_TARGET_GPU, kOnes);
  options.csrOutlivesPlan = 1;
  options.vectorsOnGpu = 1;
  options.kernels = SPECMV_KERNELS_GENERAL;
  { const Plan first(a, options); } // the general kernel is now in the cache
  setenv("SPECMV_FAKE_NVRTC_GATE", std::getenv("SPECMV_TEST_GATE"), 1);
  options.kernels = SPECMV_KERNELS_BOTH;
  options.improves = 1;
  const Plan plan(a, options);
  const auto multiply = [&] {
    const std::vector<double> x(40, 7);
    std::vector<double> y(40, 5);
    const double alpha = 11, beta = 13;
    CHECK(specmvExecute(plan, &alpha, x.data(), &beta, y.data(), kStream) == SPECMV_STATUS_SUCCESS);
  };
  multiply();
  CHECK_FALSE(isSpecialized(plan));
  CHECK(isArgument(2));
  CHECK(updates(plan, std::vector<double>(a.val.size(), 3)));
  multiply();
  CHECK_FALSE(isSpecialized(plan));
  CHECK(isArgument(3));
  openGate();
  for (int i = 0; i < 20000 && !isSpecialized(plan); ++i)
    sleepFor(1000);
  REQUIRE(isSpecialized(plan));
  multiply();
  CHECK(isArgument(3));
  CHECK_FALSE(isArgument(2));
}

TEST_CASE("new values reach a kernel that was being compiled when they came") {
  const ScratchDirectory gate("specmv-gate");
  passesOnFakeGpu("child: new values while the plan's kernel is compiled",
                  {{"SPECMV_TEST_GATE", gate.path() + "/open"}});
}

// Returns a number of the fake of the newest cuSPARSE, which must be open.
static int &ofNewestCusparse(const char *name) {
  void *library =
      dlopen(SPECMV_FAKE_NEWEST "/lib64/libcusparse.so.12", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  REQUIRE(library);
  auto *number = static_cast<int *>(dlsym(library, name));
  REQUIRE(number);
  return *number;
}

TEST_CASE("child: experimental products of cuSPARSE" * doctest::skip()) {
  auto a = randomCsr<int32_t, double>(50, 40, 5);
  for (const char *format :
       {"cusparse-op", "cusparse-op1", "cusparse-generic", "cusparse-generic1", "cusparse-csr"})
    for (const int scratchPerStream : {0, 1}) {
      CAPTURE(std::string(format));
      CAPTURE(scratchPerStream);
      specmvPlanOptions_t options = gpuOptions(format, true);
      options.scratchPerStream = scratchPerStream;
      const Plan plan(a, options);
      REQUIRE(planTextOf(plan).rfind(format, 0) == 0);
      if (format == std::string("cusparse-generic"))
        CHECK(ofNewestCusparse("fakeGenericAlgorithm") == 0);
      if (format == std::string("cusparse-generic1"))
        CHECK(ofNewestCusparse("fakeGenericAlgorithm") == 2); // CUSPARSE_SPMV_CSR_ALG1
      CHECK(multipliesRight(plan, a));
      CHECK(multipliesRight(plan, a, kStream)); // which then has its own product
      for (uint64_t seed = 1; seed < 3; ++seed) {
        a.val = integers<double>(static_cast<int64_t>(a.val.size()), seed);
        CHECK_MESSAGE(updates(plan, a.val), detail());
        CHECK(multipliesRight(plan, a));
        CHECK(multipliesRight(plan, a, kStream));
      }
    }
}

TEST_CASE("new values reach the experimental products of cuSPARSE, of all streams") {
  passesOnFakeGpu("child: experimental products of cuSPARSE",
                  {{"SPECMV_CUDA_HOME", SPECMV_FAKE_NEWEST}});
}

TEST_CASE("child: new values for which cuSPARSE cannot be prepared" * doctest::skip()) {
  auto a = randomCsr<int32_t, double>(50, 40, 5);
  for (const char *format : {"cusparse-op", "cusparse-generic"}) {
    CAPTURE(std::string(format));
    const Plan plan(a, gpuOptions(format, true));
    CHECK(multipliesRight(plan, a));
    a.val = integers<double>(static_cast<int64_t>(a.val.size()), 3);
    ofNewestCusparse("fakePrepareResult") = 2; // CUSPARSE_STATUS_ALLOC_FAILED
    CHECK_FALSE(updates(plan, a.val));
    const std::vector<double> x(40, 1);
    std::vector<double> y(50);
    const double alpha = 1, beta = 0;
    CHECK(specmvExecute(plan, &alpha, x.data(), &beta, y.data(), nullptr) != SPECMV_STATUS_SUCCESS);
    CHECK_MESSAGE(detail().find("call specmvUpdateValues() again") != std::string::npos, detail());
    ofNewestCusparse("fakePrepareResult") = 0;
    CHECK_MESSAGE(updates(plan, a.val), detail());
    CHECK(multipliesRight(plan, a));
  }
}

TEST_CASE("a product of cuSPARSE that could not be prepared for new values is refused") {
  passesOnFakeGpu("child: new values for which cuSPARSE cannot be prepared",
                  {{"SPECMV_CUDA_HOME", SPECMV_FAKE_NEWEST}});
}
