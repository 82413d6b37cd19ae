// What the packing of ELL, SELL and JAD shares: arrays of slots that a row's entries fill at equal
// or given distances.
#pragma once

#include "generator/layout.h"
#include "generator/shared/rates.h"
#include "models/base/parallel.h"
#include "models/base/rounding.h"
#include "templates/shared/constants.cuh"

#include <algorithm>
#include <string>

namespace specmv {

// More slots for each entry than this and a padded format is refused: even if nothing else were
// slow, it would move that many times the bytes of CSR.
constexpr int64_t kMaxEllPadding = 16;

// The sentence that says why `slots` slots are too many for that many entries, or ""; `spare` slots
// more are granted, as many as one row of a matrix may need.
std::string whyTooPadded(const std::string &what, int64_t slots, int64_t entries, int64_t spare);

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

// Passes of CSR-vector's loop that a row of so many slots costs a thread: its loads are issued in
// batches of kPaddedBatch, of which the last one is waited for as long as the
// others. `perBatch` is the rate kPassesPerBatch or, where the number of slots is known before,
// kPassesPerKnownBatch.
constexpr int64_t paddedPasses(int64_t slots, double perBatch) {
  return static_cast<int64_t>(static_cast<double>(ceilDiv(slots, kPaddedBatch)) * perBatch);
}

} // namespace specmv
