// Ranks the plans of a profile and emits the sources of the best ones.
#include "runtime/pregen/wanted.h"

#include "generator/coding/coding.h"
#include "generator/coding/encode.h"
#include "generator/order/ordered_product.h"
#include "generator/order/permute.h"
#include "generator/order/search.h"
#include "generator/setup/given_csr.h"
#include "generator/setup/packing.h"
#include "generator/setup/profile.h"
#include "runtime/choose/choose.h"
#include "llvm/ADT/STLExtras.h"

namespace specmv {

// Returns the kernels of a set-up on a GPU. They identify, profile and check any matrix, store new
// values, and count columns, order rows and pack CSR arrays with 32-bit indices for this plan;
// those with 64-bit indices are narrowed first, unless the plan has such columns.
static std::vector<Wanted> setupKernels(const Plan &plan, const Problem &problem,
                                        const std::string &arch) {
  std::vector<Wanted> out{{slotsSource(problem.type), arch, "setup", "new values"}};
  constexpr IndexType csrIndex = IndexType::i32;
  out.push_back({narrowSource(), arch, "setup", "64-bit indices"});
  out.push_back({fingerprintSource(csrIndex), arch, "setup", "fingerprint"});
  out.push_back({profileSource(csrIndex), arch, "setup", "profile"});
  out.push_back({rowSortSource(csrIndex), arch, "setup", "sorted rows of a profile"});
  out.push_back({checkSource(csrIndex), arch, "setup", "check"});
  out.push_back(
      {valueDiagonalsSource(csrIndex, problem.type), arch, "setup", "values along diagonals"});
  out.push_back({columnsSource(IndexType::i32), arch, "setup", "entries of columns"});
  out.push_back({valuesSource(problem.type), arch, "setup", "facts about values"});
  if (plan.format == kRepeatedBlocks.format)
    out.push_back(
        {blockSamplesSource(IndexType::i32, problem.type), arch, "setup", "samples of blocks"});
  out.push_back({searchSource(IndexType::i32), arch, "setup", "an order of rows"});
  out.push_back({permuteSource(IndexType::i32, problem.type), arch, "setup", "permuted rows"});
  for (const KernelSource *source : codingSources(plan, problem.type, IndexType::i32))
    out.push_back({*source, arch, "setup", "values stored in codes"}); // or the facts again
  if (const Packing *packing = findFormat(plan.format)->packing) {
    const IndexType ofColumns = plan.get(key::kColumn) == 64 ? IndexType::i64 : csrIndex;
    out.push_back({packing->source(unordered(plan), problemOfPacking(plan, problem), ofColumns),
                   arch, "setup", "packing of " + plan.format + " in " + nameOf(problem.type)});
  }
  return out;
}

std::vector<Wanted> kernelsOf(const Plan &plan, const Problem &problem,
                              llvm::ArrayRef<std::string> architectures) {
  const KernelSource source = findFormat(plan.format)->sourceFor(plan, problem);
  std::vector<Wanted> out;
  if (source.text.empty())
    return out;
  for (const std::string &arch : architectures) {
    out.push_back({source, arch, plan.format, problemText(problem) + " " + plan.text()});
    llvm::append_range(out, setupKernels(plan, problem, arch));
  }
  return out;
}

static Plan withPlainValues(Plan plan) {
  plan.values.clear();
  return plan;
}

namespace {
// The plans found so far, each once.
class Plans {
public:
  void add(Plan plan) {
    if (!llvm::is_contained(all_, plan))
      all_.push_back(std::move(plan));
  }
  std::vector<Plan> take() { return std::move(all_); }

private:
  std::vector<Plan> all_;
};
} // namespace

static bool hasKernel(const Candidate &candidate) {
  return !findFormat(candidate.plan.format)->library;
}

static void addBest(Plans &to, const Request &request, llvm::ArrayRef<Candidate> candidates,
                    const FitsMatrix &fits) {
  size_t any = 0, plain = 0;
  for (const Candidate &candidate : candidates) {
    const Plan &plan = candidate.plan;
    const bool isPlain = plan.values.empty();
    if (!hasKernel(candidate) || (any >= kPlansPerMatrix && !isPlain) || (fits && !fits(plan)))
      continue;
    to.add(plan);
    if (!isPlain && request.choosesCoding())
      to.add(withPlainValues(plan));
    ++any;
    plain += isPlain;
    if (any >= kPlansPerMatrix && (plain >= kPlansPerMatrix || !request.choosesCoding()))
      break;
  }
}

// Adds the best plan of each coding that could win if the values fitted it. The facts about values
// tell so; which blocks repeat, only the matrix tells.
static llvm::Error addForAnyValues(Plans &to, const Request &request,
                                   const SparsityProfile &profile, const Machine &machine,
                                   const Candidate &best) {
  Request coded = request;
  coded.mayCode = false;
  for (const Coding *coding : codings()) {
    if (!coding->whyNot || (coding->type && *coding->type != request.problem.type))
      continue;
    coded.values = coding->name;
    auto ranked = rankPlans(coded, profile, machine);
    if (!ranked)
      return ranked.takeError();
    const auto first = llvm::find_if(ranked->candidates, hasKernel);
    if (first != ranked->candidates.end() &&
        first->cautiousUs() / kWorthCoding <= best.cautiousUs())
      to.add(first->plan);
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<Plan>> wantedPlans(const Request &request,
                                              const SparsityProfile &profile,
                                              const Machine &machine, const FurtherFacts &facts,
                                              const FitsMatrix &fits) {
  auto ranked = rankPlans(request, profile, machine, Look::untilDecided, facts);
  if (!ranked)
    return ranked.takeError();
  if (ranked->candidates.empty())
    return noPlan(ranked->offers);
  Plans plans;
  addBest(plans, request, ranked->candidates, fits);
  const SetupSize size = sizeOf(profile, request.problem.type);
  if (!fits && mayPayToCode(size, request, machine)) // only a signature is known
    if (llvm::Error error =
            addForAnyValues(plans, request, profile, machine, ranked->candidates.front()))
      return error;
  return plans.take();
}

llvm::Expected<std::vector<Wanted>> wantedKernels(const Request &request,
                                                  const SparsityProfile &profile,
                                                  const Machine &machine, const FurtherFacts &facts,
                                                  const FitsMatrix &fits) {
  auto plans = wantedPlans(request, profile, machine, facts, fits);
  if (!plans)
    return plans.takeError();
  std::vector<Wanted> out;
  for (const Plan &plan : *plans)
    llvm::append_range(out, kernelsOf(plan, request.problem, {machine.arch}));
  return out;
}

} // namespace specmv
