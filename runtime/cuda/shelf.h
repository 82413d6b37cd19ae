// Keeps handles of a library that were given back, because they are expensive to make.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <utility>

namespace specmv {

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
