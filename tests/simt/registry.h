// The kernels that were compiled from emitted sources, found by the text of the source.
#pragma once

#include "tests/simt/kernel.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace specmv::simt {

// 64-bit FNV-1a over the source without its comment lines, which name the plan: sources that differ
// only there are compiled once.
uint64_t hashOf(std::string_view source);

// Returns nullptr if simt_emit did not emit that source.
const CompiledKernel *findKernel(uint64_t source, const std::string &name);

// A unit's kernels; the last has no name. Written by simt_emit.
using KernelList = const CompiledKernel *;
extern const KernelList kKernelLists[]; // the last is nullptr

} // namespace specmv::simt
