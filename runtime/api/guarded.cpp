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
    return SPECMV_STATUS_MISSING;
  case Status::internal:
    break;
  }
  return SPECMV_STATUS_INTERNAL_ERROR;
}

} // namespace specmv
