/* The streams of the fake driver copy, record events, which a test can hold up, call functions of
 * the host, and are captured into graphs. */

#include "fake_outcome.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data);
int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data) {
  const int result = fakeOutcomeOn("cuLaunchHostFunc", stream);
  if (result == 0)
    function(data);
  return result;
}

int cuStreamSynchronize(void *stream);
int cuStreamSynchronize(void *stream) { return fakeOutcomeOn("cuStreamSynchronize", stream); }
int cuStreamWaitEvent(void *stream);
int cuStreamWaitEvent(void *stream) { return fakeOutcomeOn("cuStreamWaitEvent", stream); }
int cuEventRecord(void *event, void *stream);
int cuEventRecord(void *event, void *stream) {
  (void)event;
  return fakeOutcomeOn("cuEventRecord", stream);
}

/* The copy that fails: 1 is the next one, 0 is none. */
int fakeFailingCopy = 0;

static int copy(const char *name, void *to, const void *from, size_t bytes, void *stream) {
  const int isFailing = fakeFailingCopy > 0 && --fakeFailingCopy == 0;
  const int result = isFailing ? 999 : fakeOutcomeOn(name, stream);
  if (result == 0)
    memcpy(to, from, bytes);
  return result;
}
/* NOLINTBEGIN(readability-identifier-naming): the driver's names */
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream);
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream);
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream);
/* These two are for programs: specmv does not call them. */
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  return copy("cuMemcpyHtoD_v2", (void *)(uintptr_t)to, from, bytes, NULL);
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  return copy("cuMemcpyDtoH_v2", to, (const void *)(uintptr_t)from, bytes, NULL);
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
  return copy("cuMemcpyHtoDAsync_v2", (void *)(uintptr_t)to, from, bytes, stream);
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  return copy("cuMemcpyDtoHAsync_v2", to, (const void *)(uintptr_t)from, bytes, stream);
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
  if (bytes >= (size_t)1 << 30) /* only measures the rate: some forty such copies take long here */
    return fakeOutcomeOn("cuMemcpyDtoDAsync_v2", stream);
  return copy("cuMemcpyDtoDAsync_v2", (void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes,
              stream);
}
/* NOLINTEND(readability-identifier-naming) */
/* Of every stream. */
int fakeIsCapturing = 0;

int cuStreamIsCapturing(void *stream, int *status);
int cuStreamIsCapturing(void *stream, int *status) {
  (void)stream;
  *status = fakeIsCapturing;
  return fakeOutcome("cuStreamIsCapturing");
}

/* No event is over while this is set, or, with SPECMV_FAKE_NOT_READY, before one was waited for. */
int fakeHoldsEvents = 0;

int cuEventQuery(void);
int cuEventQuery(void) {
  const int result = fakeOutcome("cuEventQuery");
  return result == 0 && (fakeHoldsEvents || getenv("SPECMV_FAKE_NOT_READY")) ? 600 : result;
}
int cuEventSynchronize(void);
int cuEventSynchronize(void) {
  unsetenv("SPECMV_FAKE_NOT_READY");
  return fakeOutcome("cuEventSynchronize");
}
