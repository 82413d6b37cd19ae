// Keeps emitted sources in memory. A set-up with a known plan needs the same source again, and
// emitting it takes as long as two launches.
#pragma once

#include "generator/format.h"
#include "models/base/lasting.h"

#include <memory>

namespace specmv {

using SharedSource = std::shared_ptr<const KernelSource>;

// The source that a function of a format emits for a plan: Format::source, Packing::source or
// InPlace::source. To the first one is added what the order of the plan needs. The last 64 sources
// are kept. Thread-safe.
using EmitProduct = KernelSource (*)(const Plan &, const Problem &);
using EmitPacking = KernelSource (*)(const Plan &, const Problem &, IndexType csrIndex);
SharedSource keptSource(EmitProduct emit, const Plan &plan, const Problem &problem);
SharedSource keptSource(EmitPacking emit, const Plan &plan, const Problem &problem,
                        IndexType csrIndex);

// A source that depends on a type alone, emitted once for each of the two types.
template <auto emit, class Type> const KernelSource &emittedOnce(Type type) {
  static const Lasting<KernelSource> first([] { return emit(Type{0}); });
  static const Lasting<KernelSource> second([] { return emit(Type{1}); });
  return type == Type{0} ? *first : *second;
}

} // namespace specmv
