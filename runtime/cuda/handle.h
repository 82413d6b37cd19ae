// Owners of handles of CUDA libraries, and handles that were given back, because they are expensive
// to make.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <utility>

namespace specmv {

// --- Handle --------------------------------------------------------------------------------------

// Defines an owner for handles of CUDA libraries, which destroys them.

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

// --- Shelf ---------------------------------------------------------------------------------------

// Keeps handles of a library that were given back, because they are expensive to make.

// Belongs to a GPU, in whose context the handles were made. All are of one kind. Thread-safe, and
// allocates nothing, so that destructors can call put().
class Shelf {
public:
  // Returns null if there is none.
  std::shared_ptr<void> take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::shared_ptr<void> &place : places_)
      if (place)
        return std::exchange(place, nullptr);
    return nullptr;
  }

  // Releases the handle if there are enough.
  void put(std::shared_ptr<void> handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::shared_ptr<void> &place : places_)
      if (!place) {
        place = std::move(handle);
        return;
      }
  }

  void clear() {
    while (take())
      ;
  }

private:
  std::mutex mutex_;
  std::array<std::shared_ptr<void>, 4> places_; // enough for as many plans starting side by side
};

} // namespace specmv
