/* What the parts of the fake driver share: the result of a call, which a test may make fail. */
#ifndef SPECMV_TESTS_FAKE_OUTCOME_H
#define SPECMV_TESTS_FAKE_OUTCOME_H

#include <stddef.h>

/* Bytes of the GPU. */
static const size_t kFakeMemory = (size_t)1 << 30;
int fakeOutcome(const char *name);
/* Tells the outcome of a call on this stream, and counts those on the default stream. */
int fakeOutcomeOn(const char *name, const void *stream);
/* Sets what a function of a newly loaded module has. */
void fakeForgetFunction(void);

#endif
