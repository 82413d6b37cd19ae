// Statics that outlive all calls: they are destroyed when the library is unloaded, and never while
// the process ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>

namespace specmv {

// One of those that unloading destroys, the one that was made last first. It has no destructor,
// which a static would register to be run at the end of the process.
class DestroyedAtUnload {
public:
  static void destroyAll();

protected:
  using Destroy = void (*)(const DestroyedAtUnload *);
  // The caller has completed what `destroy` destroys.
  void add(Destroy destroy) const;

private:
  mutable const DestroyedAtUnload *before_ = nullptr;
  mutable Destroy destroy_ = nullptr;
};

// Chooses the thread that makes a value which several threads want.
class Making {
public:
  bool isDone() const { return state_.load(std::memory_order_acquire) == kDone; }
  // Returns true if the caller has to make the value and then to call end(). Else it waits for the
  // thread that makes it, and returns false.
  bool begin();
  void end(bool isMade);

private:
  static constexpr unsigned kNone = 0,
                            kDone = 1; // else a thread of this process makes it: 2 + forks()
  std::atomic<unsigned> state_{kNone};
};

// While a process ends, handlers of exit(), destructors of the program's own statics and threads
// that still run may call the library, so nothing that a call needs is destroyed then. Every static
// of a function whose type has a destructor is of this type (tests/house.sh checks this). Only for
// statics.
//
// The value is made at its first use, by `make` where it is given; if that throws, at the next one.
// A static that is initialized when it is first met would stop a process for good that was forked
// while another thread initialized it; here, such a process begins anew. (std::call_once() does so
// too, but where memory has run out, glibc ends the process in place of an exception that leaves
// it.)
template <class T> class Lasting : private DestroyedAtUnload {
public:
  constexpr Lasting() : make_([] { return T(); }) {}
  constexpr explicit Lasting(T (*make)()) : make_(make) {}
  Lasting(const Lasting &) = delete;
  Lasting &operator=(const Lasting &) = delete;

  T &operator*() { return *value(); }
  const T &operator*() const { return *value(); }
  T *operator->() { return value(); }
  const T *operator->() const { return value(); }

private:
  T *place() const { return std::launder(reinterpret_cast<T *>(memory_)); }
  T *value() const {
    if (!making_.isDone())
      make();
    return place();
  }
  void make() const {
    while (making_.begin()) {
      try {
        new (memory_) T(make_());
      } catch (...) {
        making_.end(false);
        throw;
      }
      add([](const DestroyedAtUnload *it) { static_cast<const Lasting *>(it)->place()->~T(); });
      making_.end(true);
    }
  }

  T (*make_)();
  mutable Making making_;
  alignas(T) mutable std::byte memory_[sizeof(T)] = {};
};

} // namespace specmv
