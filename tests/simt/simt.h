// The CUDA names that kernels use, for a host compiler; must be included before any emitted source.
// This file includes nothing, since a case unit holds dozens of kernels and <math.h> alone costs
// 0.13 s.
#pragma once

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ inline
#define __launch_bounds__(...)

struct SimtDim3 {
  unsigned x, y, z;
};
extern SimtDim3 threadIdx, blockIdx, blockDim, gridDim;
constexpr int warpSize = 32;

// Declared as <math.h> does, so that a unit may include both.
extern "C" {
float fmaf(float, float, float) noexcept;
double fma(double, double, double) noexcept;
float fabsf(float) noexcept;
double fabs(double) noexcept;
float sqrtf(float) noexcept;
double sqrt(double) noexcept;
}

namespace specmv::simt {

struct Site {
  const char *file;
  int line;
};

enum class Collective : unsigned char { sync, ballot, any, all, shuffle, up, down, exclusive };

// A lane's part in a collective of its warp; returns the result for this lane once every lane of
// the mask has arrived. A lane that is not in the mask contributes all ones: NaN, or -1.
unsigned long long collective(Collective kind, unsigned mask, unsigned long long value,
                              int argument, int width, Site site);
void blockBarrier(Site site);
void fence();

// Memory of the block, the same for all its lanes, filled with 0xFF for every block: NaN, or -1.
void *sharedArray(const void *tag, const char *name, unsigned long elementBytes,
                  unsigned long alignment, unsigned long count);

// Reports a launch with less dynamic shared memory than this.
void needDynamicShared(unsigned long bytes);

// Informs the race detector. The lane does the operation next, before any other lane runs.
void atomicAccess(void *p, unsigned bytes, Site site);

// Reports an address that is not aligned for a vector type.
void checkAligned(const void *p, unsigned bytes);

template <class T>
T shuffled(Collective kind, unsigned mask, T value, int argument, int width, Site site) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = collective(kind, mask, bits, argument, width, site);
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

} // namespace specmv::simt

