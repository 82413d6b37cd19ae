// Goes through the leaves of a plan.
#include "generator/tree/tree.h"

#include <algorithm>
#include <cassert>

namespace specmv {

int64_t slotsOf(const Leaves &leaves) {
  const auto &[part, share] = leaves.back();
  return std::min(share.firstSlot + part->slots(share), kMaxSlots + 1);
}

std::string whyNot(const Leaves &leaves, const llvm::formatv_object_base &what,
                   const SparsityProfile &p) {
  std::string why;
  for (const auto &[part, share] : leaves)
    if (why.empty() && part->whyNot)
      why = part->whyNot(what, p, share);
  return why;
}

Fields fieldsOf(const Leaves &leaves, const Plan &plan, const Problem &problem) {
  Fields out;
  for (const auto &[part, share] : leaves) {
    const Fields fields = part->fields(plan, problem, share);
    out.append(fields.begin(), fields.end());
  }
  return out;
}

KernelSource sourceOf(const Leaves &leaves, const Plan &plan, const Problem &problem) {
  std::vector<std::string> headers;
  std::vector<PlanConstant> constants;
  std::vector<Kernel> kernels;
  for (const auto &[part, share] : leaves) {
    assert(part->onY == (headers.empty() ? OnY::stores : OnY::adds));
    headers.emplace_back(part->header);
    constants.push_back(part->constant(plan, problem, share));
    for (Kernel &kernel : part->kernels(plan, problem, share))
      kernels.push_back(std::move(kernel));
  }
  return emit(plan, problem, headers, constants, kernels);
}

Steps stepsOf(const Leaves &leaves, const Plan &plan, const Problem &problem,
              const Layout &layout) {
  Steps out;
  for (const auto &[part, share] : leaves)
    if (part->addFirstSteps)
      part->addFirstSteps(out, plan, problem, layout, share);
  for (const auto &[part, share] : leaves)
    part->addSteps(out, plan, problem, layout, share);
  return out;
}

Traffic trafficOf(const Leaves &leaves, const PlanRequest &in, const Plan &plan) {
  Traffic out;
  for (const auto &[part, share] : leaves)
    part->addTraffic(out, in, plan, share);
  return out;
}

Layout layoutOf(const Leaves &leaves, const CsrView &a, const Plan &plan, const Problem &problem,
                bool keepsOrder) {
  Layout out;
  addFields(out, fieldsOf(leaves, plan, problem));
  if (!keepsOrder)
    out.slots = Slots(static_cast<size_t>(a.nnz));
  for (const auto &[part, share] : leaves)
    part->pack(a, plan, share, out);
  return out;
}

std::vector<SetupLaunch> fillingsOf(const Leaves &leaves, const DeviceCsr &csr, const Plan &plan,
                                    const Problem &problem) {
  std::vector<SetupLaunch> out;
  for (const auto &[part, share] : leaves)
    for (SetupLaunch &launch : part->packing->fillings(csr, plan, problem, share))
      out.push_back(std::move(launch));
  return out;
}

std::vector<std::string> packHeadersOf(const Leaves &leaves) {
  std::vector<std::string> out;
  for (const Leaf &leaf : leaves)
    out.emplace_back(leaf.part->packing->header);
  return out;
}

} // namespace specmv
