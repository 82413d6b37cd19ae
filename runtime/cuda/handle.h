// Handles of CUDA's libraries that are destroyed with their owner.
#pragma once

#include <utility>

namespace specmv {

// Owns a handle; T{} is none. `Destroy` is called once with it and holds what that needs. What it
// comes to is not looked at: an owner that goes can tell nobody, and the next call on the same
// context fails with the same.
template <class T, class Destroy> class UniqueHandle {
public:
  UniqueHandle() = default;
  UniqueHandle(T handle, Destroy destroy) : handle_(handle), destroy_(std::move(destroy)) {}
  UniqueHandle(UniqueHandle &&other) noexcept
      : handle_(std::exchange(other.handle_, T{})), destroy_(std::move(other.destroy_)) {}
  UniqueHandle &operator=(UniqueHandle &&other) noexcept {
    UniqueHandle taken(std::move(other)); // destroys what was here
    std::swap(handle_, taken.handle_);
    std::swap(destroy_, taken.destroy_);
    return *this;
  }
  ~UniqueHandle() {
    if (handle_ != T{})
      destroy_(handle_);
  }

  T get() const { return handle_; }
  explicit operator bool() const { return handle_ != T{}; }

private:
  T handle_{};
  Destroy destroy_{};
};

} // namespace specmv
