// Finds the CUDA stream on which a product runs.
#pragma once

#include "runtime/adapters/python/array.h"

namespace specmv_python {

// The handle of what a caller gives as a stream: None (a null pointer), an integer, or an object
// with `__cuda_stream__`, `cuda_stream` (torch) or `ptr` (cupy).
void *streamOf(nb::handle stream);

// The stream on which the library of an array on a GPU works now, for the calling thread.
void *currentStreamOf(const Array &array);

} // namespace specmv_python
