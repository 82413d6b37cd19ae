// Loads with a cache policy. This is the only file with inline PTX; the second half is the plain
// C++ that the host executor of tests/simt runs instead. loadOnce is for arrays that are read once,
// in order: those of the matrix, which are Streamed, and working memory. loadReused is for x. The
// asm is not volatile: the loaded data does not change during a kernel, so the compiler may move
// loads freely.
#pragma once

namespace specmv {

// Neighbouring values that a thread loads at once.
template <class Value, int count> struct alignas(count * sizeof(Value)) Several {
  Value at[count];
};

// Kernels use it like a pointer; where it is converted to one, for loadReused(), loads have no
// policy.

// An array of the matrix, which a product reads once, and what L2 does with its lines.
template <class Element> struct Streamed {
  const Element *at;
  unsigned long long policy;
  __device__ operator const Element *() const { return at; } // NOLINT: implicit
  template <class Slot> __device__ Streamed operator+(Slot slots) const {
    return {at + slots, policy};
  }
};
template <class Element>
__device__ Streamed<Element> streamed(const Element *at, unsigned long long policy) {
  return {at, policy};
}
// The array as one of larger elements, to which it must be aligned.
template <class Wide, class Element>
__device__ __forceinline__ Streamed<Wide> widened(const Streamed<Element> &array) {
  return {reinterpret_cast<const Wide *>(array.at), array.policy};
}

#if defined(__CUDA_ARCH__)
// ld.global.nc loads through the read-only path. L1::no_allocate keeps data that is read only once
// from evicting x from L1. In L2, too, such a line is the first to be evicted, unless a policy says
// otherwise. The policy must be an argument of the kernel as it is: if it is computed, it lies in
// registers, and each load first moves it to a uniform one (SELL and CSR-vector then took up to 1.5
// times as long on an H100).
#if __CUDA_ARCH__ >= 800
#define SPECMV_BY_POLICY(type, to, from, policy)                                                   \
  "ld.global.nc.L1::no_allocate.L2::cache_hint." type " " to ", [" from "], " policy ";"
#else
#define SPECMV_BY_POLICY(type, to, from, policy)                                                   \
  "ld.global.nc.L1::no_allocate." type " " to ", [" from "];"
#endif
// loadOnceIf() returns *p if wanted; otherwise `v`, without a load. The load is predicated: an `if`
// would become a branch, after which later loads could not be issued early.
#define SPECMV_IF(wanted, load) "{ .reg .pred q; setp.ne.b32 q, " wanted ", 0; @q " load " }"
// Loads of a type, which take a register of type Register, `in` in asm.
#define SPECMV_LOADS(Type, Register, type, in)                                                     \
  __device__ __forceinline__ Type loadOnce(const Type *p) {                                        \
    Register out;                                                                                  \
    asm("ld.global.nc.L1::no_allocate." type " %0, [%1];" : "=" in(out) : "l"(p));                 \
    return out;                                                                                    \
  }                                                                                                \
  __device__ __forceinline__ Type loadOnce(const Streamed<Type> &p) {                              \
    Register out;                                                                                  \
    asm(SPECMV_BY_POLICY(type, "%0", "%1", "%2") : "=" in(out) : "l"(p.at), "l"(p.policy));        \
    return out;                                                                                    \
  }                                                                                                \
  __device__ __forceinline__ Type loadOnceIf(bool wanted, const Type *p, Type v) {                 \
    Register out = v;                                                                              \
    asm(SPECMV_IF("%1", "ld.global.nc.L1::no_allocate." type " %0, [%2];")                         \
        : "+" in(out)                                                                              \
        : "r"(int(wanted)), "l"(p));                                                               \
    return out;                                                                                    \
  }                                                                                                \
  __device__ __forceinline__ Type loadOnceIf(bool wanted, const Streamed<Type> &p, Type v) {       \
    Register out = v;                                                                              \
    asm(SPECMV_IF("%1", SPECMV_BY_POLICY(type, "%0", "%2", "%3"))                                  \
        : "+" in(out)                                                                              \
        : "r"(int(wanted)), "l"(p.at), "l"(p.policy));                                             \
    return out;                                                                                    \
  }
SPECMV_LOADS(float, float, "f32", "f")
SPECMV_LOADS(double, double, "f64", "d")
SPECMV_LOADS(int, int, "b32", "r")
SPECMV_LOADS(unsigned, unsigned, "b32", "r")
SPECMV_LOADS(long long, long long, "b64", "l")
SPECMV_LOADS(unsigned short, unsigned short, "u16", "h")
SPECMV_LOADS(unsigned char, unsigned short, "u8", "h")
__device__ __forceinline__ uint4 loadOnce(const uint4 *p) {
  uint4 v;
  asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
      : "l"(p));
  return v;
}
__device__ __forceinline__ uint4 loadOnce(const Streamed<uint4> &p) {
  uint4 v;
  asm(SPECMV_BY_POLICY("v4.u32", "{%0, %1, %2, %3}", "%4", "%5")
      : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
      : "l"(p.at), "l"(p.policy));
  return v;
}
__device__ __forceinline__ Several<float, 2> loadPair(const Streamed<float> &p) {
  Several<float, 2> v;
  asm(SPECMV_BY_POLICY("v2.f32", "{%0, %1}", "%2", "%3")
      : "=f"(v.at[0]), "=f"(v.at[1])
      : "l"(p.at), "l"(p.policy));
  return v;
}
__device__ __forceinline__ Several<double, 2> loadPair(const Streamed<double> &p) {
  Several<double, 2> v;
  asm(SPECMV_BY_POLICY("v2.f64", "{%0, %1}", "%2", "%3")
      : "=d"(v.at[0]), "=d"(v.at[1])
      : "l"(p.at), "l"(p.policy));
  return v;
}
template <class T> __device__ __forceinline__ T loadReused(const T *p) { return __ldg(p); }
#define SPECMV_LOAD_REUSED_IF(Type, Register, type, in)                                            \
  __device__ __forceinline__ Type loadReusedIf(bool wanted, const Type *p) {                       \
    Register out = 0;                                                                              \
    asm(SPECMV_IF("%1", "ld.global.nc." type " %0, [%2];")                                         \
        : "+" in(out)                                                                              \
        : "r"(int(wanted)), "l"(p));                                                               \
    return out;                                                                                    \
  }
