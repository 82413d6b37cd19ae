// Keeps things that work on a stream may still use and that cannot be freed in stream order:
// modules, page-locked memory, handles of libraries. A later call destroys them, when the stream
// has reached that point.
#pragma once

#include "runtime/cuda/device.h"

#include <list>

namespace specmv {

struct Retiree;

class Retirement {
public:
  // Allocates everything that begin() needs.
  Retirement();
  ~Retirement();
  Retirement(const Retirement &) = delete;
  Retirement &operator=(const Retirement &) = delete;

  // Takes ownership of the things. They are destroyed by the first destroyRetired() after the
  // present work of the stream; if the end of that work cannot be observed, waits for it and
  // destroys them at once. It is observed by an event: a host function would hold up the later work
  // of the stream until the driver's thread has called it (0.2 ms measured, H100, driver 580.159).
  void begin(const GpuDevice &gpu, std::shared_ptr<void> things, StreamHandle stream) noexcept;

private:
  std::list<Retiree> entry_;
};

// Destroys what is no longer used, without waiting. Things that still wait when the process ends
// are left to the driver. Thread-safe.
void destroyRetired();

} // namespace specmv
