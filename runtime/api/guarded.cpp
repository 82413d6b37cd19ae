// Maps the library's statuses to those of the C API.
#include "runtime/api/guarded.h"

namespace specmv {

specmvStatus_t statusOf(Status status) {
  switch (status) {
  case Status::badInput:
    return SPECMV_STATUS_INVALID_MATRIX;
  case Status::badCall:
    return SPECMV_STATUS_INVALID_VALUE;
  case Status::notApplicable:
    return SPECMV_STATUS_NOT_APPLICABLE;
  case Status::missing:
  case Status::hostMemory:
    return SPECMV_STATUS_MISSING;
  case Status::noGpu:
    return SPECMV_STATUS_NO_GPU;
  case Status::gpuMemory:
    return SPECMV_STATUS_GPU_MEMORY_FULL;
  case Status::overMaxBytes:
    return SPECMV_STATUS_OVER_MAX_BYTES;
  case Status::noNvrtc:
    return SPECMV_STATUS_NO_NVRTC;
  case Status::notInPacks:
    return SPECMV_STATUS_NOT_IN_PACKS;
  case Status::internal:
    break;
  }
  return SPECMV_STATUS_INTERNAL_ERROR;
}

} // namespace specmv
