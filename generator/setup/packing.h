// How a format packs a matrix that lies on a GPU. A format without this is packed on the host and
// uploaded.
#pragma once

#include "generator/setup/workspace.h"
#include "models/plan.h"
#include "models/problem.h"

#include <optional>

namespace specmv {

struct Packing {
  // The source of all kernels that pack() launches for plans with these types.
  KernelSource (*source)(const Plan &, const Problem &, IndexType csrIndex);
  // Fills the arrays of the layout that Format::pack makes on the host, equal to the byte, and
  // returns that layout without their contents. Fails where Format::pack fails, with the same
  // sentence. nullopt: this matrix or plan must be packed on the host. Entries go to their slots by
  // entriesOf(), so that the workspace decides what is done with each (DeviceCsr::entryTask).
  llvm::Expected<std::optional<Layout>> (*pack)(Workspace &, const Plan &, const Problem &);
  // Whether entry e is element e of the values: an empty Layout::slots.
  bool keepsOrder = false;
  // Whether entries that a workspace lends are not copied, where their index type is the plan's.
  bool lendsEntries = false;
};

// The types that the kernels of most packings are instantiated for: the indices of the CSR arrays,
// then those of the plan.
std::vector<ElementType> packTypes(IndexType csrIndex, const Plan &plan, const Problem &problem);

// The CSR arrays as arguments of a kernel.
Field csrRowPtrOf(const DeviceCsr &csr);
Field csrColOf(const DeviceCsr &csr);
// The field `entries` of a packing kernel's arguments (templates/pack/entries.cuh).
Fields entriesOf(const DeviceCsr &csr);
// rowPtr, the columns and the entries.
Fields csrArraysOf(const DeviceCsr &csr);

// The slot of each entry, as Layout::slots has them, where packing notes them.
constexpr const char *kEntrySlots = "slots";
// Adds the array of the values of a layout, if it has one and packing fills it.
llvm::Error addValues(Workspace &workspace, const Layout &layout);

// A set-up kernel's number of 64 and of 32 bits.
Field wideNumber(const char *name, int64_t value);
Field narrowNumber(const char *name, int64_t value);

// An array of the layout that a set-up kernel writes. `stored` is its name there, if that differs.
Field filled(const char *name, ElementType type, const char *stored = "");

// The most blocks of a kernel whose blocks each add something to one sum.
constexpr int64_t kFewBlocks = 1024;

} // namespace specmv
