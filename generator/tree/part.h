// The leaves of a plan's tree. A part is what a format's kernels do with some of the entries of a
// matrix, while other parts do the rest; a combinator (split_by_position.h) divides the entries.
#pragma once

#include "generator/emit.h"
#include "generator/setup/packing.h"
#include "generator/setup/workspace.h"
#include "templates/shared/constants.cuh"

#include <cassert>
#include <cstdint>
#include <limits>
#include <vector>

namespace llvm {
class formatv_object_base;
}

namespace specmv {

// The entries that a part multiplies: in each row, those at the positions first .. last - 1. The
// first entry of a row has position 0.
struct Share {
  static constexpr int64_t kToTheEnd = std::numeric_limits<int64_t>::max();

  int64_t rows = 0; // of the matrix
  int64_t first = 0;
  int64_t last = kToTheEnd; // or kAsArgument, kAsNarrowArgument
  int64_t entries = 0;
  int64_t rowsInUse = 0; // rows with such entries; 0 where a matrix is packed on a GPU
  // All parts of a plan share one array of values. The first value of the part has this slot.
  int64_t firstSlot = 0;
  // The array of the part's columns: each part has one of its own.
  const char *col = "col";
  // On a GPU, the array of the workspace with the number of such entries in front of each row, and
  // behind the last row.
  const char *starts = kCsrRowPtr;

  bool hasWidthAsArgument() const { return last == kAsArgument || last == kAsNarrowArgument; }
  // The number of positions, for a share that does not reach to the end of the rows.
  int64_t width() const {
    assert(last != kToTheEnd);
    return hasWidthAsArgument() ? last : last - first;
  }
};

// A name for Share::starts.
constexpr const char *kTailStart = "tailStart";

// Describes the kernels that fill the arrays of a part on a GPU.
struct PartPacking {
  const char *header;
  std::vector<SetupLaunch> (*fillings)(const DeviceCsr &, const Plan &, const Problem &,
                                       const Share &);
};

// A part reads the block size, the index types and the coding of the values from the plan, and
// everything else from its share. Its kernels and steps depend on no matrix: for them the counts of
// a share are 0, and steps take the sizes from the layout. A plan has at most one part of a kind,
// since a part finds its arrays, other than the columns, by fixed names.
struct Part {
  const char *header; // the template of its kernels
  // The first part of a plan stores y, and all others add to it (asserted).
  OnY onY = OnY::stores;
  // Values that the part stores, with padding; more than kMaxSlots if there are too many.
  int64_t (*slots)(const Share &);
  // Says in a sentence that begins with `what` why a share is refused; "" if it is not. Null if
  // every share is good.
  std::string (*whyNot)(const llvm::formatv_object_base &what, const SparsityProfile &,
                        const Share &) = nullptr;
  // The arrays and numbers of the part.
  Fields (*fields)(const Plan &, const Problem &, const Share &);
  PlanConstant (*constant)(const Plan &, const Problem &, const Share &);
  std::vector<Kernel> (*kernels)(const Plan &, const Problem &, const Share &);
  // Adds the launches of the part behind those of the parts in front of it.
  void (*addSteps)(Steps &, const Plan &, const Problem &, const Layout &, const Share &);
  // Adds steps that do not touch y, so that they come before the steps of all parts. Null if there
  // are none.
  void (*addFirstSteps)(Steps &, const Plan &, const Problem &, const Layout &,
                        const Share &) = nullptr;
  // Fills the arrays on the host, and gives each entry of the share its slot.
  void (*pack)(const CsrView &, const Plan &, const Share &, Layout &);
  // Adds the part to the traffic of the parts in front of it.
  void (*addTraffic)(Traffic &, const PlanRequest &, const Plan &, const Share &);
  // Null if only the host can pack.
  const PartPacking *packing = nullptr;
};

} // namespace specmv
