/* Virtual memory of the fake driver, which there is with SPECMV_FAKE_MAPS: what is mapped is
 * counted, and more than the GPU has fails. */
#include "fake_outcome.h"

#include <stdint.h>

/* NOLINTBEGIN(readability-identifier-naming): the driver's names */
/* Bytes that are mapped. */
size_t fakeMapped = 0;
int cuMemCreate(uint64_t *out, size_t bytes) {
  const int result = fakeOutcome("cuMemCreate");
  const size_t all = fakeMapped + bytes;
  *out = 1;
  return result ? result : all > kFakeMemory ? 2 : 0; /* 2: out of memory */
}
int cuMemMap(uint64_t at, size_t bytes) {
  (void)at;
  const int result = fakeOutcome("cuMemMap");
  __atomic_fetch_add(&fakeMapped, result ? 0 : bytes, __ATOMIC_RELAXED);
  return result;
}
int cuMemUnmap(uint64_t at, size_t bytes) {
  (void)at;
  __atomic_fetch_sub(&fakeMapped, bytes, __ATOMIC_RELAXED);
  return fakeOutcome("cuMemUnmap");
}
int cuMemGetAllocationGranularity(size_t *out) {
  *out = (size_t)2 << 20;
  return fakeOutcome("cuMemGetAllocationGranularity");
}
int cuMemRelease(void) { return fakeOutcome("cuMemRelease"); }
int cuMemSetAccess(void) { return fakeOutcome("cuMemSetAccess"); }
/* NOLINTEND(readability-identifier-naming) */
