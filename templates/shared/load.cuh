// Loads with a cache policy. This is the only file with inline PTX; the second half is the plain
// C++ that the host executor of tests/simt runs instead. loadOnce is for arrays that are read once,
// in order; loadReused is for x. The asm is not volatile: the loaded data does not change during a
// kernel, so the compiler may move loads freely.
#pragma once

namespace specmv {

// Neighbouring values that a thread loads at once.
template <class Value, int count> struct alignas(count * sizeof(Value)) Several {
  Value at[count];
};

#if defined(__CUDA_ARCH__)
// ld.global.nc loads through the read-only path. L1::no_allocate keeps data that is read only once
// from evicting x from L1.
__device__ __forceinline__ float loadOnce(const float *p) {
  float v;
  asm("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(p));
  return v;
}
__device__ __forceinline__ double loadOnce(const double *p) {
  double v;
  asm("ld.global.nc.L1::no_allocate.f64 %0, [%1];" : "=d"(v) : "l"(p));
  return v;
}
__device__ __forceinline__ int loadOnce(const int *p) {
  int v;
  asm("ld.global.nc.L1::no_allocate.b32 %0, [%1];" : "=r"(v) : "l"(p));
  return v;
}
__device__ __forceinline__ long long loadOnce(const long long *p) {
  long long v;
  asm("ld.global.nc.L1::no_allocate.b64 %0, [%1];" : "=l"(v) : "l"(p));
  return v;
}
__device__ __forceinline__ unsigned short loadOnce(const unsigned short *p) {
  unsigned short v;
  asm("ld.global.nc.L1::no_allocate.u16 %0, [%1];" : "=h"(v) : "l"(p));
  return v;
}
__device__ __forceinline__ unsigned char loadOnce(const unsigned char *p) {
  unsigned v;
  asm("ld.global.nc.L1::no_allocate.u8 %0, [%1];" : "=r"(v) : "l"(p));
  return static_cast<unsigned char>(v);
}
__device__ __forceinline__ uint4 loadOnce(const uint4 *p) {
  uint4 v;
  asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
      : "l"(p));
  return v;
}
__device__ __forceinline__ Several<float, 2> loadPair(const float *p) {
  Several<float, 2> v;
  asm("ld.global.nc.L1::no_allocate.v2.f32 {%0, %1}, [%2];"
      : "=f"(v.at[0]), "=f"(v.at[1])
      : "l"(p));
  return v;
}
__device__ __forceinline__ Several<double, 2> loadPair(const double *p) {
  Several<double, 2> v;
  asm("ld.global.nc.L1::no_allocate.v2.f64 {%0, %1}, [%2];"
      : "=d"(v.at[0]), "=d"(v.at[1])
      : "l"(p));
  return v;
}
template <class T> __device__ __forceinline__ T loadReused(const T *p) { return __ldg(p); }
// Returns *p if wanted; otherwise `v`, or 0, without a load. The load is predicated: an `if` would
// become a branch, after which later loads could not be issued early.
__device__ __forceinline__ float loadOnceIf(bool wanted, const float *p, float v) {
  asm("{ .reg .pred q; setp.ne.b32 q, %1, 0; @q ld.global.nc.L1::no_allocate.f32 %0, [%2]; }"
      : "+f"(v)
      : "r"(int(wanted)), "l"(p));
  return v;
}
__device__ __forceinline__ double loadOnceIf(bool wanted, const double *p, double v) {
  asm("{ .reg .pred q; setp.ne.b32 q, %1, 0; @q ld.global.nc.L1::no_allocate.f64 %0, [%2]; }"
      : "+d"(v)
      : "r"(int(wanted)), "l"(p));
  return v;
}
__device__ __forceinline__ int loadOnceIf(bool wanted, const int *p, int v) {
  asm("{ .reg .pred q; setp.ne.b32 q, %1, 0; @q ld.global.nc.L1::no_allocate.b32 %0, [%2]; }"
      : "+r"(v)
      : "r"(int(wanted)), "l"(p));
  return v;
}
__device__ __forceinline__ long long loadOnceIf(bool wanted, const long long *p, long long v) {
  asm("{ .reg .pred q; setp.ne.b32 q, %1, 0; @q ld.global.nc.L1::no_allocate.b64 %0, [%2]; }"
      : "+l"(v)
      : "r"(int(wanted)), "l"(p));
  return v;
}
__device__ __forceinline__ unsigned short loadOnceIf(bool wanted, const unsigned short *p,
                                                     unsigned short v) {
  asm("{ .reg .pred q; setp.ne.b32 q, %1, 0; @q ld.global.nc.L1::no_allocate.u16 %0, [%2]; }"
      : "+h"(v)
      : "r"(int(wanted)), "l"(p));
  return v;
}
__device__ __forceinline__ unsigned char loadOnceIf(bool wanted, const unsigned char *p,
                                                    unsigned char v) {
  unsigned wide = v;
  asm("{ .reg .pred q; setp.ne.b32 q, %1, 0; @q ld.global.nc.L1::no_allocate.u8 %0, [%2]; }"
      : "+r"(wide)
      : "r"(int(wanted)), "l"(p));
  return static_cast<unsigned char>(wide);
}
__device__ __forceinline__ unsigned loadOnceIf(bool wanted, const unsigned *p, unsigned v) {
  asm("{ .reg .pred q; setp.ne.b32 q, %1, 0; @q ld.global.nc.L1::no_allocate.b32 %0, [%2]; }"
      : "+r"(v)
      : "r"(int(wanted)), "l"(p));
  return v;
}
__device__ __forceinline__ float loadReusedIf(bool wanted, const float *p) {
  float v = 0;
  asm("{ .reg .pred q; setp.ne.b32 q, %1, 0; @q ld.global.nc.f32 %0, [%2]; }"
      : "+f"(v)
      : "r"(int(wanted)), "l"(p));
  return v;
}
__device__ __forceinline__ double loadReusedIf(bool wanted, const double *p) {
  double v = 0;
  asm("{ .reg .pred q; setp.ne.b32 q, %1, 0; @q ld.global.nc.f64 %0, [%2]; }"
      : "+d"(v)
      : "r"(int(wanted)), "l"(p));
  return v;
}
__device__ __forceinline__ Several<float, 2> loadReusedIf(bool wanted, const Several<float, 2> *p) {
  Several<float, 2> v = {};
  asm("{ .reg .pred q; setp.ne.b32 q, %2, 0; @q ld.global.nc.v2.f32 {%0, %1}, [%3]; }"
      : "+f"(v.at[0]), "+f"(v.at[1])
      : "r"(int(wanted)), "l"(p));
  return v;
}
__device__ __forceinline__ Several<float, 4> loadReusedIf(bool wanted, const Several<float, 4> *p) {
  Several<float, 4> v = {};
  asm("{ .reg .pred q; setp.ne.b32 q, %4, 0; @q ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%5]; }"
      : "+f"(v.at[0]), "+f"(v.at[1]), "+f"(v.at[2]), "+f"(v.at[3])
      : "r"(int(wanted)), "l"(p));
  return v;
}
__device__ __forceinline__ Several<double, 2> loadReusedIf(bool wanted,
                                                           const Several<double, 2> *p) {
  Several<double, 2> v = {};
  asm("{ .reg .pred q; setp.ne.b32 q, %2, 0; @q ld.global.nc.v2.f64 {%0, %1}, [%3]; }"
      : "+d"(v.at[0]), "+d"(v.at[1])
      : "r"(int(wanted)), "l"(p));
  return v;
}
template <class Value, int count>
__device__ __forceinline__ Several<Value, count> loadReused(const Several<Value, count> *p) {
  return loadReusedIf(true, p);
}
// Returns p and hides from the compiler how it was computed. Constant distances from p then become
// part of the load instructions; otherwise a loop keeps or computes an address for each of them.
template <class T> __device__ __forceinline__ const T *opaque(const T *p) {
  asm("" : "+l"(p));
  return p;
}
__device__ __forceinline__ unsigned char loadReusedIf(bool wanted, const unsigned char *p) {
  unsigned v = 0;
  asm("{ .reg .pred q; setp.ne.b32 q, %1, 0; @q ld.global.nc.u8 %0, [%2]; }"
      : "+r"(v)
      : "r"(int(wanted)), "l"(p));
  return static_cast<unsigned char>(v);
}
__device__ __forceinline__ unsigned loadReusedIf(bool wanted, const unsigned *p) {
  unsigned v = 0;
  asm("{ .reg .pred q; setp.ne.b32 q, %1, 0; @q ld.global.nc.b32 %0, [%2]; }"
      : "+r"(v)
      : "r"(int(wanted)), "l"(p));
  return v;
}
// Copies an element of 4 or 8 bytes to shared memory. The copy is complete after the thread has
// called waitForCopies(). A copy needs no register, so a thread may start any number of them.
template <class T> __device__ __forceinline__ void copyAsync(T *to, const T *from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
               :
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from), "n"(sizeof(T))
               : "memory");
