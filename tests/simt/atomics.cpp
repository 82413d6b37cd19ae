// Atomic operations of the host executor: apart, so that the case units' tracing does not see their
// plain loads and stores.
#include "tests/simt/simt.h"

using specmv::simt::atomicAccess;
using specmv::simt::Site;

template <class T, class F> static T exchange(T *p, Site site, F next) {
  atomicAccess(p, sizeof(T), site);
  const T old = *p;
  *p = next(old);
  return old;
}

#define SIMT_DEFINE_ATOMICS(T)                                                                     \
  T atomicAdd(T *p, T value, Site site) {                                                          \
    return exchange(p, site, [=](T old) { return static_cast<T>(old + value); });                  \
  }                                                                                                \
  T atomicExch(T *p, T value, Site site) {                                                         \
    return exchange(p, site, [=](T) { return value; });                                            \
  }
SIMT_DEFINE_ATOMICS(int)
SIMT_DEFINE_ATOMICS(unsigned)
SIMT_DEFINE_ATOMICS(unsigned long long)
SIMT_DEFINE_ATOMICS(float)
SIMT_DEFINE_ATOMICS(double)

unsigned atomicInc(unsigned *p, unsigned limit, Site site) {
  return exchange(p, site, [=](unsigned old) { return old >= limit ? 0 : old + 1; });
}
