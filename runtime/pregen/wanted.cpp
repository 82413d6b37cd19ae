// Ranks the plans of a profile and emits the sources of the best ones.
#include "runtime/pregen/wanted.h"

#include "generator/coding/encode.h"
#include "generator/order/ordered_product.h"
#include "generator/order/permute.h"
#include "generator/order/search.h"
#include "generator/setup/check.h"
#include "generator/setup/column_degrees.h"
#include "generator/setup/packing.h"
#include "generator/setup/profile.h"
#include "generator/setup/repeated_blocks.h"
#include "generator/setup/slots.h"
#include "generator/setup/value_facts.h"
#include "runtime/choose/choose.h"
#include "llvm/ADT/STLExtras.h"

namespace specmv {

// Returns the kernels of a set-up on a GPU. They identify, profile and check any matrix, store new
// values, and count columns, order rows and pack CSR arrays with 32-bit indices for this plan.
// Packing kernels for 64-bit indices would double the bytes of all set-up kernels.
static std::vector<Wanted> setupKernels(const Plan &plan, const Problem &problem,
                                        const std::string &arch) {
  std::vector<Wanted> out{{slotsSource(problem.type), arch, "setup", "new values"}};
  for (const IndexType csrIndex : {IndexType::i32, IndexType::i64}) {
    out.push_back({fingerprintSource(csrIndex), arch, "setup", "fingerprint"});
    out.push_back({profileSource(csrIndex), arch, "setup", "profile"});
    out.push_back({rowSortSource(csrIndex), arch, "setup", "sorted rows of a profile"});
    out.push_back({checkSource(csrIndex), arch, "setup", "check"});
    out.push_back(
        {valueDiagonalsSource(csrIndex, problem.type), arch, "setup", "values along diagonals"});
  }
  out.push_back({columnsSource(IndexType::i32), arch, "setup", "entries of columns"});
  out.push_back({valuesSource(problem.type), arch, "setup", "facts about values"});
  if (plan.format == kRepeatedBlocks.format)
    out.push_back(
        {blockSamplesSource(IndexType::i32, problem.type), arch, "setup", "samples of blocks"});
  out.push_back({searchSource(IndexType::i32), arch, "setup", "an order of rows"});
  out.push_back({permuteSource(IndexType::i32, problem.type), arch, "setup", "permuted rows"});
  for (const KernelSource *source : codingSources(plan, problem.type, IndexType::i32))
    out.push_back({*source, arch, "setup", "values stored in codes"}); // or the facts again
  if (const Packing *packing = findFormat(plan.format)->packing)
    out.push_back(
        {packing->source(unordered(plan), problemOfPacking(plan, problem), IndexType::i32), arch,
         "setup", "packing of " + plan.format + " in " + nameOf(problem.type)});
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

llvm::Expected<std::vector<Wanted>>
wantedKernels(const Request &request, const SparsityProfile &profile, const Machine &machine,
              llvm::ArrayRef<std::string> architectures, const FurtherFacts &facts) {
  auto ranked = rankPlans(request, profile, machine, Look::untilDecided, facts);
  if (!ranked)
    return ranked.takeError();
  if (ranked->candidates.empty())
    return noPlan(ranked->offers);
  std::vector<Wanted> out;
  size_t plans = 0;
  for (const Candidate &candidate : ranked->candidates) {
    std::vector<Wanted> kernels = kernelsOf(candidate.plan, request.problem, architectures);
    if (kernels.empty())
      continue;
    llvm::move(kernels, std::back_inserter(out));
    if (++plans == kPlansPerMatrix)
      break;
  }
  return out;
}

} // namespace specmv
