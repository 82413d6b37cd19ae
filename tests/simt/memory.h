// Memory like a GPU's. Buffers end where their pages end, far apart in one inaccessible
// reservation, with their slack poisoned, so any access past either end is detected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace specmv::simt {

// One access of a lane to a cell of memory.
struct Access {
  uint64_t time = 0; // of the executor's clock; 0: none
  const void *pc = nullptr;
  uint32_t block = 0;
  uint16_t lane = 0;
  bool atomic = false;
};

// The recorded accesses to one element of a region.
struct Cell {
  Access write;
  Access reads[2];
};

struct Region {
  std::string name;
  char *begin = nullptr;
  char *end = nullptr;
  size_t element = 1; // bytes of a cell
  bool writable = false;
  bool shared = false;     // shared memory of a block
  std::vector<Cell> cells; // empty until the region may be written

  size_t bytes() const { return static_cast<size_t>(end - begin); }
};

// Allocates a region of `bytes` for elements of `element` bytes. Its start has exactly the given
// alignment and no larger one: 256 for an array of the device, the element's size for x and y.
Region *allocate(const std::string &name, size_t bytes, size_t element, size_t alignment);
void release(Region *region);

// Allows writes to the region from now on, and records the writers.
void trackWrites(Region &region);

// The addresses of all regions: each slot holds one region, or the end of one.
constexpr size_t kSlotBytes = 64 << 20; // a wild index of 32 bits mostly still ends in a slot
constexpr size_t kSlots = 1024;
extern char *reservationBase; // nullptr before the first region

inline bool inReservation(const void *p) { // on the path of every access
  return static_cast<size_t>(static_cast<const char *>(p) - reservationBase) < kSlots * kSlotBytes;
}
// Returns the region of the slot, if there is one.
Region *regionOf(const void *p);

// A region with the lifetime of the object.
class Buffer {
public:
  Buffer(const std::string &name, size_t bytes, size_t element, size_t alignment)
      : region_(allocate(name, bytes, element, alignment)) {}
  Buffer(Buffer &&other) noexcept : region_(other.region_) { other.region_ = nullptr; }
  Buffer &operator=(Buffer &&) = delete;
  ~Buffer() {
    if (region_)
      release(region_);
  }
  char *data() const { return region_->begin; }
  size_t bytes() const { return region_->bytes(); }
  size_t element() const { return region_->element; }
  void trackWrites() { simt::trackWrites(*region_); }

private:
  Region *region_;
};

} // namespace specmv::simt
