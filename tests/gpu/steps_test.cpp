// Tests the behaviour that steps must have on a GPU in every format: products follow one another on
// the caller's stream, accept other vectors, and formats of a library are used like our own.
#include "runtime/include/specmv.h"
#include "runtime/lab/bench/bench.h"
#include "runtime/lab/yardstick/yardstick.h"
#include "tests/gpu/gpu.h"
#include "tests/text.h"

#include "models/lab/families/families.h"

#include <doctest/doctest.h>

using namespace specmv;

namespace {

// Rows of 1 to 2,000 entries, so that HYB and HCGHYB have a tail.
CsrMatrix uneven() {
  return llvm::cantFail(generateFamily("powerlaw:rows=3000,cols=3000,avg=8,max=2000"));
}

// Builds the first plan of each format that accepts the matrix, and reports the formats that this
// machine lacks.
std::vector<Built> builtFormats(const CsrMatrix &a, Machine &machine) {
  const SparsityProfile seen = profile(a.view());
  const Problem problem;
  const Fixed none, zeroCopy{{"qcsr.zerocopy", 1}};
  std::vector<Offer> all = llvm::cantFail(offers({seen, problem, machine.model, none}, {}));
  all.push_back(llvm::cantFail(offers({seen, problem, machine.model, zeroCopy}, {"qcsr"})).at(0));
  std::vector<Built> out;
  for (Offer &offer : all) {
    if (offer.plans.empty())
      continue;
    auto built = build(a.view(), offer.plans.front(), problem, machine);
    if (built)
      out.push_back(std::move(*built));
    else
      MESSAGE("skipped ", std::string(offer.format->name), ": ",
              describe(built.takeError()).second);
  }
  return out;
}

std::vector<double> integers(int64_t count, int64_t seed) {
  std::vector<double> out;
  for (int64_t i = 0; i < count; ++i)
    out.push_back(static_cast<double>((i * 7 + seed) % 13 - 6));
  return out;
}

// Returns A with small integers as values, so that every sum is exact.
CsrMatrix withIntegers(CsrMatrix a, int64_t seed) {
  a.val = integers(a.nnz(), seed);
  return a;
}

std::vector<double> timesOnHost(const CsrMatrix &a, const std::vector<double> &x) {
  std::vector<double> y(static_cast<size_t>(a.rows));
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
      y[i] += a.val[e] * x[a.col[e]];
  return y;
}

DeviceBuffer uploaded(const Machine &machine, const std::vector<double> &values) {
  return llvm::cantFail(machine.gpu->uploaded(values.data(), values.size() * sizeof(double)));
}

std::vector<double> downloaded(const Machine &machine, const DeviceBuffer &from) {
  std::vector<double> out(from.bytes() / sizeof(double));
  llvm::cantFail(machine.gpu->download(out.data(), from.pointer(), from.bytes()));
  return out;
}

} // namespace

TEST_CASE("products follow one another on a stream, each done before what comes behind it") {
  Machine machine = gpuMachine();
  const CsrMatrix a = withIntegers(uneven(), 1);
  const std::vector<double> x1 = integers(a.cols, 2), x2 = integers(a.cols, 5);
  const std::vector<double> want1 = timesOnHost(a, x1), want2 = timesOnHost(a, x2);
  const DeviceBuffer dx1 = uploaded(machine, x1), dx2 = uploaded(machine, x2);
  for (const Built &built : builtFormats(a, machine))
    for (void *stream : {static_cast<void *>(nullptr), kPerThreadStream}) {
      CAPTURE(built.plan.format);
      const DeviceBuffer y = uploaded(machine, want2), kept = uploaded(machine, want2);
      for (int round = 0; round < 10; ++round) {
        llvm::cantFail(built.product->run(1, dx1.pointer(), 0, y.pointer(), stream));
        llvm::cantFail(machine.gpu->copy(kept.pointer(), y.pointer(), y.bytes(), stream));
        llvm::cantFail(built.product->run(1, dx2.pointer(), 0, y.pointer(), stream));
        // y = 2 A x1 + 3 y, after the product that made y.
        llvm::cantFail(built.product->run(2, dx1.pointer(), 3, y.pointer(), stream));
      }
      llvm::cantFail(machine.gpu->synchronize(stream));
      CHECK(downloaded(machine, kept) == want1);
      std::vector<double> want = want2;
      for (size_t i = 0; i < want.size(); ++i)
        want[i] = 2 * want1[i] + 3 * want2[i];
      CHECK(downloaded(machine, y) == want);
    }
}

