// The functions that clang calls before each load and store of a unit compiled with
// -fsanitize-coverage=trace-loads,trace-stores; never called in other builds.
#include "tests/simt/race.h"

using specmv::simt::AccessKind;
using specmv::simt::checkAccess;

#define SIMT_TRACE(bytes)                                                                          \
  extern "C" void __sanitizer_cov_load##bytes(const void *p) {                                     \
    checkAccess(p, bytes, AccessKind::load, __builtin_return_address(0));                          \
  }                                                                                                \
  extern "C" void __sanitizer_cov_store##bytes(const void *p) {                                    \
    checkAccess(p, bytes, AccessKind::store, __builtin_return_address(0));                         \
  }
SIMT_TRACE(1)
SIMT_TRACE(2)
SIMT_TRACE(4)
SIMT_TRACE(8)
SIMT_TRACE(16)

bool specmv::simt::isTracing() {
#if SPECMV_SIMT_TRACE
  return true;
#else
  return false;
#endif
}
