// The products of cuSPARSE as formats; each is one library call. Our formats are compared with
// them. The ones that give the same bits in every run are candidates and the fallback.
#include "generator/emit.h"
#include "generator/formats.h"
#include "generator/formats/cusparse/layout.h"
#include "generator/formats/cusparse/margin.h"
#include "generator/setup/packing.h"
#include "generator/shared/gathers.h"
#include "generator/shared/typed_array.h"

#include "llvm/Support/FormatVariadic.h"

namespace specmv {

namespace {
// A product of cuSPARSE as a format.
struct Routine {
  const char *name;
  // Rates: the launches of a product, its share of the memory rate and, if these were measured, the
  // margin (margin.h).
  llvm::ArrayRef<Rate> rates;
  // Adds the plan for a matrix with entries, or returns why there is none.
  std::string (*offer)(const Routine &, const PlanRequest &, std::vector<Plan> &);
  // The arrays, with their sizes from the profile.
  Fields (*fields)(const PlanRequest &, const Plan &);
};
} // namespace

// A plan for `elements` elements. All its index types have one width.
static Plan planOf(const Routine &routine, const PlanRequest &in, int64_t elements) {
  Plan plan{.format = routine.name};
  const int64_t largest = std::max({in.profile.rows, in.profile.cols, elements});
  addIndexTypes(plan, largest, largest, largest);
  return plan;
}

static std::string offerCsr(const Routine &routine, const PlanRequest &in, std::vector<Plan> &out) {
  out.push_back(planOf(routine, in, in.profile.nnz));
  return "";
}

// Offers a product of SpMVOp as for CSR, but with 32-bit columns only.
static std::string offerOp(const Routine &routine, const PlanRequest &in, std::vector<Plan> &out) {
  Plan plan = planOf(routine, in, in.profile.nnz);
  if (plan.get(key::kColumn) != 32)
    return llvm::formatv("{0} has 32-bit indices only, which are too narrow for a matrix of {1} x "
                         "{2} with {3} entries",
                         routine.name, in.profile.rows, in.profile.cols, in.profile.nnz);
  out.push_back(std::move(plan));
  return "";
}

static CusparseSize sizeOf(const SparsityProfile &p) { return {p.rows, p.cols, p.nnz}; }

static Fields csrFieldsOf(const PlanRequest &in, const Plan &plan) {
  return cusparseCsrFields(plan, in.problem, sizeOf(in.profile));
}

static Fields cooFieldsOf(const PlanRequest &in, const Plan &plan) {
  return cusparseCooFields(plan, in.problem, sizeOf(in.profile));
}

// The elements of all slices of this many rows, with rows in the order of the matrix.
static int64_t paddedOf(const SparsityProfile &p, int64_t slice) {
  for (const SliceCount &count : p.slices)
    if (count.slice == slice && count.window == 1)
      return count.padded;
  return 0;
}

static std::string offerSell(const Routine &routine, const PlanRequest &in,
                             std::vector<Plan> &out) {
  const int64_t elements = paddedOf(in.profile, kCusparseSlice);
  if (std::string why = whyPadded(routine.name, elements, in.profile.nnz); !why.empty())
    return why;
  Plan plan = planOf(routine, in, elements);
  plan.integers.insert(plan.integers.begin(), {key::kSliceRows, kCusparseSlice});
  out.push_back(std::move(plan));
  return "";
}

static Fields sellFieldsOf(const PlanRequest &in, const Plan &plan) {
  return cusparseSellFields(plan, in.problem, sizeOf(in.profile),
                            paddedOf(in.profile, plan.get(key::kSliceRows)));
}

// The blocks of this size that have an entry, estimated from the profile's sample.
static int64_t blocksOf(const SparsityProfile &p, int64_t size) {
  return static_cast<int64_t>(blocksPerEntry(p, size, size) * static_cast<double>(p.nnz));
}

static Fields bsrFieldsOf(const PlanRequest &in, const Plan &plan) {
  return cusparseBsrFields(plan, in.problem, sizeOf(in.profile),
                           blocksOf(in.profile, plan.get(key::kBsrSize)));
}

static Plan planBlocks(const Routine &routine, const PlanRequest &in, int64_t size) {
  Plan plan = planOf(routine, in, blocksOf(in.profile, size) * size * size);
  plan.integers.insert(plan.integers.begin(), {key::kBsrSize, size});
  return plan;
}

// Offers the block size that stores the fewest bytes, unless CSR stores fewer.
static std::string offerBsr(const Routine &routine, const PlanRequest &in, std::vector<Plan> &out) {
  const SparsityProfile &p = in.profile;
  const int64_t fixed = fixedOr(in.fixed, key::kBsrSize, 0);
  std::vector<std::pair<int64_t, Plan>> plans; // pairs of stored bytes and block size
  for (int64_t size = kLeastBlock; size <= kMostBlock; ++size)
    if (p.rows % size == 0 && p.cols % size == 0 && (!fixed || fixed == size)) {
      Plan plan = planBlocks(routine, in, size);
      const int64_t bytes = storedBytesOf(bsrFieldsOf(in, plan));
      plans.emplace_back(bytes, std::move(plan));
    }
  const auto best = std::min_element(plans.begin(), plans.end(),
                                     [](auto &l, auto &r) { return l.first < r.first; });
  if (best == plans.end())
    return refusal(in, [&] {
      return llvm::formatv(
          "{0} needs a matrix whose sides are multiples of bsr.size = {1}; this one is {2} x {3}",
          routine.name,
          fixed ? std::to_string(fixed) : llvm::formatv("{0}..{1}", kLeastBlock, kMostBlock).str(),
          p.rows, p.cols);
    });
  const auto &[bytes, plan] = *best;
  const int64_t size = plan.get(key::kBsrSize);
  if (std::string why = whyPadded(routine.name, blocksOf(p, size) * size * size, p.nnz);
      !why.empty())
    return why;
  const int64_t csrBytes = storedBytesOf(csrFields(plan, in.problem, p.rows, p.nnz));
  if (!fixed && bytes > csrBytes)
    return refusal(in, [&, bytes = bytes] {
      return llvm::formatv("{0} would store {1} bytes in {2} x {2} blocks, more than the {3} of "
                           "CSR; it is offered only where bsr.size is set",
                           routine.name, bytes, size, csrBytes);
    });
  out.push_back(plan);
  return "";
}

// These kernels balance entries over threads, so their time depends on bytes and launches only.
template <const Routine &routine> static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  Traffic t;
  t.storedBytes = storedBytesOf(routine.fields(in, plan));
  t.streamBytes = t.storedBytes + in.profile.rows * static_cast<int64_t>(sizeOf(in.problem.type));
  t.gatherBytes = gatherBytes(in);
  const double margin = hasMargin(routine.rates) ? in.gpu.rates[routine.rates[2]] : 1;
  t.launches = in.gpu.rates[routine.rates[0]] * margin;
  t.isOfLibrary = true;
  t.pace.efficiency = in.gpu.rates[routine.rates[1]] / margin;
  return t;
}

