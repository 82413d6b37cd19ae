/* A compiler that answers at once: with an object that the fake driver loads, or as badly as
   SPECMV_FAKE_NVRTC says: noArchs, minusArchs or manyArchs (their number is absurd), hugeCubin or
   hugeLog (that size is), archs, size or cubin (that call fails), zeros (no ELF file), junk (an ELF
   file that the fake driver does not load), compile (nothing compiles). A compilation ends when
   the file exists that SPECMV_FAKE_NVRTC_GATE names, and takes SPECMV_FAKE_NVRTC_US; that of a
   source that begins with #error ends at once. The one architecture is SPECMV_FAKE_NVRTC_ARCH, else
   90. A copy that is called libnvrtc.so.12 is of version 12, with SPECMV_FAKE_NVRTC_ARCH12 and
   SPECMV_FAKE_NVRTC_MINOR12, else 6. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char kGood[] = "\177ELFloads", kJunk[] = "\177ELFjunk", kZeros[100];
static const char kPtx[] = "// the fake compiler's PTX\n";
static const char kLog[] = "k.cu(1): error: planted";

static int answers(const char *mode) {
  const char *wanted = getenv("SPECMV_FAKE_NVRTC");
  return wanted && strcmp(wanted, mode) == 0;
}

static const char *cubin(size_t *size) {
  if (answers("zeros") || answers("cubin")) {
    *size = sizeof kZeros;
    return kZeros;
  }
  *size = answers("junk") ? sizeof kJunk : sizeof kGood;
  return answers("junk") ? kJunk : kGood;
}

static int isVersion12(void) {
  Dl_info here;
  return dladdr(kGood, &here) != 0 && strstr(here.dli_fname, ".so.12") != NULL;
}

int nvrtcVersion(int *major, int *minor) {
  const char *set = getenv("SPECMV_FAKE_NVRTC_MINOR12");
  *major = isVersion12() ? 12 : 13;
  *minor = !isVersion12() ? 0 : set ? atoi(set) : 6;
  return 0;
}

const char *nvrtcGetErrorString(int result) {
  return result == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_INTERNAL_ERROR";
}

int nvrtcGetNumSupportedArchs(int *count) {
  *count = answers("noArchs")      ? 0
           : answers("minusArchs") ? -1
           : answers("manyArchs")  ? 2000000000
                                   : 1 + (getenv("SPECMV_FAKE_NVRTC_MORE") != NULL);
  return 0;
}

int nvrtcGetSupportedArchs(int *archs) {
  const char *of12 = isVersion12() ? getenv("SPECMV_FAKE_NVRTC_ARCH12") : NULL;
  const char *only = of12 ? of12 : getenv("SPECMV_FAKE_NVRTC_ARCH");
  archs[0] = answers("archs") ? 0 : only ? atoi(only) : 90;
  if (getenv("SPECMV_FAKE_NVRTC_MORE")) /* a second one */
    archs[1] = atoi(getenv("SPECMV_FAKE_NVRTC_MORE"));
  return answers("archs") ? 11 : 0;
}

static int theProgram, theError;

int nvrtcCreateProgram(void **program, const char *source, const char *name, int headers,
                       const char *const *texts, const char *const *names) {
  (void)name, (void)headers, (void)texts, (void)names;
  *program = strncmp(source, "#error", 6) == 0 ? &theError : &theProgram;
  return 0;
}

int nvrtcDestroyProgram(void **program) {
  *program = NULL;
  return 0;
}

static void takeTime(void) {
  const char *gate = getenv("SPECMV_FAKE_NVRTC_GATE"), *us = getenv("SPECMV_FAKE_NVRTC_US");
  for (int tries = 0; gate && access(gate, F_OK) != 0 && tries < 20000; ++tries)
    usleep(1000);
  if (us)
    usleep((unsigned)atoi(us));
}

int nvrtcCompileProgram(void *program, int count, const char *const *options) {
  (void)count, (void)options;
  if (program == &theError)
    return 6;
  takeTime();
  return answers("compile") ? 6 : 0;
}

int nvrtcGetProgramLogSize(void *program, size_t *size) {
  (void)program;
  *size = answers("hugeLog") ? (size_t)-1 : answers("compile") ? sizeof kLog : 1;
  return 0;
}

int nvrtcGetProgramLog(void *program, char *text) {
  (void)program;
  strcpy(text, answers("compile") ? kLog : "");
  return 0;
}

int nvrtcGetPTXSize(void *program, size_t *size) {
  (void)program;
  *size = sizeof kPtx;
  return 0;
}

int nvrtcGetPTX(void *program, char *text) {
  (void)program;
  strcpy(text, kPtx);
  return 0;
}

int nvrtcGetCUBINSize(void *program, size_t *size) {
  (void)program;
  (void)cubin(size);
  if (answers("hugeCubin"))
    *size = (size_t)1 << 40;
  return answers("size") ? 11 : 0;
}

int nvrtcGetCUBIN(void *program, char *bytes) {
  size_t size;
  const char *from = cubin(&size);
  (void)program;
  if (answers("cubin"))
    return 11;
  memcpy(bytes, from, size);
  return 0;
}
