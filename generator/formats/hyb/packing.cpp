// Packs HYB on the GPU: the first entries of each row as ELL, the others as triplets.
#include "generator/formats/hyb/packing.h"

#include "generator/formats/hyb/layout.h"
#include "generator/setup/scan.h"
#include "generator/shared/ell_packing.h"
#include "generator/shared/triplet_packing.h"
#include "generator/sources.h"

namespace specmv {

static std::vector<SetupLaunch> hybFillings(const DeviceCsr &csr, const Plan &plan,
                                            const Problem &problem, const Triplets &tail) {
  const int64_t k = plan.get(key::kHybK);
  std::vector<SetupLaunch> out{ellFilling(csr, typesOf(plan, problem), k)};
  if (tail.count > 0)
    for (SetupLaunch &launch : tripletFillings(csr, plan, problem, k, tail, kTailStart))
      out.push_back(std::move(launch));
  return out;
}

// The kernels of a tail are there for plans without one as well, so that all share an object.
static KernelSource hybPackSource(const Plan &plan, const Problem &problem, IndexType csrIndex) {
  const DeviceCsr csr{{}, csrIndex, problem.type};
  std::vector<SetupKernel> kernels =
      kernelsOf(hybFillings(csr, plan, problem, hybTail(plan, 0, 1)));
  kernels.push_back(tailCounting(csr, 0).kernel);
  for (SetupKernel &kernel : scanKernels(kTailStart, elementOf(csrIndex)))
    kernels.push_back(std::move(kernel));
  return emitSetup("packing of hyb", {kScanHeader, kEllPackHeader, kTripletPackHeader}, kernels);
}

// Fills the array of the tail's places and returns their number.
static llvm::Expected<int64_t> findTail(Workspace &w, const KernelSource &kernels, int64_t k) {
  const DeviceCsr &csr = w.csr();
  const ElementType index = elementOf(csr.indexType);
  if (llvm::Error error = w.add(kTailStart, index, csr.rows + 1, Contents::undefined))
    return error;
  if (llvm::Error error = launchAll(w, kernels, {tailCounting(csr, k)}))
    return error;
  return scanCounts(w, kernels, kTailStart, index, csr.rows + 1);
}

static llvm::Expected<std::optional<Layout>> packHyb(Workspace &w, const Plan &plan,
                                                     const Problem &problem) {
  const DeviceCsr &csr = w.csr();
  const SharedSource kernels = keptSource(hybPackSource, plan, problem, csr.indexType);
  auto count = findTail(w, *kernels, plan.get(key::kHybK));
  if (!count)
    return count.takeError();
  if (llvm::Error error = checkHyb(plan, csr, *count))
    return error;
  const Triplets tail = hybTail(plan, csr.rows, *count);
  auto out = filledLayout(w, *kernels, hybFields(plan, problem, csr.rows, tail),
                          hybFillings(csr, plan, problem, tail));
  w.drop(kTailStart);
  return out;
}

const Packing kHybPacking{hybPackSource, packHyb};

} // namespace specmv