// In sliced ELL one thread multiplies a row, so the longest row is the longest chain.
constexpr Rate kSellPasses{"cusparse-sell.passes",
                           "passes of CSR-vector's loop that an element costs", 0.6, kNoFit};

template <const Routine &routine>
static Traffic sellTraffic(const PlanRequest &in, const Plan &plan) {
  Traffic t = traffic<routine>(in, plan);
  const double passes = in.gpu.rates[kSellPasses];
  const int64_t slice = plan.get(key::kSliceRows), elements = paddedOf(in.profile, slice);
  t.threads = roundUp(in.profile.rows, slice);
  t.steps = static_cast<int64_t>(static_cast<double>(elements) * passes);
  t.longestChain = static_cast<int64_t>(static_cast<double>(longestRow(in.profile)) * passes);
  return t;
}

template <const Routine &routine>
static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const SparsityProfile &p = in.profile;
  std::string why = whyNoEntries(routine.name, p.rows, p.cols, p.nnz);
  return why.empty() ? routine.offer(routine, in, out) : why;
}

static KernelSource noSource(const Plan & /*plan*/, const Problem & /*problem*/) { return {}; }

template <const Routine &routine>
static Steps steps(const Plan & /*plan*/, const Problem & /*problem*/, const Layout & /*layout*/) {
  return {{LibraryCall{routine.name}}};
}