#define SPECMV_SHARED_ARRAY(Type, name, count)                                                     \
  static_assert(__is_trivial(Type));                                                               \
  static char name##Tag;                                                                           \
  Type(&name)[count] = *static_cast<Type(*)[count]>(                                               \
      ::specmv::simt::sharedArray(&name##Tag, #name, sizeof(Type), alignof(Type), (count)))

#define SPECMV_DYNAMIC_SHARED_ARRAY(Type, name, count)                                             \
  ::specmv::simt::needDynamicShared(sizeof(Type) * (count));                                       \
  static_assert(__is_trivial(Type));                                                               \
  static char name##Tag;                                                                           \
  Type *const name = static_cast<Type *>(                                                          \
      ::specmv::simt::sharedArray(&name##Tag, #name, sizeof(Type), alignof(Type), (count)))

// The caller's line, as a defaulted last argument.
#define SIMT_SITE ::specmv::simt::Site site = {__builtin_FILE(), __builtin_LINE()}

inline void __syncthreads(SIMT_SITE) { specmv::simt::blockBarrier(site); }
inline void __threadfence() { specmv::simt::fence(); }
inline void __threadfence_block() {}
inline void __syncwarp(unsigned mask = 0xffffffffU, SIMT_SITE) {
  specmv::simt::collective(specmv::simt::Collective::sync, mask, 0, 0, 32, site);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, SIMT_SITE) {
  using specmv::simt::Collective;
  return static_cast<unsigned>(
      specmv::simt::collective(Collective::ballot, mask, predicate != 0, 0, 32, site));
}
inline int __any_sync(unsigned mask, int predicate, SIMT_SITE) {
  using specmv::simt::Collective;
  return static_cast<int>(
      specmv::simt::collective(Collective::any, mask, predicate != 0, 0, 32, site));
}
inline int __all_sync(unsigned mask, int predicate, SIMT_SITE) {
  using specmv::simt::Collective;
  return static_cast<int>(
      specmv::simt::collective(Collective::all, mask, predicate != 0, 0, 32, site));
}

// Overloads for CUDA's types rather than a template, so that arguments convert as they do in CUDA.
#define SIMT_SHUFFLE(T, name, kind, Argument)                                                      \
  inline T name(unsigned mask, T value, Argument argument, int width = 32, SIMT_SITE) {            \
    return specmv::simt::shuffled<T>(specmv::simt::Collective::kind, mask, value,                  \
                                     static_cast<int>(argument), width, site);                     \
  }
#define SIMT_SHUFFLES(T)                                                                           \
  SIMT_SHUFFLE(T, __shfl_sync, shuffle, int)                                                       \
  SIMT_SHUFFLE(T, __shfl_up_sync, up, unsigned)                                                    \
  SIMT_SHUFFLE(T, __shfl_down_sync, down, unsigned)                                                \
  SIMT_SHUFFLE(T, __shfl_xor_sync, exclusive, int)
SIMT_SHUFFLES(int)
SIMT_SHUFFLES(unsigned)
SIMT_SHUFFLES(long)
SIMT_SHUFFLES(unsigned long)
SIMT_SHUFFLES(long long)
SIMT_SHUFFLES(unsigned long long)
SIMT_SHUFFLES(float)
SIMT_SHUFFLES(double)

// Lanes run one at a time, so that the plain operation, done in atomics.cpp, is atomic.
#define SIMT_ATOMICS(T)                                                                            \
  T atomicAdd(T *p, T value, SIMT_SITE);                                                           \
  T atomicExch(T *p, T value, SIMT_SITE);
#define SIMT_INTEGER_ATOMICS(T)                                                                    \
  SIMT_ATOMICS(T)                                                                                  \
  T atomicMin(T *p, T value, SIMT_SITE);                                                           \
  T atomicMax(T *p, T value, SIMT_SITE);                                                           \
  T atomicOr(T *p, T value, SIMT_SITE);                                                            \
  T atomicCAS(T *p, T expected, T value, SIMT_SITE);
SIMT_INTEGER_ATOMICS(int)
SIMT_INTEGER_ATOMICS(unsigned)
SIMT_INTEGER_ATOMICS(unsigned long long)
SIMT_ATOMICS(float)
SIMT_ATOMICS(double)
unsigned atomicInc(unsigned *p, unsigned limit, SIMT_SITE);
long long atomicMin(long long *p, long long value, SIMT_SITE);
long long atomicMax(long long *p, long long value, SIMT_SITE);

inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline int __clz(int v) { return v == 0 ? 32 : __builtin_clz(static_cast<unsigned>(v)); }
inline int __clzll(long long v) {
  return v == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(v));
}

#define SIMT_MIN_MAX(T)                                                                            \
  inline T min(T a, T b) { return b < a ? b : a; }                                                 \
  inline T max(T a, T b) { return a < b ? b : a; }
SIMT_MIN_MAX(int)
SIMT_MIN_MAX(unsigned)
SIMT_MIN_MAX(long)
SIMT_MIN_MAX(unsigned long)
SIMT_MIN_MAX(long long)
SIMT_MIN_MAX(unsigned long long)
SIMT_MIN_MAX(float)
SIMT_MIN_MAX(double)

template <class T> inline T __ldg(const T *p) { return *p; }
template <class T> inline T __ldcg(const T *p) { return *p; }
template <class T> inline T __ldcs(const T *p) { return *p; }

// On the device, vector types are read and written in one piece, and only at a multiple of their
// size. The host may copy them by element, so the address is checked here.
#define SIMT_VECTOR2(name, T)                                                                      \
  struct alignas(2 * sizeof(T)) name {                                                             \
    T x, y;                                                                                        \
    name() = default;                                                                              \
    name(T x, T y) : x(x), y(y) {}                                                                 \
    name(const name &o) : x(o.x), y(o.y) { specmv::simt::checkAligned(&o, sizeof(name)); }         \
    name &operator=(const name &o) {                                                               \
      specmv::simt::checkAligned(this, sizeof(name));                                              \
      specmv::simt::checkAligned(&o, sizeof(name));                                                \
      x = o.x, y = o.y;                                                                            \
      return *this;                                                                                \
    }                                                                                              \
  };                                                                                               \
  inline name make_##name(T x, T y) { return {x, y}; }
#define SIMT_VECTOR4(name, T)                                                                      \
  struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) name {                                   \
    T x, y, z, w;                                                                                  \
    name() = default;                                                                              \
    name(T x, T y, T z, T w) : x(x), y(y), z(z), w(w) {}                                           \
    name(const name &o) : x(o.x), y(o.y), z(o.z), w(o.w) {                                         \
      specmv::simt::checkAligned(&o, alignof(name));                                               \
    }                                                                                              \
    name &operator=(const name &o) {                                                               \
      specmv::simt::checkAligned(this, alignof(name));                                             \
      specmv::simt::checkAligned(&o, alignof(name));                                               \
      x = o.x, y = o.y, z = o.z, w = o.w;                                                          \
      return *this;                                                                                \
    }                                                                                              \
  };                                                                                               \
  inline name make_##name(T x, T y, T z, T w) { return {x, y, z, w}; }
SIMT_VECTOR2(int2, int)
SIMT_VECTOR2(uint2, unsigned)
SIMT_VECTOR2(float2, float)
SIMT_VECTOR2(double2, double)
SIMT_VECTOR4(int4, int)
SIMT_VECTOR4(uint4, unsigned)
SIMT_VECTOR4(float4, float)
SIMT_VECTOR4(uchar4, unsigned char)
SIMT_VECTOR4(ushort4, unsigned short)
