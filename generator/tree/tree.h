// A plan as a tree: packs, emits, launches and prices the leaves of a plan one after another.
#pragma once

#include "generator/tree/part.h"
#include "llvm/ADT/SmallVector.h"

namespace specmv {

// A leaf: a part and its entries.
struct Leaf {
  const Part *part;
  Share share;
};

// The leaves of a plan, in the order of their launches. The first one stores y, and their slots
// follow one another. A combinator makes them; one that divides a part of another combinator puts
// its leaves in the place of that part.
using Leaves = llvm::SmallVector<Leaf, 2>;

// Slots of all leaves; more than kMaxSlots if there are too many.
int64_t slotsOf(const Leaves &leaves);
// Says in a sentence that begins with `what` why a leaf is refused; "" if none is.
std::string whyNot(const Leaves &leaves, const llvm::formatv_object_base &what,
                   const SparsityProfile &p);

Fields fieldsOf(const Leaves &leaves, const Plan &plan, const Problem &problem);
KernelSource sourceOf(const Leaves &leaves, const Plan &plan, const Problem &problem);
Steps stepsOf(const Leaves &leaves, const Plan &plan, const Problem &problem, const Layout &layout);
Traffic trafficOf(const Leaves &leaves, const PlanRequest &in, const Plan &plan);

// Packs the leaves on the host. If the leaves keep the order of the entries, the layout needs no
// slots.
Layout layoutOf(const Leaves &leaves, const CsrView &a, const Plan &plan, const Problem &problem,
                bool keepsOrder);

// The kernels that fill the arrays of the leaves on a GPU, and their headers.
std::vector<SetupLaunch> fillingsOf(const Leaves &leaves, const DeviceCsr &csr, const Plan &plan,
                                    const Problem &problem);
std::vector<std::string> packHeadersOf(const Leaves &leaves);

} // namespace specmv
