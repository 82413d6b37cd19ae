// Describes the packing of a format on a GPU, and shares the steps of several formats.
#pragma once

#include "generator/format.h"
#include "generator/setup/workspace.h"
#include "models/gpu.h"
#include "models/plan.h"
#include "models/problem.h"

#include <optional>

namespace specmv {

// --- Packing -------------------------------------------------------------------------------------

// The packing of a format on a GPU. A format without a Packing is packed on the host and uploaded.

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

// --- Filling -------------------------------------------------------------------------------------

// Makes a layout on the device: adds its arrays and launches the kernels that fill them.

// A kernel and its number of blocks.
struct SetupLaunch {
  SetupKernel kernel;
  int64_t blocks;
};

llvm::Error launchAll(Workspace &workspace, const KernelSource &source,
                      const std::vector<SetupLaunch> &launches);

// The kernels of the launches, from which their source is emitted.
std::vector<SetupKernel> kernelsOf(const std::vector<SetupLaunch> &launches);

// The layout with these fields, filled by these launches. The workspace has the arrays of `present`
// already.
llvm::Expected<Layout> filledLayout(Workspace &workspace, const KernelSource &source,
                                    const Fields &fields, const std::vector<SetupLaunch> &launches,
                                    const std::vector<std::string> &present = {});

// Copy the CSR arrays to `rowPtr`, and to `col` and `val` (templates/pack/copy.cuh).
constexpr const char *kCopyHeader = "pack/copy.cuh";
SetupLaunch rowPtrCopy(const DeviceCsr &csr, const Types &types);
SetupLaunch entriesCopy(const DeviceCsr &csr, const Types &types);

// Lend rowPtr, or col and val, to a layout with these types, if the workspace lends arrays and the
// CSR arrays have these types. Return false if the arrays must be copied.
llvm::Expected<bool> lendRowPtr(Workspace &workspace, const Types &types);
llvm::Expected<bool> lendEntries(Workspace &workspace, const Types &types);

// --- In place ------------------------------------------------------------------------------------

// Products of a format by the caller's CSR arrays on a GPU. They need no copy of the arrays and no
// profile, so a product can be launched at once.

struct InPlace {
  // The plans for a matrix of this size, the preferred one first; none if the format does not
  // apply. The plan has the index type of each CSR array that a kernel reads.
  std::vector<Plan> (*plans)(const DeviceCsr &, const GpuModel &);
  // The source of the kernels that pack() launches; its text is empty if there are none.
  KernelSource (*source)(const Plan &, const Problem &, IndexType csrIndex);
  // Makes the layout on the device. The workspace lends the arrays that equal CSR arrays; kernels
  // fill the others. The CSR arrays are not checked.
  llvm::Expected<Layout> (*pack)(Workspace &, const Plan &, const Problem &);
  // The arrays and numbers of that layout.
  Fields (*fields)(const MatrixSize &, const Plan &, const Problem &);
};

// --- Slots ---------------------------------------------------------------------------------------

// Finds the slots of a matrix's entries in a layout that is packed on a GPU, and stores new values
// in them.

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

// --- Hot columns ---------------------------------------------------------------------------------

// Renumbers the columns of a matrix that was packed on a device, so that the hottest come first
// (templates/pack/hot_columns.cuh).

constexpr const char *kHotHeader = "pack/hot_columns.cuh";
// The kernels, without those of scanKernels() for 64-bit counts, which a source needs too.
std::vector<SetupKernel> hotKernels(const DeviceCsr &csr, ElementType column);

// Renumbers the array `col` of `slots` columns, and adds the array `hotCol` of `hot` columns; they
// are equal to what the host makes by hottestColumns() (shared/open_rows.h).
llvm::Error renumberHot(Workspace &workspace, const KernelSource &source, ElementType column,
                        int64_t hot, int64_t slots);

// --- Open rows -----------------------------------------------------------------------------------

// Fills, on the device, the tables of rows that several blocks share
// (templates/pack/open_rows.cuh).

// The header and kernel.
constexpr const char *kOpenRowsHeader = "pack/open_rows.cuh";
SetupKernel openRowsKernel(int64_t blocks);

// An array of i64 that a packing adds and fills. It has the open row at the boundary before each of
// the `blocks` blocks and at the one after the last block, as for fillOpenRows().
constexpr const char *kOpenRow = "openRow";

// Adds the arrays and working memory of openRowFields(), fills them and drops kOpenRow.
llvm::Error packOpenRows(Workspace &workspace, const KernelSource &source, const Problem &problem,
                         int64_t blocks);

} // namespace specmv