#else
  *to = loadOnce(from);
#endif
}
__device__ __forceinline__ void waitForCopies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
// Fetches *p to L1 for a load that comes later.
template <class T> __device__ __forceinline__ void prefetch(const T *p) {
  asm volatile("prefetch.global.L1 [%0];" : : "l"(p));
}
// Lets the next kernel of the stream begin, if it may begin early, when all blocks have called this
// or ended.
__device__ __forceinline__ void letNextBegin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
#endif
}
// Waits until the work in front of this kernel has ended and its stores can be seen. A kernel that
// may begin early calls this first. NVRTC and ptxas leave all loads behind it, since it is volatile
// and clobbers memory; a test reads the PTX of every format.
__device__ __forceinline__ void waitForPrevious() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" : : : "memory");
#endif
}
// Loads a word that other threads may change with atomics at the same time.
template <class T> __device__ __forceinline__ T loadRelaxed(const T *p) {
  return *static_cast<const volatile T *>(p);
}
#else
template <class T> __device__ __forceinline__ void prefetch(const T * /*p*/) {}
__device__ __forceinline__ void letNextBegin() {}
__device__ __forceinline__ void waitForPrevious() {}
template <class T> __device__ __forceinline__ T loadRelaxed(const T *p) {
  return atomicAdd(const_cast<T *>(p), T(0));
}
template <class T> __device__ __forceinline__ void copyAsync(T *to, const T *from) { *to = *from; }
__device__ __forceinline__ void waitForCopies() {}
template <class T> __device__ __forceinline__ const T *opaque(const T *p) { return p; }
template <class T> __device__ __forceinline__ T loadOnce(const T *p) { return *p; }
template <class T> __device__ __forceinline__ T loadReused(const T *p) { return *p; }
template <class T> __device__ __forceinline__ T loadOnceIf(bool wanted, const T *p, T v) {
  return wanted ? *p : v;
}
template <class T> __device__ __forceinline__ T loadReusedIf(bool wanted, const T *p) {
  return wanted ? *p : T{};
}
#endif

// Two neighbouring elements of a view, the first of which has an even number.
template <class View> __device__ __forceinline__ auto loadPair(View p) {
  return Several<decltype(loadOnce(p)), 2>{loadOnce(p), loadOnce(p + 1)};
}

} // namespace specmv
