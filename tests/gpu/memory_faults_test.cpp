// Tests a GPU without memory: each allocation of a sequence of calls fails in turn; and a GPU that
// is full. A call must fail with MISSING or do with less, must work when it is repeated, and must
// keep nothing.
#include "tests/gpu/failing_memory.h"
#include "tests/gpu/faults_testing.h"

#include "generator/format.h"

using namespace specmv;
using namespace specmv::testing;

namespace {

// The calls of one round, in which one allocation fails.
class Round {
public:
  Round(FailingMemory &from, const TriedMatrix &of, const char *format)
      : memory(from), tried(of), context(from.context()),
        options(apitest::gpuOptions(format, true)) {
    options.context = context;
  }
  Round(const Round &) = delete;
  Round &operator=(const Round &) = delete;
  ~Round() {
    specmvDestroyPlan(plan);
    specmvDestroyContext(context);
  }

  // Makes the call, and repeats it with memory if memory failed. Returns false if it cannot
  // succeed.
  template <class F> bool call(const char *name, const F &f) {
    specmvStatus_t status = f();
    if (memory.failures > 0 &&
        (status == SPECMV_STATUS_GPU_MEMORY_FULL || status == SPECMV_STATUS_OUT_OF_MEMORY)) {
      ++refused;
      want(apitest::detailHas("allocator returned null"), name);
      memory.failAt(0);
      status = f();
    }
    const bool isFormats =
        status == SPECMV_STATUS_NOT_APPLICABLE || status == SPECMV_STATUS_MISSING;
    if (isFormats && memory.failures == 0) // the matrix or the library is not for the format
      applies = false;
    else
      want(status == SPECMV_STATUS_SUCCESS, name);
    return status == SPECMV_STATUS_SUCCESS;
  }
  void want(bool isTrue, const std::string &what) {
    if (!isTrue && wrong.empty())
      wrong = what + ": " + apitest::detail();
  }
  bool create() {
    return call("create", [&] { return tried.create(&plan, options); });
  }
  void multiply(void *stream = nullptr) {
    if (call("execute", [&] { return tried.multiply(plan, y, stream); }))
      want(y == tried.ax, "the product");
  }

  FailingMemory &memory;
  const TriedMatrix &tried;
  specmvContext_t context;
  specmvPlanOptions_t options;
  specmvPlan_t plan = nullptr;
  std::vector<double> y;
  int refused = 0;
  bool applies = true;
  std::string wrong;
};

void productsAndUpdate(Round &r) {
  if (!r.create())
    return;
  r.multiply();
  if (r.call("update", [&] { return specmvUpdateValues(r.plan, r.tried.a.val.data(), nullptr); }))
    r.multiply();
}

void onTwoStreams(Round &r) {
  r.options.scratchPerStream = 1;
  if (!r.create())
    return;
  r.multiply();
  r.multiply(kPerThreadStream);
  r.multiply();
}

void severalByColumn(Round &r) {
  constexpr int64_t kCount = 5;
  r.options.vectors = 4;
  if (!r.create())
    return;
  std::vector<double> x, y(kCount * r.tried.ax.size(), -1), want;
  for (int64_t j = 0; j < kCount; ++j) {
    x.insert(x.end(), r.tried.x.begin(), r.tried.x.end());
    want.insert(want.end(), r.tried.ax.begin(), r.tried.ax.end());
  }
  const double one = 1, zero = 0;
  if (r.call("execute several", [&] {
        return specmvExecuteMulti(r.plan, kCount, &one, x.data(), r.tried.a.cols, &zero, y.data(),
                                  r.tried.a.rows, SPECMV_ORDER_COLUMN, nullptr);
      }))
    r.want(y == want, "the product of several");
}

// A failed set-up beside products must leave the first products.
void startAndEnd(Round &r, specmvStatus_t (*end)(specmvPlan_t)) {
  r.options.start = SPECMV_START_NOW;
  if (!r.create())
    return;
  r.multiply();
  const specmvStatus_t status = end(r.plan);
  r.refused += status != SPECMV_STATUS_SUCCESS;
  r.want(status == SPECMV_STATUS_SUCCESS || status == SPECMV_STATUS_GPU_MEMORY_FULL,
         "the end of a start");
  r.multiply();
}
void startAndWait(Round &r) { startAndEnd(r, specmvPlanWait); }
void startAndCancel(Round &r) { startAndEnd(r, specmvPlanCancel); }

void destroyOnStream(Round &r) {
  if (!r.create())
    return;
  r.multiply(kPerThreadStream);
  r.want(specmvDestroyPlanAsync(r.plan, kPerThreadStream) == SPECMV_STATUS_SUCCESS, "destroy");
  r.plan = nullptr;
  r.want(r.memory.isClean(), "memory after a destruction on a stream");
}

void estimateOnly(Round &r) {
  specmvMatrix_t matrix = nullptr;
  const CsrMatrix &a = r.tried.a;
  REQUIRE(specmvCreateCsr(&matrix, a.rows, a.cols, a.nnz(), a.rowPtr.data(), a.col.data(),
                          a.val.data(), SPECMV_INDEX_32I, SPECMV_R_64F) == SPECMV_STATUS_SUCCESS);
  specmvPlanEstimate_t estimate = SPECMV_PLAN_ESTIMATE_INIT;
  if (r.call("estimate", [&] { return specmvEstimatePlan(&estimate, matrix, &r.options); }))
    r.want(estimate.bytes > 0, "the estimate");
  specmvDestroyMatrix(matrix);
}

void transposed(Round &r) {
  r.options.operation = SPECMV_OPERATION_TRANSPOSE;
  if (!r.create())
    return;
  const double one = 1, zero = 0;
  std::vector<double> y(r.tried.atx.size(), -1);
  if (r.call("execute the transpose", [&] {
        return specmvExecute(r.plan, &one, r.tried.xOfRows.data(), &zero, y.data(), nullptr);
      }))
    r.want(y == r.tried.atx, "the transposed product");
}

struct Sequence {
  const char *name;
  void (*run)(Round &);
  bool everyFormat; // else those that the choice takes, and two more
};
constexpr Sequence kSequences[] = {{"products and update", productsAndUpdate, true},
                                   {"several by column", severalByColumn, false},
                                   {"two streams", onTwoStreams, true},
                                   {"start and wait", startAndWait, false},
                                   {"start and cancel", startAndCancel, false},
                                   {"destroy on a stream", destroyOnStream, false},
                                   {"estimate", estimateOnly, false},
                                   {"transpose", transposed, false}};

struct Sum {
  int trials = 0, refused = 0, wrong = 0, sequences = 0;
};

// Runs rounds until one has too few allocations for one to fail.
void tryAll(const Sequence &sequence, const TriedMatrix &tried, const char *format, Sum &sum) {
  const int step = isLongCampaign() ? 1 : 3;
  const std::string name = std::string(sequence.name) + " by " + (format ? format : "the choice");
  bool reaches = true;
  for (int n = 0; reaches; n += n == 0 ? 1 : step) { // first without a failure
    FailingMemory memory;
    std::string wrong;
    {
      memory.failAt(n);
      Round round(memory, tried, format);
      sequence.run(round);
      reaches = round.applies && (n == 0 || memory.failures > 0);
      sum.trials += n > 0 && reaches;
      sum.refused += round.refused;
      wrong = round.wrong;
    }
    if (wrong.empty() && !memory.isClean())
      wrong = std::to_string(memory.live.size()) + " allocations were not given back, " +
              std::to_string(memory.wrong) + " wrongly";
    sum.wrong += !wrong.empty();
    CHECK_MESSAGE(wrong.empty(), name << ", allocation " << n << ": " << wrong);
  }
  ++sum.sequences;
}

} // namespace

