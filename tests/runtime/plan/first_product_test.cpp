// Tests the first product: which kernel and arrays it uses, and its calls of the driver and the
// compiler, which are the tests' own.
#include "runtime/plan/specialize.h"

#include "generator/setup/packing.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/plan/sources.h"
#include "tests/runtime/cuda/fake_driver.h"
#include "tests/runtime/plan/specialize_testing.h"

using namespace specmv;
using namespace specmv::testing;

namespace {

// A 3 x 4 matrix with an empty row.
template <class Index> struct Small {
  std::vector<Index> rowPtr{0, 2, 2, 4}, col{3, 0, 1, 2};
  std::vector<double> val{1, 2, 3, 4};

  CsrView view() const {
    return {3,
            4,
            4,
            sizeof(Index) == 4 ? IndexType::i32 : IndexType::i64,
            ValueType::f64,
            rowPtr.data(),
            col.data(),
            val.data()};
  }
};

Machine fakeMachine() { return llvm::cantFail(Machine::find({.target = Target::gpu})); }

// The arrays are on the fake GPU, whose memory is the host's.
template <class Index> SourceMatrix onFakeGpu(const Small<Index> &a, const Machine &machine) {
  return {a.view(), machine.gpu};
}

std::optional<FirstProduct> firstOf(const SourceMatrix &a, Machine &machine) {
  return llvm::cantFail(firstProduct(a, Problem{}, machine));
}

std::vector<double> productOf(const FirstProduct &first) {
  const std::vector<double> x{1, 10, 100, 1000};
  std::vector<double> y(3, 7);
  llvm::cantFail(first.product.run(1, reinterpret_cast<DevicePointer>(x.data()), 0,
                                   reinterpret_cast<DevicePointer>(y.data()), nullptr));
  return y;
}

// Compiles the kernels of csr-merge, including those for packing, and stores them in the cache.
void cacheMerge(Machine &machine) {
  const Small<int32_t> a;
  llvm::cantFail(specialize(onFakeGpu(a, machine), requestOfFormats({"csr-merge"}), machine));
}

// Runs children one after another, with one cache.
void passInTurn(const std::vector<std::string> &children,
                const std::vector<std::pair<std::string, std::string>> &more = {}) {
  const ScratchDirectory cache("specmv-first");
  for (const std::string &child : children) {
    std::vector<std::pair<std::string, std::string>> environment{
        {"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
        {"SPECMV_CACHE_PATH", ""},
        {"SPECMV_STANDARD_PACK", ""},
        {"SPECMV_CACHE_DIR", cache.path()}};
    environment.insert(environment.end(), more.begin(), more.end());
    passesWithFakeGpu(child, environment);
  }
}

} // namespace

TEST_CASE("child: first by cuSPARSE" * doctest::skip()) {
  Machine machine = fakeMachine();
  Small<int32_t> a;
  std::optional<FirstProduct> first;
  const std::string calls = fakeCallsOf([&] { first = firstOf(onFakeGpu(a, machine), machine); });
  REQUIRE(first);
  CHECK(first->plan.text() == "cusparse-csr offset=32 column=32");
  CHECK(countOf("cuLaunchKernel", calls) == 0);
  CHECK(countOf("cuMemcpyDtoH_v2", calls) == 0);
  CHECK(countOf("cuMemAlloc_v2", calls) == 1); // cuSPARSE's workspace
  CHECK(productOf(*first) == std::vector<double>{1002, 0, 430});
  a.val[0] = 5; // it reads the arrays themselves
  CHECK(productOf(*first) == std::vector<double>{5002, 0, 430});
  CHECK(first->product.deviceBytes() == 16);
  CHECK_FALSE(nvrtcIsLoaded());

  const Small<int64_t> wide;
  first = firstOf(onFakeGpu(wide, machine), machine);
  REQUIRE(first);
  CHECK(first->plan.text() == "cusparse-csr offset=64 column=64");
  CHECK(productOf(*first) == std::vector<double>{1002, 0, 430});
}

TEST_CASE("where no kernel is cached, the first product is cuSPARSE's on the arrays as they are") {
  passInTurn({"child: first by cuSPARSE"}, {{"SPECMV_FAKE_CUSPARSE", "1"}});
}

TEST_CASE("child: first of arrays on the host" * doctest::skip()) {
  Machine machine = fakeMachine();
  std::optional<FirstProduct> first;
  Small<int32_t> a;
  first = firstOf(SourceMatrix(a.view()), machine);
  a.val.assign(4, 0); // it has copies, which it keeps
  REQUIRE(first);
  CHECK(productOf(*first) == std::vector<double>{1002, 0, 430});
  CHECK(first->matrix.uploadedBytes() == 4 * 4 + 4 * 4 + 4 * 8);

  a.rowPtr.back() = 5;
  auto none = firstProduct(SourceMatrix(a.view()), Problem{}, machine);
  REQUIRE(!none);
  CHECK(describe(none.takeError()).first == Status::badInput);
}

TEST_CASE("arrays on the host are uploaded for the first product, if rowPtr ends where it must") {
  passInTurn({"child: first of arrays on the host"}, {{"SPECMV_FAKE_CUSPARSE", "1"}});
}

TEST_CASE("child: no first product" * doctest::skip()) {
  Machine machine = fakeMachine();
  const Small<int32_t> a;
  CHECK_FALSE(firstOf(onFakeGpu(a, machine), machine));
  CHECK_FALSE(nvrtcIsLoaded());
}

TEST_CASE("child: no first product of a matrix without entries" * doctest::skip()) {
  Machine machine = fakeMachine();
  Small<int32_t> a;
  CsrView view = a.view();
  a.rowPtr.assign(4, 0);
  view.nnz = 0;
  CHECK_FALSE(firstOf(SourceMatrix(view, machine.gpu), machine));
}

TEST_CASE("without kernels and cuSPARSE there is no first product") {
  passInTurn({"child: no first product"});
  passInTurn({"child: no first product of a matrix without entries"},
             {{"SPECMV_FAKE_CUSPARSE", "1"}});
}

TEST_CASE("child: csr-merge is compiled" * doctest::skip()) {
  Machine machine = fakeMachine();
  cacheMerge(machine);
}

TEST_CASE("child: first by csr-merge" * doctest::skip()) {
  Machine machine = fakeMachine();
  const Small<int32_t> a;
  std::optional<FirstProduct> first;
  const std::string calls = fakeCallsOf([&] { first = firstOf(onFakeGpu(a, machine), machine); });
  REQUIRE(first);
  CHECK(first->plan.text() == "csr-merge merge.items=7 merge.threads=256 offset=32 column=32");
  CHECK_FALSE(nvrtcIsLoaded());
  CHECK(countOf("cuModuleLoadData", calls) == 2);
  CHECK(countOf("cuLaunchKernel", calls) == 2); // what is made from rowPtr, and no copy
  CHECK(countOf("cuMemcpyDtoH_v2", calls) + countOf("cuMemcpyDtoHAsync_v2", calls) == 0);
  // One block: its paths, the rows of its warps, the open rows, and the working memory.
  CHECK(first->product.deviceBytes() == 256 * 2 + 9 * 4 + 2 * 2 * 4 + 2 * 8 + 4);
  const std::vector<double> y = productOf(*first);
  CHECK(y == std::vector<double>(3, 7)); // the fake GPU's kernels do nothing

  // Kernels for 64-bit columns are not available, and neither is cuSPARSE.
  const Small<int64_t> wide;
  CHECK_FALSE(firstOf(onFakeGpu(wide, machine), machine));
  // A matrix without entries needs no address of columns and values.
  CsrView none = a.view();
  const std::vector<int32_t> zeros(4, 0);
  none.rowPtr = zeros.data(), none.col = none.val = nullptr, none.nnz = 0;
  first = firstOf(SourceMatrix(none, machine.gpu), machine);
  CHECK(first);
}

TEST_CASE(
    "a process that finds csr-merge in the cache multiplies by it first, and copies nothing") {
  passInTurn({"child: csr-merge is compiled", "child: first by csr-merge"});
}

TEST_CASE("child: few products" * doctest::skip()) {
  Machine machine = fakeMachine();
  const Small<int32_t> a;
  const SourceMatrix matrix = onFakeGpu(a, machine);
  const auto planFor = [&](int64_t products, Request request = {}) {
    request.expectedProducts = products;
    return planWithoutProfile(matrix.deviceCsr(), request, machine);
  };
  REQUIRE(planFor(1));
  CHECK(planFor(1)->text() == "csr-merge merge.items=7 merge.threads=256 offset=32 column=32");
  CHECK_FALSE(planFor(0)); // unknown
  CHECK_FALSE(planFor(int64_t{1} << 60));
  CHECK_FALSE(planFor(1, requestOfFormats({"csr-merge"}))); // whose numbers the profile chooses
  Request measuring;
  measuring.rigor = Rigor::measure;
  CHECK_FALSE(planFor(1, measuring));
  Request narrow; // whose kernels are not there
  narrow.problem.type = ValueType::f32;
  CHECK_FALSE(planFor(1, narrow));
  machine.gpu.reset();
  CHECK_FALSE(planFor(1)); // its kernel is asked for
  machine.hostKernels = HostKernels::none;
  CHECK(planFor(1));
  CHECK(planFor(1, narrow));
  CHECK_FALSE(planFor(int64_t{1} << 60));
  machine.onlyPacks = true;
  CHECK_FALSE(planFor(1));
}

TEST_CASE("for few products csr-merge needs no profile, if its kernels are at hand") {
  passInTurn({"child: csr-merge is compiled", "child: few products"});
}

TEST_CASE("plans in place read indices of the arrays' type, and grow with the matrix") {
  const Format &merge = *findFormat("csr-merge");
  const DeviceCsr small{{1000, 1000, 5000}, IndexType::i32, ValueType::f64};
  const DeviceCsr large{{1000000, 1000000, 5000000}, IndexType::i64, ValueType::f64};
  const auto textOf = [&](const DeviceCsr &csr) {
    return merge.inPlace->plans(csr, h200()).front().text();
  };
  CHECK(textOf(small) == "csr-merge merge.items=7 merge.threads=256 offset=32 column=32");
  CHECK(textOf(large) == "csr-merge merge.items=15 merge.threads=256 offset=32 column=64");
}
