// The packing of a format on a GPU. A format without a Packing is packed on the host and uploaded.
#pragma once

#include "generator/setup/workspace.h"
#include "models/plan.h"
#include "models/problem.h"

#include <optional>

namespace specmv {

struct Packing {
  // The source of all kernels that pack() launches for plans with these types.
  KernelSource (*source)(const Plan &, const Problem &, IndexType csrIndex);
  // Fills the arrays of the layout, equal to the byte to those that Format::pack makes on the host,
  // and returns the layout without their contents. Fails where Format::pack fails, with the same
  // sentence. Returns nullopt if this matrix or plan must be packed on the host. Entries go to
  // their slots by entriesOf(), so the workspace decides what is done with each entry
  // (DeviceCsr::entryTask).
  llvm::Expected<std::optional<Layout>> (*pack)(Workspace &, const Plan &, const Problem &);
  // Whether entry e is element e of the values. Layout::slots is then empty.
  bool keepsOrder = false;
  // Whether the layout uses entries that a workspace lends, if they have the plan's index type.
  bool lendsEntries = false;
};

// The types that the kernels of most packings are instantiated for: the indices of the CSR arrays,
// then those of the plan.
std::vector<ElementType> packTypes(IndexType csrIndex, const Plan &plan, const Problem &problem);

// These return the CSR arrays as arguments of a kernel.
Field csrRowPtrOf(const DeviceCsr &csr);
Field csrColOf(const DeviceCsr &csr);
// Returns the field `entries` of a packing kernel's arguments (templates/pack/entries.cuh).
Fields entriesOf(const DeviceCsr &csr);
// Returns rowPtr, the columns and the field `entries`.
Fields csrArraysOf(const DeviceCsr &csr);

// The array of the slot of each entry, as in Layout::slots, if packing stores slots.
constexpr const char *kEntrySlots = "slots";
// Adds the array of values, if the layout has one and packing fills it.
llvm::Error addValues(Workspace &workspace, const Layout &layout);

// An argument of a set-up kernel that is a 64-bit or 32-bit number.
Field wideNumber(const char *name, int64_t value);
Field narrowNumber(const char *name, int64_t value);

// An array that a set-up kernel writes. `stored` is its name in the workspace, if that differs.
Field filled(const char *name, ElementType type, const char *stored = "");

// The largest number of blocks of a kernel in which each block adds to one sum.
constexpr int64_t kFewBlocks = 1024;

} // namespace specmv