TEST_CASE("child: allocations fail in turn" * doctest::skip()) {
  const TriedMatrix tried(trialWithin(300));
  Sum sum;
  for (const Sequence &sequence : kSequences) {
    tryAll(sequence, tried, nullptr, sum);
    if (!sequence.everyFormat)
      for (const char *format : {"csr-vector", "ell,sell,qcsr", "cusparse-csr"})
        tryAll(sequence, tried, format, sum);
    else
      for (const Format &format : formats())
        tryAll(sequence, tried, format.name, sum);
  }
  saw(std::to_string(sum.trials) + " allocations failed in " + std::to_string(sum.sequences) +
      " sequences: " + std::to_string(sum.refused) + " calls refused, " +
      std::to_string(sum.wrong) + " wrong");
}

TEST_CASE("faults: an allocation on the GPU that fails costs one call and no memory") {
  Trials trials("child: allocations fail in turn");
  for (const char *spec : {"stencil9:n=40", "powerlaw:rows=3000,cols=3000,avg=8,max=400",
                           "band:k=9,half=300,rows=4000", "elasticity:n=9"})
    trials.run(spec);
}

TEST_CASE("child: a full GPU" * doctest::skip()) {
  using Allocate = int(uint64_t *, size_t);
  using Free = int(uint64_t);
  trialWithin(120);
  const TriedMatrix small("stencil9:n=40"), large("stencil5:n=1500");
  const auto gpu = gpuMachine().gpu;
  const specmvPlanOptions_t options = apitest::gpuOptions(nullptr, true);
  specmvPlan_t plan = nullptr;
  REQUIRE(small.create(&plan, options) == SPECMV_STATUS_SUCCESS);
  std::vector<uint64_t> filled;
  {
    const GpuDevice::Current current(*gpu);
    for (size_t bytes = size_t{64} << 30; bytes >= size_t{1} << 20; bytes /= 2)
      for (uint64_t at = 0; ofDriver<Allocate>("cuMemAlloc_v2")(&at, bytes) == 0;)
        filled.push_back(at);
  }
  saw("filled by " + std::to_string(filled.size()) + " allocations, " +
      std::to_string(gpu->freeBytes() >> 10) + " KiB are free");
  specmvPlan_t none = nullptr;
  const specmvStatus_t created = saw("create", large.create(&none, options));
  CHECK(created == SPECMV_STATUS_GPU_MEMORY_FULL);
  CHECK(none == nullptr);
  std::vector<double> y;
  const specmvStatus_t multiplied = saw("execute", small.multiply(plan, y));
  CHECK((multiplied == SPECMV_STATUS_GPU_MEMORY_FULL || y == small.ax));
  const specmvStatus_t updated =
      saw("update", specmvUpdateValues(plan, small.a.val.data(), nullptr));
  CHECK((updated == SPECMV_STATUS_GPU_MEMORY_FULL || updated == SPECMV_STATUS_SUCCESS));
  {
    const GpuDevice::Current current(*gpu);
    for (const uint64_t at : filled)
      CHECK(ofDriver<Free>("cuMemFree_v2")(at) == 0);
  }
  CHECK(small.multipliesRight(plan));
  CHECK(specmvUpdateValues(plan, small.a.val.data(), nullptr) == SPECMV_STATUS_SUCCESS);
  CHECK(small.multipliesRight(plan));
  CHECK(large.plansAndMultipliesRight(options));
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("faults: a GPU whose memory is full is told, and works when there is memory again") {
  Trials("child: a full GPU").run("full");
}
