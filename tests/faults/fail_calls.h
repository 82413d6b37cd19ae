/* Lets system calls of this process fail that have to do with files, or kills it at one of them,
 * for tests: of a program that links it before the C library. */
#ifndef SPECMV_TESTS_FAIL_CALLS_H
#define SPECMV_TESTS_FAIL_CALLS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the process by SIGKILL in place of an error. */
#define FAIL_CALLS_KILL (-1)

/* From now on the first-th call (1 is the next) and those behind it, `count` in all, fail with this
 * errno; count = 0: none. */
void failCalls(long first, long count, int error);

/* From now on every close fails with this errno; 0: none. */
void failCloses(int error);

/* Calls since the last failCalls(). */
long callsMade(void);

#ifdef __cplusplus
}
#endif

#endif
