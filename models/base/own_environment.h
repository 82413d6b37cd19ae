// The environment of the library's calls: its locale and floating-point environment, and the
// variables of the process.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <locale.h> // newlocale and uselocale are POSIX's, which <clocale> need not have
#include <optional>
#include <string>
#include <xmmintrin.h>

namespace specmv {

// --- Environment ---------------------------------------------------------------------------------

// The only place that reads environment variables.

// Returns nullopt if the variable is unset, and always in a program that runs with more rights than
// the user who started it (setuid, file capabilities). The environment of that user must not decide
// where machine code is loaded from or where files are written.
inline std::optional<std::string> environmentIfSet(const char *name) {
  const char *value = secure_getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

// Returns "" if the variable is unset.
inline std::string environment(const char *name) { return environmentIfSet(name).value_or(""); }

// --- C locale ------------------------------------------------------------------------------------

// The C locale for one thread and one scope.

// While an object of this class lives, this thread reads and writes decimal points, whatever locale
// the application has set. LLVM needs this, since its numbers and JSON call strtod and snprintf.
// glibc allocates no memory for this. If another C library has no memory for the locale, the
// application's locale stays.
class CLocale {
public:
  CLocale() : own_(newlocale(LC_ALL_MASK, "C", nullptr)) {
    if (!own_)
      return;
    before_ = uselocale(own_);
    isOutermost_ = !ofApplication();
    if (isOutermost_)
      ofApplication() = before_;
  }
  CLocale(const CLocale &) = delete;
  CLocale &operator=(const CLocale &) = delete;
  ~CLocale() {
    if (!own_)
      return;
    if (isOutermost_)
      ofApplication() = nullptr;
    uselocale(before_);
    freelocale(own_);
  }

private:
  friend class ApplicationsLocale;
  // The locale that this thread had before its outermost CLocale; null while there is none.
  static locale_t &ofApplication() {
    static thread_local locale_t locale = nullptr;
    return locale;
  }

  locale_t own_, before_ = nullptr;
  bool isOutermost_ = false;
};

// Restores the application's locale while the library calls one of the application's functions.
class ApplicationsLocale {
public:
  ApplicationsLocale() {
    if (const locale_t theirs = CLocale::ofApplication())
      before_ = uselocale(theirs);
  }
  ApplicationsLocale(const ApplicationsLocale &) = delete;
  ApplicationsLocale &operator=(const ApplicationsLocale &) = delete;
  ~ApplicationsLocale() {
    if (before_)
      uselocale(before_);
  }

private:
  locale_t before_ = nullptr;
};

// --- Default floats ------------------------------------------------------------------------------

// The default floating-point environment for one thread and one scope.

// The modes and flags of a thread: rounding, flushing of denormal numbers, traps, the precision of
// x87, and the exceptions raised so far. <cfenv> takes 0.19 us to read, set and restore them; this
// takes 0.04 us if nothing of x87 differs, and every product pays for it (measured on a Xeon).
class FloatState {
public:
  static FloatState now() {
    FloatState state;
    state.sse_ = _mm_getcsr();
    __asm__ volatile("fnstcw %0" : "=m"(state.x87Control_));
    __asm__ volatile("fnstsw %0" : "=m"(state.x87Status_));
    return state;
  }
  void set() const {
    _mm_setcsr(sse_);
    if (const FloatState current = now();
        current.x87Control_ != x87Control_ || current.flags() != flags())
      setX87();
  }

private:
  static constexpr uint16_t kX87Flags = 0xff; // the exceptions, and that one is pending
  // Words 0 and 2 of the environment in memory are the control and the status.
  struct X87Environment {
    uint16_t words[14];
  };

  uint16_t flags() const { return x87Status_ & kX87Flags; }
  void setX87() const {
    X87Environment environment;
    __asm__ volatile("fnstenv %0" : "=m"(environment));
    environment.words[0] = x87Control_;
    environment.words[2] = static_cast<uint16_t>((environment.words[2] & ~kX87Flags) | flags());
    __asm__ volatile("fldenv %0" : : "m"(environment));
  }

  // The state in which a program starts: rounding to nearest, no traps, no flags, x87 in full.
  uint32_t sse_ = 0x1f80;
  uint16_t x87Control_ = 0x37f, x87Status_ = 0;
};

// While an object of this class lives, this thread computes in the default environment, whatever
// the application has set. So choices, texts and products do not depend on it: a number that is
// read while rounding upward is another one. At the end the application has its modes and flags as
// they were; the library raises none.
class DefaultFloats {
public:
  DefaultFloats() {
    if (ofApplication())
      return;
    ofApplication() = this;
    FloatState().set();
  }
  DefaultFloats(const DefaultFloats &) = delete;
  DefaultFloats &operator=(const DefaultFloats &) = delete;
  ~DefaultFloats() {
    if (ofApplication() != this)
      return;
    ofApplication() = nullptr;
    before_.set();
  }

private:
  friend class ApplicationsFloats;
  // The outermost object of this thread, which has the application's state; null if there is none.
  static DefaultFloats *&ofApplication() {
    static thread_local DefaultFloats *outermost = nullptr;
    return outermost;
  }

  FloatState before_ = FloatState::now();
};

// Restores the application's state while the library calls one of the application's functions, and
// keeps what that function makes of it.
class ApplicationsFloats {
public:
  ApplicationsFloats() : library_(DefaultFloats::ofApplication()) {
    if (!library_)
      return;
    DefaultFloats::ofApplication() = nullptr;
    library_->before_.set();
  }
  ApplicationsFloats(const ApplicationsFloats &) = delete;
  ApplicationsFloats &operator=(const ApplicationsFloats &) = delete;
  ~ApplicationsFloats() {
    if (!library_)
      return;
    library_->before_ = FloatState::now();
    FloatState().set();
    DefaultFloats::ofApplication() = library_;
  }

private:
  DefaultFloats *library_;
};

// --- Own environment -----------------------------------------------------------------------------

// Replaces a thread's locale and floating-point environment by the library's own in every call. (It
// is one file, so that no place takes only one of them.)

struct OwnEnvironment {
  CLocale decimalPoints; // for everything that the library prints and parses
  DefaultFloats floats;
};

// Restores the application's while the library calls one of its functions.
struct ApplicationsEnvironment {
  ApplicationsLocale locale;
  ApplicationsFloats floats;
};

} // namespace specmv