SPECMV_LOAD_REUSED_IF(float, float, "f32", "f")
SPECMV_LOAD_REUSED_IF(double, double, "f64", "d")
SPECMV_LOAD_REUSED_IF(unsigned, unsigned, "b32", "r")
SPECMV_LOAD_REUSED_IF(unsigned char, unsigned, "u8", "r")
#undef SPECMV_LOAD_REUSED_IF
#undef SPECMV_LOADS
#undef SPECMV_IF
#undef SPECMV_BY_POLICY
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
// A kernel that may begin early calls waitForPrevious() first. NVRTC and ptxas leave all loads
// behind it, since it is volatile and clobbers memory; a test reads the PTX of every format.

// Waits until the work in front of this kernel has ended and its stores can be seen.
#if __CUDA_ARCH__ >= 900
__device__ void waitForPrevious() { asm volatile("griddepcontrol.wait;" : : : "memory"); }
#else
__device__ void waitForPrevious() {}
#endif
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
template <class T> __device__ __forceinline__ T loadOnce(const Streamed<T> &p) { return *p.at; }
template <class T> __device__ __forceinline__ T loadReused(const T *p) { return *p; }
template <class T> __device__ __forceinline__ T loadOnceIf(bool wanted, const T *p, T v) {
  return wanted ? *p : v;
}
template <class T> __device__ __forceinline__ T loadOnceIf(bool wanted, const Streamed<T> &p, T v) {
  return wanted ? *p.at : v;
}
template <class T> __device__ __forceinline__ T loadReusedIf(bool wanted, const T *p) {
  return wanted ? *p : T{};
}
#endif

// The element of a view whose sector other threads or later loads read too, so that L1 keeps it.
template <class T> __device__ __forceinline__ T loadKept(const Streamed<T> &p) {
  return loadReused(p.at);
}
template <class T> __device__ __forceinline__ Streamed<T> opaque(const Streamed<T> &p) {
  return {opaque(p.at), p.policy};
}

// Two neighbouring elements of a view, the first of which has an even number.
template <class View> __device__ __forceinline__ auto loadPair(View p) {
  return Several<decltype(loadOnce(p)), 2>{loadOnce(p), loadOnce(p + 1)};
}

} // namespace specmv
