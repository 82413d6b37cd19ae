// Statics that outlive all calls: they are destroyed when the library is unloaded, and never while
// the process ends.
#pragma once

#include <cstddef>
#include <mutex>
#include <new>

namespace specmv {

// One of those that unloading destroys, the one that was made last first. It has no destructor,
// which a static would register to be run at the end of the process.
class DestroyedAtUnload {
public:
  static void destroyAll();

protected:
  using Destroy = void (*)(const DestroyedAtUnload *);
  // To be called when what `destroy` destroys is complete.
  void add(Destroy destroy) const;

private:
  mutable const DestroyedAtUnload *before_ = nullptr;
  mutable Destroy destroy_ = nullptr;
};

// While a process ends, handlers of exit(), destructors of the program's own statics and threads
// that still run may call the library, so nothing that a call needs is destroyed then. Every static
// of a function whose type has a destructor is of this type (tests/house.sh checks this). Only for
// statics.
//
// The value is made at its first use, by `make` where it is given. A static that is initialized
// when it is first met would stop a process for good that was forked while another thread
// initialized it; call_once() begins anew there.
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
    std::call_once(isMade_, [this] {
      new (memory_) T(make_());
      add([](const DestroyedAtUnload *it) { static_cast<const Lasting *>(it)->place()->~T(); });
    });
    return place();
  }

  T (*make_)();
  mutable std::once_flag isMade_;
  alignas(T) mutable std::byte memory_[sizeof(T)] = {};
};

} // namespace specmv
