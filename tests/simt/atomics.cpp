// Atomic operations of the host executor: apart, so that the case units' tracing does not see their
// plain loads and stores.
#include "tests/simt/simt.h"

#include <cmath>

using specmv::simt::atomicAccess;
using specmv::simt::Site;

// Adds floats like the GPU's L2: subnormals become zeros of their sign (PTX ISA, red and atom);
// those of doubles do not.
static float flushed(float v) {
  return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0F, v) : v;
}
template <class T> static T addInMemory(T a, T b) { return static_cast<T>(a + b); }
static float addInMemory(float a, float b) { return flushed(flushed(a) + flushed(b)); }

template <class T, class F> static T exchange(T *p, Site site, F next) {
  atomicAccess(p, sizeof(T), site);
  const T old = *p;
  *p = next(old);
  return old;
}

#define SIMT_DEFINE_ATOMICS(T)                                                                     \
  T atomicAdd(T *p, T value, Site site) {                                                          \
    return exchange(p, site, [=](T old) { return addInMemory(old, value); });                      \
  }                                                                                                \
  T atomicExch(T *p, T value, Site site) {                                                         \
    return exchange(p, site, [=](T) { return value; });                                            \
  }
#define SIMT_DEFINE_MIN_MAX(T)                                                                     \
  T atomicMin(T *p, T value, Site site) {                                                          \
    return exchange(p, site, [=](T old) { return value < old ? value : old; });                    \
  }                                                                                                \
  T atomicMax(T *p, T value, Site site) {                                                          \
    return exchange(p, site, [=](T old) { return old < value ? value : old; });                    \
  }
#define SIMT_DEFINE_INTEGER_ATOMICS(T)                                                             \
  SIMT_DEFINE_ATOMICS(T)                                                                           \
  SIMT_DEFINE_MIN_MAX(T)                                                                           \
  T atomicOr(T *p, T value, Site site) {                                                           \
    return exchange(p, site, [=](T old) { return static_cast<T>(old | value); });                  \
  }                                                                                                \
  T atomicCAS(T *p, T expected, T value, Site site) {                                              \
    return exchange(p, site, [=](T old) { return old == expected ? value : old; });                \
  }
SIMT_DEFINE_INTEGER_ATOMICS(int)
SIMT_DEFINE_INTEGER_ATOMICS(unsigned)
SIMT_DEFINE_INTEGER_ATOMICS(unsigned long long)
SIMT_DEFINE_MIN_MAX(long long)
SIMT_DEFINE_ATOMICS(float)
SIMT_DEFINE_ATOMICS(double)

unsigned atomicInc(unsigned *p, unsigned limit, Site site) {
  return exchange(p, site, [=](unsigned old) { return old >= limit ? 0 : old + 1; });
}