TEST_CASE("a product can be moved and keeps what it holds") {
  Machine machine = gpuMachine();
  const CsrMatrix a = withIntegers(uneven(), 1);
  const std::vector<double> x = integers(a.cols, 3);
  const DeviceBuffer dx = uploaded(machine, x), y = uploaded(machine, x);
  for (Built &built : builtFormats(a, machine)) {
    CAPTURE(built.plan.format);
    GpuProduct moved = std::move(*built.product);
    llvm::cantFail(moved.run(1, dx.pointer(), 0, y.pointer(), nullptr));
    llvm::cantFail(machine.gpu->synchronize(nullptr));
    CHECK(downloaded(machine, y) == timesOnHost(a, x));
    CHECK((moved.deviceBytes() > 0) == !built.layout.zeroCopy);
  }
}

TEST_CASE("the bench has a right and timed line for cuSPARSE, and chooses what may be chosen") {
  Machine machine = gpuMachine();
  machine.cache = Cache({}, "");
  const CsrMatrix a = llvm::cantFail(generateFamily("blocks:b=3,k=9,band=50,rows=3000"));
  const MatrixBench bench = llvm::cantFail(benchMatrix(a.view(), {}, machine, 4000));
  for (const std::string &format : cusparseFormats()) {
    CAPTURE(format);
    const BenchLine *line = bench.find(format);
    if (testing::isExperimental(format) && !line)
      continue;
    REQUIRE(line);
    CHECK(line->verified);
    CHECK(line->setup.build.load > 0);
    CHECK(line->setup.build.compile == 0);
    CHECK(line->prepareUs > 0);
    CHECK((line->replay.us > 0) != !line->replay.why.empty());
    if (findFormat(format)->isDeterministic)
      CHECK(line->deterministic);
  }
  REQUIRE(bench.cusparseBest());
  REQUIRE(bench.chosen());
  CHECK(whyNotByItself(*findFormat(bench.chosen()->format)) == "");
}

TEST_CASE("a format of cuSPARSE that is named is used through the C API") {
  const CsrMatrix a = withIntegers(uneven(), 1);
  const Machine machine = gpuMachine();
  specmvMatrix_t matrix = nullptr;
  REQUIRE(specmvCreateCsr(&matrix, a.rows, a.cols, a.nnz(), a.rowPtr.data(), a.col.data(),
                          a.val.data(), SPECMV_INDEX_32I, SPECMV_R_64F) == SPECMV_STATUS_SUCCESS);
  specmvPlanOptions_t options{};
  options.structSize = sizeof options;
  options.target = SPECMV_TARGET_GPU;
  options.formats = "cusparse-csr1";
  specmvPlan_t plan = nullptr;
  const specmvStatus_t made = specmvCreatePlan(&plan, matrix, &options);
  REQUIRE_MESSAGE(made == SPECMV_STATUS_SUCCESS, specmvGetLastErrorDetail());
  specmvDestroyMatrix(matrix);
  const char *text = nullptr;
  CHECK(specmvGetPlanText(plan, &text) == SPECMV_STATUS_SUCCESS);
  CHECK(std::string(text) == "cusparse-csr1 offset=32 column=32");
  const std::vector<double> x = integers(a.cols, 3);
  const DeviceBuffer dx = uploaded(machine, x), y = uploaded(machine, x);
  const double alpha = 1, beta = 0;
  REQUIRE(specmvExecute(plan, &alpha, reinterpret_cast<void *>(dx.pointer()), &beta,
                        reinterpret_cast<void *>(y.pointer()),
                        kPerThreadStream) == SPECMV_STATUS_SUCCESS);
  llvm::cantFail(machine.gpu->synchronize(kPerThreadStream));
  CHECK(downloaded(machine, y) == timesOnHost(a, x));
  specmvDestroyPlan(plan);
}
