/* Takes the place of malloc and its kin, which glibc also has under names of their own. Preloaded,
 * it lets the allocations that SPECMV_FAIL=FIRST,COUNT names fail, counted from main. */
#define _GNU_SOURCE
#include "fail_malloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static atomic_long asked, live, firstToFail, failuresLeft;
static __thread long askedByThread __attribute__((tls_model("initial-exec")));

EXPORT void failAllocations(long first, long count) {
  failuresLeft = 0;
  asked = askedByThread = 0;
  firstToFail = first;
  failuresLeft = count;
}

EXPORT long allocationsAsked(void) { return asked; }

EXPORT long allocationsOfThread(void) { return askedByThread; }

EXPORT long allocationsLive(void) { return live; }

/* Counts the bytes that this thread has freed since it last asked for memory. */
static __thread size_t freedLast __attribute__((tls_model("initial-exec")));

static int fails(void) {
  ++askedByThread;
  const long number = atomic_fetch_add(&asked, 1) + 1;
  if (failuresLeft <= 0 || number < firstToFail)
    return 0;
  --failuresLeft;
  errno = ENOMEM;
  return 1;
}

/* glibc ends the process if it has no memory to register the destructor of a thread-local object.
 * It has some, as with any allocator, if more was freed just before. */
static int isSpared(size_t size, void *caller) {
  Dl_info info;
  return freedLast >= size && dladdr(caller, &info) && info.dli_sname &&
         strcmp(info.dli_sname, "__cxa_thread_atexit_impl") == 0;
}

static void *counted(void *memory) {
  freedLast = 0;
  if (memory)
    ++live;
  return memory;
}

EXPORT void *malloc(size_t size) { return fails() ? NULL : counted(__libc_malloc(size)); }
EXPORT void *calloc(size_t nmemb, size_t size) {
  if (fails() && !isSpared(nmemb * size, __builtin_return_address(0)))
    return NULL;
  return counted(__libc_calloc(nmemb, size));
}
EXPORT void free(void *ptr) {
  if (ptr) {
    --live;
    freedLast = malloc_usable_size(ptr);
  }
  __libc_free(ptr);
}
EXPORT void *realloc(void *ptr, size_t size) {
  if (fails())
    return NULL;
  if (!ptr)
    return counted(__libc_realloc(NULL, size));
  void *memory = __libc_realloc(ptr, size);
  if (!memory && size == 0)
    --live; /* glibc frees then */
  return memory;
}
EXPORT void *memalign(size_t alignment, size_t size) {
  return fails() ? NULL : counted(__libc_memalign(alignment, size));
}
EXPORT void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
EXPORT int posix_memalign(void **memptr, size_t alignment, size_t size) {
  void *memory = memalign(alignment, size);
  if (!memory)
    return ENOMEM;
  *memptr = memory;
  return 0;
}

/* --- Preloaded ---------------------------------------------------------------------------------
 * A program that dies inside of NVIDIA's libraries, which end it when they have no memory, exits
 * with 77 instead. */
static void tellWhoDied(int number) {
  void *frames[64];
  failuresLeft = 0;
  const int count = backtrace(frames, 64);
  for (int i = 0; i < count; ++i) {
    Dl_info info;
    if (dladdr(frames[i], &info) && info.dli_fname &&
        (strstr(info.dli_fname, "/libnv") || strstr(info.dli_fname, "/libcuda")))
      _exit(77);
  }
  signal(number, SIG_DFL);
  raise(number);
}

/* Also where a library calls itself without end, which NVRTC does in places: on a stack of its own,
 * and before it has taken all of the machine's memory. */
static void watch(void) {
  static char stack[1 << 16];
  const stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
  const struct sigaction action = {.sa_handler = tellWhoDied, .sa_flags = SA_ONSTACK};
  const struct rlimit most = {(rlim_t)4 << 30, (rlim_t)4 << 30};
  sigaltstack(&alternative, NULL);
  sigaction(SIGABRT, &action, NULL);
  sigaction(SIGSEGV, &action, NULL);
  setrlimit(RLIMIT_AS, &most);
}

typedef int Main(int, char **, char **);
static Main *realMain;

static int failingMain(int argc, char **argv, char **environment) {
  long first = 0, count = 0;
  const char *wanted = getenv("SPECMV_FAIL");
  void *frame;
  if (!wanted || sscanf(wanted, "%ld,%ld", &first, &count) != 2)
    return realMain(argc, argv, environment);
  backtrace(&frame, 1); /* opens what it needs */
  watch();
  failAllocations(first, count);
  return realMain(argc, argv, environment);
}

typedef int Start(Main *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

EXPORT int __libc_start_main(Main *program, int argc, char **argv, void (*init)(void),
                             void (*fini)(void), void (*loader)(void), void *stack) {
  Start *start = (Start *)dlsym(RTLD_NEXT, "__libc_start_main");
  realMain = program;
  return start(failingMain, argc, argv, init, fini, loader, stack);
}
