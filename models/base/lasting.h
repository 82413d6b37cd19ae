// Statics that outlive all calls: they are destroyed when the library is unloaded, but never while
// the process ends.
#pragma once

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
// local variable whose type has a destructor must be a Lasting (tests/house.sh checks this). Use it
// only for statics.
//
// `make` makes the value at its first use, T() if no `make` is given; if it throws, the next use
// tries again. A plain static local variable would hang forever in a process that was forked while
// another thread initialized it; a Lasting starts over in such a process. (std::call_once() does so
// too, but when memory has run out and an exception leaves it, glibc ends the process.)
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
