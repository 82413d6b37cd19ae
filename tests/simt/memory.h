// Memory as a GPU has it: buffers that end where their pages end, far apart in one reservation that
// nobody may touch, with their slack poisoned, so that a read past either end is seen however far.
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

// What is remembered of one element of a region.
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

// A region of `bytes` for elements of `element` bytes whose start is a multiple of `alignment` and
// of nothing more than needed: an array of the device gets 256, x and y their element's size.
Region *allocate(const std::string &name, size_t bytes, size_t element, size_t alignment);
void release(Region *region);

// Allows writes to the region from now on, and remembers who does.
void trackWrites(Region &region);

// The addresses of all regions: slots that hold one region, or the end of one, each.
constexpr size_t kSlotBytes = 64 << 20; // a wild index of 32 bits mostly still ends in a slot
constexpr size_t kSlots = 1024;
extern char *reservationBase; // nullptr before the first region

inline bool inReservation(const void *p) { // on the path of every access
  return static_cast<size_t>(static_cast<const char *>(p) - reservationBase) < kSlots * kSlotBytes;
}
// The region of the slot, if there is one.
Region *regionOf(const void *p);

// A region that lives as long as the object does.
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
