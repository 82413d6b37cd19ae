// Defines an owner for handles of CUDA libraries, which destroys them.
#pragma once

#include <utility>

namespace specmv {

// Owns a handle; T{} means that there is no handle. `Destroy` is called once with the handle, and
// has the state that this needs. Its result is ignored: a destructor cannot report an error, and if
// the context is broken, the next call in it fails with the same error.
template <class T, class Destroy> class UniqueHandle {
public:
  UniqueHandle() = default;
  UniqueHandle(T handle, Destroy destroy) : handle_(handle), destroy_(std::move(destroy)) {}
  UniqueHandle(UniqueHandle &&other) noexcept
      : handle_(std::exchange(other.handle_, T{})), destroy_(std::move(other.destroy_)) {}
  UniqueHandle &operator=(UniqueHandle &&other) noexcept {
    UniqueHandle taken(std::move(other)); // after the swaps it destroys the old handle
    std::swap(handle_, taken.handle_);
    std::swap(destroy_, taken.destroy_);
    return *this;
  }
  ~UniqueHandle() {
    if (handle_ != T{})
      destroy_(handle_);
  }

  T get() const { return handle_; }
  // Gives the handle to the caller, who must destroy it.
  T release() { return std::exchange(handle_, T{}); }
  explicit operator bool() const { return handle_ != T{}; }
  // Returns what destroys the handle, with its state; valid also after release().
  const Destroy &destroyer() const { return destroy_; }

private:
  T handle_{};
  Destroy destroy_{};
};

} // namespace specmv
