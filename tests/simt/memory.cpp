// The reservation: slots of 64 MB, each with the pages of one region in the middle.
#include "tests/simt/memory.h"

#include "tests/simt/sanitizer.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sys/mman.h>

namespace specmv::simt {

char *reservationBase = nullptr;

namespace {

constexpr size_t kPage = 4096;
// The end of a region within its slot: in the middle, equally far from both ends of the slot.
constexpr size_t kEnd = kSlotBytes / 2;

using Slots = std::vector<std::unique_ptr<Region>>;

Slots &slots() {
  static Slots all = [] {
    void *p = mmap(nullptr, kSlots * kSlotBytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
      std::perror("simt: no address space");
      std::exit(2);
    }
    reservationBase = static_cast<char *>(p);
    return Slots(kSlots);
  }();
  return all;
}

size_t roundUp(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

size_t slotOf(const void *p) {
  return static_cast<size_t>(static_cast<const char *>(p) - reservationBase) / kSlotBytes;
}

struct Pages {
  char *begin, *end;
};

Pages pagesOf(const Region &region) {
  char *end = reservationBase + slotOf(region.begin) * kSlotBytes + kEnd;
  return {end - roundUp(static_cast<size_t>(end - region.begin), kPage), end};
}

} // namespace

Region *allocate(const std::string &name, size_t bytes, size_t element, size_t alignment) {
  Slots &all = slots();
  const size_t room = roundUp(bytes, alignment);
  size_t slot = 0;
  while (slot < kSlots && all[slot])
    ++slot;
  if (slot == kSlots || room > kEnd - kPage) {
    std::fprintf(stderr, "simt: no room for %zu bytes of %s\n", bytes, name.c_str());
    std::exit(2);
  }
  auto region = std::make_unique<Region>();
  region->name = name;
  region->element = element;
  // An empty region also begins before its end, so that its slot is found from its address.
  region->begin = reservationBase + slot * kSlotBytes + kEnd - (room ? room : alignment);
  region->end = region->begin + bytes;
  const Pages pages = pagesOf(*region);
  mprotect(pages.begin, static_cast<size_t>(pages.end - pages.begin), PROT_READ | PROT_WRITE);
  poison(pages.begin, static_cast<size_t>(region->begin - pages.begin));
  poison(region->end, static_cast<size_t>(pages.end - region->end));
  all[slot] = std::move(region);
  return all[slot].get();
}

void release(Region *region) {
  const Pages pages = pagesOf(*region);
  const size_t bytes = static_cast<size_t>(pages.end - pages.begin);
  unpoison(pages.begin, bytes);
  madvise(pages.begin, bytes, MADV_DONTNEED);
  mprotect(pages.begin, bytes, PROT_NONE);
  slots()[slotOf(region->begin)].reset();
}

void trackWrites(Region &region) {
  region.writable = true;
  region.cells.resize(region.bytes() / region.element);
}

Region *regionOf(const void *p) { return inReservation(p) ? slots()[slotOf(p)].get() : nullptr; }

} // namespace specmv::simt