static std::string gist(const Plan & /*plan*/) { return "it is one call of cuSPARSE"; }

constexpr Rate launches(const char *name, double byDefault) {
  return {name, "launches of a product", byDefault};
}
constexpr Rate efficiency(const char *name, double byDefault) {
  return {name, "share of the memory rate that a product reaches", byDefault, kEfficiencyFit};
}
constexpr Rate margin(const char *name) {
  return {name, "factor by which a product is priced slower than measured", 1.25};
}

constexpr Rate kCsrRates[] = {launches("cusparse-csr.launches", 3.9),
                              efficiency("cusparse-csr.efficiency", 0.55),
                              margin("cusparse-csr.margin")};
constexpr Rate kCsr1Rates[] = {launches("cusparse-csr1.launches", 2.3),
                               efficiency("cusparse-csr1.efficiency", 0.58),
                               margin("cusparse-csr1.margin")};
constexpr Rate kCsr2Rates[] = {launches("cusparse-csr2.launches", 3.9),
                               efficiency("cusparse-csr2.efficiency", 0.46),
                               margin("cusparse-csr2.margin")};
constexpr Rate kCooRates[] = {launches("cusparse-coo.launches", 2.3),
                              efficiency("cusparse-coo.efficiency", 0.73),
                              margin("cusparse-coo.margin")};
constexpr Rate kSellRates[] = {launches("cusparse-sell.launches", 1.1),
                               efficiency("cusparse-sell.efficiency", 0.78),
                               margin("cusparse-sell.margin"), kSellPasses};
constexpr Rate kBsrRates[] = {launches("cusparse-bsr.launches", 2.8),
                              efficiency("cusparse-bsr.efficiency", 0.4)};
constexpr Rate kOpRates[] = {launches("cusparse-op.launches", 2.8),
                             efficiency("cusparse-op.efficiency", 0.4)};

constexpr Rate kGenericRates[] = {launches("cusparse-generic.launches", 2.8),
                                  efficiency("cusparse-generic.efficiency", 0.4)};

constexpr Routine kCsrRoutine{"cusparse-csr", kCsrRates, offerCsr, csrFieldsOf};
constexpr Routine kCsr1Routine{"cusparse-csr1", kCsr1Rates, offerCsr, csrFieldsOf};
constexpr Routine kCsr2Routine{"cusparse-csr2", kCsr2Rates, offerCsr, csrFieldsOf};
constexpr Routine kCooRoutine{"cusparse-coo", kCooRates, offerCsr, cooFieldsOf};
constexpr Routine kSellRoutine{"cusparse-sell", kSellRates, offerSell, sellFieldsOf};
constexpr Routine kBsrRoutine{"cusparse-bsr", kBsrRates, offerBsr, bsrFieldsOf};
constexpr Routine kOpRoutine{"cusparse-op", kOpRates, offerOp, csrFieldsOf};
constexpr Routine kOp1Routine{"cusparse-op1", kOpRates, offerOp, csrFieldsOf};
constexpr Routine kOp2Routine{"cusparse-op2", kOpRates, offerOp, csrFieldsOf};

constexpr Routine kGenericRoutine{"cusparse-generic", kGenericRates, offerCsr, csrFieldsOf};
constexpr Routine kGeneric1Routine{"cusparse-generic1", kGenericRates, offerCsr, csrFieldsOf};

