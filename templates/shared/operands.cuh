// The operands of a product: the types that a kernel's arguments have, in one bundle, and the views
// through which kernels read the values and columns of the matrix.
//
// A view stands for an array that is stored in some coding. Kernels use it like a pointer: they add
// a slot to it and pass it to loadOnce(), loadKept(), loadOnceIf() or opaque(). A plain array is
// Streamed (shared/load.cuh); templates/coding/ has the others. x and y are views too
// (shared/several.cuh): x + i is for loadReused() or loadReusedIf(), y + i for storeResult().
#pragma once
#include "shared/device.cuh"

namespace specmv {

template <class TheValue, class TheOffset, class TheColumn, class TheValues = Streamed<TheValue>,
          class TheX = const TheValue *, class TheY = TheValue *,
          class TheColumns = Streamed<TheColumn>>
struct Operands {
  using Value = TheValue;     // the type of the vectors, the scalars and the sums
  using Offset = TheOffset;   // counts rows, entries and slots
  using Column = TheColumn;   // counts columns
  using Values = TheValues;   // the view of the matrix's values
  using Columns = TheColumns; // the view of its columns
  using X = TheX;
  using Y = TheY;
};

// Arguments have alpha = 1 and beta = 0 as defaults, because fused steps give neither.

// Fetches what the statements of a fused step read for rows first .. end - 1 of y
// (shared/fused.cuh). The lanes of a warp call this where they know their rows long before they
// have their sums.
template <class Y, class Row>
__device__ __forceinline__ void prefetchRows(const Y & /*y*/, Row /*first*/, Row /*end*/) {}

} // namespace specmv
