// CSR-scalar on the host: one thread a row of a CSR matrix (Bell and Garland's scalar kernel, the
// statistics paper's CSR-S). It is CSR-vector with one lane a row, under a name of its own.
#include "generator/formats.h"
#include "generator/formats/csr_vector/packing.h"

namespace specmv {

static constexpr std::pair<const char *, int64_t> kOneLane{"csr.lanes", 1};

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const Fixed oneLane{kOneLane};
  kCsrVector.offer({in.profile, in.problem, in.gpu, oneLane}, out);
  Plan &plan = out.back();
  plan.format = "csr-scalar";
  std::erase(plan.integers, std::pair<std::string, int64_t>(kOneLane));
  return "";
}

static Plan asVector(Plan plan) {
  plan.integers.insert(plan.integers.begin(), kOneLane);
  return plan;
}

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  return kCsrVector.traffic(in, asVector(plan));
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
                        .packing = &kCsrPacking};

} // namespace specmv
