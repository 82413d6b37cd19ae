// AddressSanitizer's calls for fibers and poisoned memory, or nothing if it is off.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SPECMV_SIMT_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SPECMV_SIMT_ASAN 1
#endif

#if SPECMV_SIMT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace specmv::simt {

#if SPECMV_SIMT_ASAN
constexpr bool kAddressSanitizer = true;
inline void poison(const void *p, size_t n) { __asan_poison_memory_region(p, n); }
inline void unpoison(const void *p, size_t n) { __asan_unpoison_memory_region(p, n); }
inline void startSwitch(void **save, const void *stack, size_t bytes) {
  __sanitizer_start_switch_fiber(save, stack, bytes);
}
inline void finishSwitch(void *saved, const void **stack = nullptr, size_t *bytes = nullptr) {
  __sanitizer_finish_switch_fiber(saved, stack, bytes);
}
#else
constexpr bool kAddressSanitizer = false;
inline void poison(const void *, size_t) {}
inline void unpoison(const void *, size_t) {}
inline void startSwitch(void **, const void *, size_t) {}
inline void finishSwitch(void *, const void ** = nullptr, size_t * = nullptr) {}
#endif

} // namespace specmv::simt
