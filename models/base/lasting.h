// Statics that outlive all calls: they are destroyed when the library is unloaded, and never while
// the process ends.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace specmv {

// One of those that unloading destroys, the one that was made last first. It has no destructor,
// which a static would register to be run at the end of the process.
class DestroyedAtUnload {
public:
  static void destroyAll();

protected:
  using Destroy = void (*)(DestroyedAtUnload *);
  // To be called when what `destroy` destroys is complete.
  void add(Destroy destroy);

private:
  DestroyedAtUnload *before_ = nullptr;
  Destroy destroy_ = nullptr;
};

// While a process ends, handlers of exit(), destructors of the program's own statics and threads
// that still run may call the library, so nothing that a call needs is destroyed then. Every static
// of a function whose type has a destructor is of this type (tests/house.sh checks this). Only for
// statics.
template <class T> class Lasting : private DestroyedAtUnload {
public:
  template <class... Arguments> explicit Lasting(Arguments &&...arguments) {
    new (memory_) T(std::forward<Arguments>(arguments)...);
    add([](DestroyedAtUnload *it) { (**static_cast<Lasting *>(it)).~T(); });
  }
  Lasting(const Lasting &) = delete;
  Lasting &operator=(const Lasting &) = delete;

  T &operator*() { return *std::launder(reinterpret_cast<T *>(memory_)); }
  const T &operator*() const { return *std::launder(reinterpret_cast<const T *>(memory_)); }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }

private:
  alignas(T) std::byte memory_[sizeof(T)];
};

} // namespace specmv
