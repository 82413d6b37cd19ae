// Finds the slots of a matrix's entries in a layout that is packed on a GPU, and stores new values
// in them.
#pragma once

#include "generator/format.h"
#include "generator/setup/filling.h"

namespace specmv {

// After sorting: for each slot of a chunk of kValuesPerChunk entries, the entry of the chunk that
// it belongs to.
constexpr const char *kSlotPlaces = "places";

// The source of all kernels of this file.
const KernelSource &slotsSource(ValueType type);

// Fills kEntrySlots for a plan that fits the matrix: packs it once more, but stores the slots of
// the entries instead of their values. Returns false if the matrix must be packed on the host.
// `order` is that of the plan if somebody has made it.
llvm::Expected<bool> findSlots(Workspace &workspace, const Format &format, const Plan &plan,
                               const Problem &problem, const Order *order);

// Sorts kEntrySlots within chunks, and fills kSlotPlaces.
SetupLaunch slotSorting(const DeviceCsr &csr);

// Stores the values of the matrix in the sorted slots of its entries.
SetupLaunch valueStoring(const DeviceCsr &csr, const char *valueArray);

} // namespace specmv
