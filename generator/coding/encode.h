// Stores what a coding has in place of plain values, when a format has packed the rest.
#pragma once

#include "generator/coding/coding.h"
#include "generator/layout.h"
#include "generator/setup/workspace.h"

namespace specmv {

// A kernel that looks at all slots has at most so many blocks of threads, which fill any GPU.
constexpr int64_t kEncodeBlocks = 2112;

// Completes a layout on the host for the coding of the plan, whose values have these facts.
// Status::notApplicable if it codes whole blocks of which too many differ.
llvm::Error storeCoded(Layout &layout, const Plan &plan, const ValueFacts &facts);

// Stores them in a workspace. If packed values are encoded, their array is dropped.
llvm::Error storeCodedOn(Workspace &workspace, Layout &layout, const Plan &plan,
                         const ValueFacts &facts);

// Replaces the array of packed values by the arrays of the plan's coding, and returns it.
LayoutArray replaceValues(Layout &layout, const Plan &plan);

// A layout of values alone, of so many slots, for the coding of the plan: what storeCoded() and
// storeCodedOn() complete. If the coding has codes, it has the array of plain values.
Layout valuesAlone(const Plan &plan, const std::string &valueArray, ValueType type, int64_t slots,
                   bool isOnHost);
// The names, types and sizes of a layout without contents that has plain values, of so many slots,
// in place of values in the coding of the plan.
Layout withPlainValues(Layout coded, const Plan &plan, ValueType type, int64_t slots);

// The source of the kernels that encode packed values, for a coding with codes.
const KernelSource &encodeSource(const Coding &coding, ValueType type);

// The sources of all kernels with which a GPU finds facts about values and codes them for the plan,
// beside those that pack. They last as long as the program.
std::vector<const KernelSource *> codingSources(const Plan &plan, ValueType type,
                                                IndexType csrIndex);

} // namespace specmv
