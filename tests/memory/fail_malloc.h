/* Lets allocations of this process fail, for tests: of a program that links it or, preloaded, of
 * any. */
#ifndef SPECMV_TESTS_FAIL_MALLOC_H
#define SPECMV_TESTS_FAIL_MALLOC_H

#ifdef __cplusplus
extern "C" {
#endif

/* From now on the first-th allocation fails (1 is the next) and those behind it, `count` in all;
 * count = 0: none. */
void failAllocations(long first, long count);

/* Allocations since the last failAllocations(). */
long allocationsAsked(void);

/* Those of this thread since its last failAllocations(). */
long allocationsOfThread(void);

/* What was allocated and is not freed, since the process began. */
long allocationsLive(void);

#ifdef __cplusplus
}
#endif

#endif
