// Packing for ELL, SELL and JAD. Each format says into which slot entry k of a row goes.
#pragma once

#include "generator/layout.h"
#include "generator/shared/walk.h"
#include "models/base/numbers.h"
#include "models/base/parallel.h"
#include "templates/shared/constants.cuh"

#include <algorithm>
#include <string>

namespace llvm {
class formatv_object_base;
}

namespace specmv {

// Rows of an ELL array, a whole number of warps, so that each of its columns begins aligned.
constexpr int64_t ellStride(int64_t rows) { return roundUp(rows, 32); }

// Slots of an ELL array of `width` columns. If there are more than kMaxSlots, the result is
// kMaxSlots + 1, so that nothing overflows.
constexpr int64_t ellSlots(int64_t rows, int64_t width) {
  const int64_t stride = ellStride(rows);
  return stride > 0 && width > kMaxSlots / stride ? kMaxSlots + 1 : width * stride;
}

// A padded format is refused if it needs more slots for each entry than this. It would move about
// as many times the bytes of CSR, and be slower even at the full memory rate.
constexpr int64_t kMaxEllPadding = 16;

// Says in a sentence that `slots` slots are too many for this many entries; "" if they are not.
// `spare` slots are allowed on top of the limit: as many as one long row may need. `what` is
// formatted only for the sentence.
std::string whyTooPadded(const llvm::formatv_object_base &what, int64_t slots, int64_t entries,
                         int64_t spare);

// Rows a thread packs at a time.
constexpr int64_t kPackRows = 4096;

template <class Column, class I, class RowAt, class SlotOf>
void packPadded(const CsrPattern<I> &a, int64_t width, Column *col, Slots &slots,
                const RowAt &rowAt, const SlotOf &slotOf) {
  parallelFor(a.rows, kPackRows, [&](int64_t begin, int64_t end) {
    for (int64_t place = begin; place < end; ++place) {
      const int64_t row = rowAt(place), first = a.rowPtr[row];
      const int64_t count = std::min<int64_t>(width, a.rowPtr[row + 1] - first);
      for (int64_t k = 0; k < count; ++k) {
        const int64_t slot = slotOf(place, k);
        col[slot] = static_cast<Column>(a.col[first + k]);
        slots[first + k] = static_cast<uint32_t>(slot);
      }
    }
  });
}

// Puts the first `width` entries of row rowAt(place), in the order of the matrix, into the slots
// slotOf(place, 0), slotOf(place, 1) ...; every other slot of `col` becomes -1. `slots` has an
// element for each entry of the matrix.
template <class RowAt, class SlotOf>
void packPadded(const CsrView &a, int64_t width, LayoutArray &col, Slots &slots, const RowAt &rowAt,
                const SlotOf &slotOf) {
  visitPattern(a, [&](auto pattern) {
    auto pack = [&](auto *out) {
      parallelFor(col.count(), kCopyGrain,
                  [&](int64_t begin, int64_t end) { std::fill(out + begin, out + end, -1); });
      packPadded(pattern, width, out, slots, rowAt, slotOf);
    };
    col.type == ElementType::i32 ? pack(col.as<int32_t>()) : pack(col.as<int64_t>());
  });
}

// The cost of a row of `slots` slots for a thread, in passes of CSR-vector's loop. Loads are issued
// in batches of kPaddedBatch; a last batch that is not full takes as long as a full one. `perBatch`
// is the rate kPassesPerBatch or, if the number of slots is a constant of the kernel,
// kPassesPerKnownBatch.
constexpr int64_t paddedPasses(int64_t slots, double perBatch) {
  return static_cast<int64_t>(static_cast<double>(ceilDiv(slots, kPaddedBatch)) * perBatch);
}

} // namespace specmv
