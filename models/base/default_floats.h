// The default floating-point environment for one thread and one scope.
#pragma once

#include <cstdint>
#include <xmmintrin.h>

namespace specmv {

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

} // namespace specmv
