// Makes the array that a product without `out` returns, with the library of x.
#pragma once

#include "runtime/adapters/python/array.h"

namespace specmv_python {

// Makes and reads an array like x, of this shape; inColumns: the elements of a column lie side by
// side.
Array emptyLike(const Array &x, int dimensions, int64_t rows, int64_t columns, bool inColumns);

} // namespace specmv_python
