/* What the streams of the fake driver do that a test can hold up: functions of the host, and
 * captures into graphs. */

#include "fake_outcome.h"

/* Functions of the host run at once, or, with fakeHoldsHostCalls set, by fakeRunHostCalls(). */
int fakeHoldsHostCalls = 0;
static void (*held[16])(void *);
static void *heldData[16];
static int heldCount = 0;

void fakeRunHostCalls(void);
void fakeRunHostCalls(void) {
  while (heldCount > 0) {
    --heldCount;
    held[heldCount](heldData[heldCount]);
  }
}

int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data);
int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data) {
  const int result = fakeOutcome("cuLaunchHostFunc");
  (void)stream;
  if (result == 0 && fakeHoldsHostCalls && heldCount < 16) {
    held[heldCount] = function;
    heldData[heldCount++] = data;
  } else if (result == 0) {
    function(data);
  }
  return result;
}

/* Of every stream. */
int fakeIsCapturing = 0;

int cuStreamIsCapturing(void *stream, int *status);
int cuStreamIsCapturing(void *stream, int *status) {
  (void)stream;
  *status = fakeIsCapturing;
  return fakeOutcome("cuStreamIsCapturing");
}
