/* Takes the place of the C library's functions that are system calls on files, and makes the calls
 * itself (x86-64). A close that fails has closed the file all the same, as Linux does it. */
#define _GNU_SOURCE
#include "fail_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static atomic_long made, firstToFail, failuresLeft;
static atomic_int errorToGive, errorOfCloses;

EXPORT void failCalls(long first, long count, int error) {
  failuresLeft = 0;
  made = 0;
  firstToFail = first;
  errorToGive = error;
  failuresLeft = count;
}

EXPORT long callsMade(void) { return made; }

EXPORT void failCloses(int error) { errorOfCloses = error; }

static int fails(void) {
  const long number = atomic_fetch_add(&made, 1) + 1;
  if (failuresLeft <= 0 || number < firstToFail)
    return 0;
  --failuresLeft;
  if (errorToGive == FAIL_CALLS_KILL)
    kill(getpid(), SIGKILL);
  errno = errorToGive;
  return 1;
}

#define CALL(...) (fails() ? -1 : syscall(__VA_ARGS__))

static int openAt(int fd, const char *file, int flags, mode_t mode) {
  return (int)CALL(SYS_openat, fd, file, flags, mode);
}
static mode_t modeIn(int flags, va_list list) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
}
/* An open of any name, with the mode that it has if it may create. */
#define OPEN(folder)                                                                               \
  va_list list;                                                                                    \
  va_start(list, oflag);                                                                           \
  const mode_t mode = modeIn(oflag, list);                                                         \
  va_end(list);                                                                                    \
  return openAt(folder, file, oflag, mode)

EXPORT int open(const char *file, int oflag, ...) { OPEN(AT_FDCWD); }
EXPORT int open64(const char *file, int oflag, ...) { OPEN(AT_FDCWD); }
EXPORT int openat(int fd, const char *file, int oflag, ...) { OPEN(fd); }
EXPORT int openat64(int fd, const char *file, int oflag, ...) { OPEN(fd); }

EXPORT ssize_t read(int fd, void *buf, size_t nbytes) { return CALL(SYS_read, fd, buf, nbytes); }
EXPORT ssize_t pread(int fd, void *buf, size_t nbytes, off_t offset) {
  return CALL(SYS_pread64, fd, buf, nbytes, offset);
}
EXPORT ssize_t pread64(int fd, void *buf, size_t nbytes, off_t offset) {
  return CALL(SYS_pread64, fd, buf, nbytes, offset);
}
EXPORT ssize_t write(int fd, const void *buf, size_t n) { return CALL(SYS_write, fd, buf, n); }
/* What is tested is what other processes see, which needs no wait for the disk. */
EXPORT int fsync(int fd) { return (void)fd, fails() ? -1 : 0; }
EXPORT int fchmod(int fd, mode_t mode) { return (int)CALL(SYS_fchmod, fd, mode); }
EXPORT int flock(int fd, int how) { return (int)CALL(SYS_flock, fd, how); }
EXPORT int futimens(int fd, const struct timespec times[2]) {
  return (int)CALL(SYS_utimensat, fd, NULL, times, 0);
}
EXPORT int mkdir(const char *path, mode_t mode) { return (int)CALL(SYS_mkdir, path, mode); }
EXPORT int mkdirat(int fd, const char *path, mode_t mode) {
  return (int)CALL(SYS_mkdirat, fd, path, mode);
}
EXPORT int rename(const char *from, const char *to) { return (int)CALL(SYS_rename, from, to); }
EXPORT int renameat(int of, const char *from, int in, const char *to) {
  return (int)CALL(SYS_renameat, of, from, in, to);
}
EXPORT int linkat(int fromfd, const char *from, int tofd, const char *to, int flags) {
  return (int)CALL(SYS_linkat, fromfd, from, tofd, to, flags);
}
EXPORT int unlinkat(int fd, const char *name, int flag) {
  return (int)CALL(SYS_unlinkat, fd, name, flag);
}
EXPORT int stat(const char *file, struct stat *buf) { return (int)CALL(SYS_stat, file, buf); }
EXPORT int fstat(int fd, struct stat *buf) { return (int)CALL(SYS_fstat, fd, buf); }
EXPORT int fstatat(int fd, const char *file, struct stat *buf, int flag) {
  return (int)CALL(SYS_newfstatat, fd, file, buf, flag);
}
EXPORT int close(int fd) {
  const int failed = fails() ? errno : errorOfCloses, status = (int)syscall(SYS_close, fd);
  if (failed)
    errno = failed;
  return failed ? -1 : status;
}
