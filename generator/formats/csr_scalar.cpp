// CSR-scalar on the host: one thread a row of a CSR matrix (Bell and Garland's scalar kernel, the
// statistics paper's CSR-S). It is CSR-vector with one lane a row, under a name of its own.
#include "generator/formats.h"
#include "generator/formats/csr_vector/layout.h"
#include "generator/formats/csr_vector/packing.h"

namespace specmv {

static constexpr std::pair<const char *, int64_t> kOneLane{key::kCsrLanes.name, 1};

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const Fixed oneLane{kOneLane};
  kCsrVector.offer({in.profile, in.problem, in.gpu, oneLane}, out);
  Plan &plan = out.back();
  plan.format = "csr-scalar";
  std::erase(plan.integers, std::pair<PlanName, int64_t>(kOneLane));
  return "";
}

static Plan asVector(Plan plan) {
  plan.integers.insert(plan.integers.begin(), kOneLane);
  return plan;
}

constexpr PaceRates kPace("csr-scalar");
constexpr const PaceRates *kPaces[] = {&kPace};
constexpr Rate kRefetched{"csr-scalar.refetched",
                          "sectors of the matrix that are read again for each entry", 0.083};
constexpr Rate kRates[] = {kRefetched};
constexpr PlanPattern kStandard[] = {{"csr-scalar block=256"}};

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  Traffic t = csrTraffic(in, asVector(plan), kPace);
  // A thread reads neighbouring entries one after another, so some sectors are read again by later
  // passes.
  t.gatherBytes +=
      static_cast<int64_t>(32 * in.gpu.rates[kRefetched] * static_cast<double>(in.profile.nnz));
  return t;
}

static llvm::Expected<Layout> pack(const CsrView &a, const Plan &plan, const Problem &problem) {
  return kCsrVector.pack(a, asVector(plan), problem);
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  return kCsrVector.source(asVector(plan), problem);
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  return kCsrVector.steps(asVector(plan), problem, layout);
}

static std::string whyNotSeveral(const Plan & /*plan*/, const Problem & /*problem*/) { return ""; }

static Steps stepsOfSeveral(const Plan &plan, const Problem &problem, const Layout &layout) {
  return kCsrVector.several->steps(asVector(plan), problem, layout);
}

constexpr Several kSeveral{whyNotSeveral, stepsOfSeveral};

static std::string gist(const Plan & /*plan*/) { return "one thread sums each row"; }

constexpr Parameter kParameters[] = {kBlockParameter};
const Format kCsrScalar{.name = "csr-scalar",
                        .parameters = kParameters,
                        .offer = offer,
                        .traffic = traffic,
                        .pack = pack,
                        .source = source,
                        .steps = steps,
                        .gist = gist,
                        .rates = kRates,
                        .paces = kPaces,
                        .standard = kStandard,
                        .fuses = Fuses::rowsAndX,
                        .packing = &kCsrPacking,
                        .several = &kSeveral};

} // namespace specmv
