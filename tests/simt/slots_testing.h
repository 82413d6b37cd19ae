// Finds the slots of a case's entries on the host executor as on a GPU, and stores values there.
#pragma once

#include "generator/setup/packing.h"
#include "tests/simt/workspace.h"

#include <cstring>

namespace specmv::simt {

// Returns the fault in the slots that a GPU finds for a plan, or in values that it stores there; ""
// if there is none. The host's layout holds the values of the view.
inline std::string wrongSlots(const CsrView &view, const Plan &plan, const Problem &problem,
                              const Layout &host, unsigned seed, const Order *order = nullptr) {
  const Format &format = *findFormat(plan.format);
  HostWorkspace workspace(view, seed);
  auto found = findSlots(workspace, format, plan, problem, order);
  if (!found)
    return describe(found.takeError()).second;
  if (!*found)
    return "the slots are left to the host";
  std::vector<uint32_t> slots(static_cast<size_t>(view.nnz));
  llvm::cantFail(workspace.read(kEntrySlots, 0, view.nnz, slots.data()));
  for (size_t e = 0; e < slots.size(); ++e)
    if (const size_t want = host.slots.empty() ? e : host.slots[e]; slots[e] != want)
      return "entry " + std::to_string(e) + " is in slot " + std::to_string(slots[e]) +
             " instead of " + std::to_string(want);
  const bool keepsOrder = format.packing->keepsOrder && plan.order.empty();
  if (view.nnz > 0 && keepsOrder != host.slots.empty())
    return "the packing says something else of the order of entries";
  // Packing has noted the slots alone. In a product, the slots without an entry are 0.
  const LayoutArray &want = *host.find(host.valueArray);
  if (workspace.find(want.name))
    return "values were packed while slots were looked for";
  if (llvm::Error error = workspace.add(want.name, want.type, want.count(), Contents::zeros))
    return describe(std::move(error)).second;
  if (llvm::Error error = workspace.add(kSlotPlaces, ElementType::u16, view.nnz, Contents::zeros))
    return describe(std::move(error)).second;
  if (llvm::Error error = launchAll(
          workspace, slotsSource(problem.type),
          {slotSorting(workspace.csr()), valueStoring(workspace.csr(), host.valueArray.c_str())}))
    return describe(std::move(error)).second;
  const bool same = want.bytes.empty() || std::memcmp(workspace.find(want.name)->data(),
                                                      want.bytes.data(), want.bytes.size()) == 0;
  return same ? "" : std::string("the values that are stored on the device differ");
}

} // namespace specmv::simt