constexpr Parameter kSellParameters[] = {{.name = key::kSliceRows.name, .least = 1, .most = 1024}};
constexpr Parameter kBsrParameters[] = {{.name = key::kBsrSize.name,
                                         .least = kLeastBlock,
                                         .most = kMostBlock,
                                         .isSettable = true,
                                         .tried = {2, 3, 8}}};

template <const Routine &routine>
constexpr Format formatOf(llvm::Expected<Layout> (*pack)(const CsrView &, const Plan &,
                                                         const Problem &)) {
  return {.name = routine.name,
          .parameters = {},
          .offer = offer<routine>,
          .traffic = traffic<routine>,
          .pack = pack,
          .source = noSource,
          .steps = steps<routine>,
          .gist = gist,
          .rates = routine.rates,
          .library = "cuSPARSE"};
}

// NVIDIA's documentation of cusparseSpMV says which algorithms are deterministic: the results of
// the default algorithms of CSR and COO may differ from run to run. It says nothing about
// cusparseSpMVOp and cusparseSpMVGeneric, so we treat those as not deterministic.
constexpr Format notDeterministic(Format format) {
  format.isDeterministic = false;
  return format;
}

constexpr Format sellFormat() {
  Format format = formatOf<kSellRoutine>(cusparseSellLayout);
  format.parameters = kSellParameters;
  format.traffic = sellTraffic<kSellRoutine>;
  return format;
}

constexpr Format bsrFormat() {
  Format format = formatOf<kBsrRoutine>(cusparseBsrLayout);
  format.parameters = kBsrParameters;
  format.paddingReadsX = true;
  return format;
}

// The plan has the index type of the CSR arrays.
template <const Routine &routine>
static std::vector<Plan> plansInPlace(const DeviceCsr &csr, const GpuModel & /*gpu*/) {
  const int64_t bits = csr.indexType == IndexType::i64 ? 64 : 32;
  if (!whyNoEntries(routine.name, csr.rows, csr.cols, csr.nnz).empty())
    return {};
  return {{.format = routine.name, .integers = {{key::kOffset, bits}, {key::kColumn, bits}}}};
}

static KernelSource noKernels(const Plan & /*plan*/, const Problem & /*problem*/,
                              IndexType /*csrIndex*/) {
  return {};
}

template <const Routine &routine>
constexpr InPlace kInPlace{plansInPlace<routine>, noKernels, cusparseCsrInPlace,
                           cusparseInPlaceFields};

template <const Routine &routine> constexpr Format csrFormat() {
  Format format = formatOf<routine>(cusparseCsrLayout);
  format.inPlace = &kInPlace<routine>;
  return format;
}

constexpr Format kCusparseCsr = notDeterministic(csrFormat<kCsrRoutine>());
constexpr Format kCusparseCsr1 = notDeterministic(csrFormat<kCsr1Routine>());
constexpr Format kCusparseCsr2 = csrFormat<kCsr2Routine>();
constexpr Format kCusparseCoo = notDeterministic(formatOf<kCooRoutine>(cusparseCooLayout));
constexpr Format kCusparseSell = sellFormat();
constexpr Format kCusparseBsr = bsrFormat();
constexpr Format kCusparseOp = notDeterministic(formatOf<kOpRoutine>(cusparseCsrLayout));
constexpr Format kCusparseOp1 = notDeterministic(formatOf<kOp1Routine>(cusparseCsrLayout));
constexpr Format kCusparseOp2 = notDeterministic(formatOf<kOp2Routine>(cusparseCsrLayout));
constexpr Format kCusparseGeneric = notDeterministic(formatOf<kGenericRoutine>(cusparseCsrLayout));
constexpr Format kCusparseGeneric1 =
    notDeterministic(formatOf<kGeneric1Routine>(cusparseCsrLayout));

} // namespace specmv
