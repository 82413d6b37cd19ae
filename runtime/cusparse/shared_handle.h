// The handle of cuSPARSE, owned. Only for the files of this folder.
#pragma once

#include "runtime/cuda/device.h"
#include "runtime/cusparse/library.h"

namespace specmv {

struct CusparseHandle {
  GpuHandle<cusparseHandle_t, cusparseStatus_t (*)(cusparseHandle_t)> owned;
};

} // namespace specmv
