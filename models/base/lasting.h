// Statics that outlive all calls: a Lasting is destroyed when the library is unloaded, but never
// while the process ends; an Undying is never destroyed.
#pragma once

#include "models/base/fork.h"

#include <atomic>
#include <cstddef>
#include <new>

namespace specmv {

// An object that is destroyed at unloading, in reverse order of construction. It has no destructor,
// because a static with one would be destroyed at the end of the process.
class DestroyedAtUnload {
public:
  static void destroyAll();

protected:
  using Destroy = void (*)(const DestroyedAtUnload *);
  // The caller has completed the object that `destroy` destroys.
  void add(Destroy destroy) const;

private:
  mutable const DestroyedAtUnload *before_ = nullptr;
  mutable Destroy destroy_ = nullptr;
};

// Chooses the one thread that makes a value which several threads want.
class Making {
public:
  bool isDone() const { return state_.load(std::memory_order_acquire) == kDone; }
  // Returns true if the caller must make the value and then call end(). Otherwise waits for the
  // thread that makes it and returns false.
  bool begin();
  void end(bool isMade);

private:
  static constexpr unsigned kNone = 0,
                            kDone = 1; // otherwise 2 + forks(): a thread of this process makes it
  std::atomic<unsigned> state_{kNone};
};

// While a process ends, exit() handlers, destructors of the program's own statics and threads that
// still run may call the library. So nothing that a call needs may be destroyed then. Every static
// local variable whose type has a destructor must be an Undying or a Lasting (tests/house.sh checks
// this). Use them only for statics.
//
// `make` makes the value at its first use, T() if no `make` is given; if it throws, the next use
// tries again. A plain static local variable would hang forever in a process that was forked while
// another thread initialized it; these start over in such a process. (std::call_once() does so too,
// but when memory has run out and an exception leaves it, glibc ends the process.)
//
// An Undying is for what is still used when the destructors of the library have run. The memory
// that it owns leaks if the library is unloaded.
template <class T> class Undying {
public:
  constexpr Undying() : Undying([] { return T(); }) {}
  constexpr explicit Undying(T (*make)()) : make_(make) {}
  Undying(const Undying &) = delete;
  Undying &operator=(const Undying &) = delete;

  T &operator*() { return *value(); }
  const T &operator*() const { return *value(); }
  T *operator->() { return value(); }
  const T *operator->() const { return value(); }

protected:
  using Made = void (*)(const Undying *);
  constexpr Undying(T (*make)(), Made made) : make_(make), made_(made) {}

  T *place() const { return std::launder(reinterpret_cast<T *>(memory_)); }

private:
  T *value() const {
    if (!making_.isDone())
      make();
    return place();
  }
  void make() const {
    while (making_.begin()) {
      // A thread that this process lacks may have begun it before a fork. The mutexes that it made
      // here are in the list of all mutexes, and would be in it twice.
      ForkMutex::forget(memory_, sizeof memory_);
      try {
        new (memory_) T(make_());
      } catch (...) {
        making_.end(false);
        throw;
      }
      if (made_)
        made_(this);
      making_.end(true);
    }
  }

  T (*make_)();
  Made made_ = nullptr;
  mutable Making making_;
  alignas(T) mutable std::byte memory_[sizeof(T)] = {};
};

template <class T> class Lasting : public Undying<T>, private DestroyedAtUnload {
public:
  constexpr Lasting() : Lasting([] { return T(); }) {}
  constexpr explicit Lasting(T (*make)())
      : Undying<T>(make, [](const Undying<T> *it) {
          static_cast<const Lasting *>(it)->add([](const DestroyedAtUnload *made) {
            static_cast<const Lasting *>(made)->place()->~T();
          });
        }) {}
};

} // namespace specmv
