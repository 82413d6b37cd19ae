/* The functions of the fake driver's modules: they are all one, with 8,264 bytes of static shared
 * memory, of which four blocks fit an SM. */
#include "fake_outcome.h"

enum { kStaticBytes = 1, kCarveout = 9 }; /* of CUfunction_attribute; all else is a limit */

static int sharedLimit = 0;
int fakeCarveout = -1;        /* the wished percentage of shared memory; -1: none */
int fakeOccupancyThreads = 0; /* of a block, in the last question */

void fakeForgetFunction(void) { sharedLimit = 0, fakeCarveout = -1; }

int cuFuncGetAttribute(int *value, int what, void *function);
int cuFuncGetAttribute(int *value, int what, void *function) {
  const int result = fakeOutcome("cuFuncGetAttribute");
  (void)function;
  if (result == 0)
    *value = what == kStaticBytes ? 8264 : sharedLimit;
  return result;
}

int cuFuncSetAttribute(void *function, int what, int value);
int cuFuncSetAttribute(void *function, int what, int value) {
  const int result = fakeOutcome("cuFuncSetAttribute");
  (void)function;
  if (result == 0)
    *(what == kCarveout ? &fakeCarveout : &sharedLimit) = value;
  return result;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads,
                                                unsigned long bytes);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads,
                                                unsigned long bytes) {
  const int result = fakeOutcome("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  (void)function, (void)bytes;
  fakeOccupancyThreads = threads;
  if (result == 0)
    *blocks = 4;
  return result;
}
