// A compiled kernel as the runner calls it: through the void ** that cuLaunchKernel takes. This
// file includes nothing, because every case unit includes it.
#pragma once

namespace specmv::simt {

// The properties of a kernel parameter, for comparison with the Launch that binds it.
struct Parameter {
  bool pointer, writable; // writable: a pointer to what is not const
  char kind;              // f: floating, i: signed, u: unsigned
  unsigned char bytes;    // of the value or of the pointer's element
};

template <class T>
constexpr Parameter kParameter{false, false,
                               T(0.5) != 0    ? 'f'
                               : T(-1) < T(0) ? 'i'
                                              : 'u',
                               sizeof(T)};
template <class T>
constexpr Parameter kParameter<T *>{true, true, kParameter<T>.kind, kParameter<T>.bytes};
template <class T>
constexpr Parameter kParameter<const T *>{true, false, kParameter<T>.kind, kParameter<T>.bytes};
template <class T> constexpr Parameter kParameter<T *__restrict__> = kParameter<T *>;
template <class T> constexpr Parameter kParameter<const T *__restrict__> = kParameter<const T *>;

struct CompiledKernel {
  unsigned long long source; // hash of the source text
  const char *name;
  void (*call)(void **arguments); // as one lane
  const Parameter *parameters;
  unsigned count;
};

template <class... A> struct Signature {
  static constexpr Parameter kParameters[sizeof...(A) + 1] = {kParameter<A>..., {}};
  // Braces evaluate from left to right, in the order of the arguments.
  struct Called {
    Called(void (*kernel)(A...), A... a) { kernel(a...); }
  };
  static void *next(void **&p) { return *p++; }
  static void call(void (*kernel)(A...), void **p) {
    Called{kernel, *static_cast<A *>(next(p))...};
  }
};

template <class... A> Signature<A...> signatureOf(void (*)(A...));

template <auto kernel>
constexpr CompiledKernel compiled(unsigned long long source, const char *name) {
  using S = decltype(signatureOf(kernel));
  constexpr unsigned count = sizeof(S::kParameters) / sizeof(Parameter) - 1;
  return {source, name, [](void **p) { S::call(kernel, p); }, S::kParameters, count};
}

} // namespace specmv::simt
