// Where the entries of a matrix are in a layout that is packed on a GPU, and new values for them.
#pragma once

#include "generator/format.h"
#include "generator/setup/filling.h"

namespace specmv {

// When they are sorted: of each slot in a chunk of kValuesPerChunk entries, which of these it is
// for.
constexpr const char *kSlotPlaces = "places";

// The source of all kernels here.
const KernelSource &slotsSource(ValueType type);

// Fills kEntrySlots for a plan that fits the matrix: packs it once more, but notes the slots of the
// entries in place of their values. False if the matrix must be packed on the host.
llvm::Expected<bool> findSlots(Workspace &workspace, const Format &format, const Plan &plan,
                               const Problem &problem);

// Sorts kEntrySlots within chunks, and fills kSlotPlaces.
SetupLaunch slotSorting(const DeviceCsr &csr);

// Stores the values of the matrix in the slots of its entries, which are sorted.
SetupLaunch valueStoring(const DeviceCsr &csr, const char *valueArray);

} // namespace specmv
