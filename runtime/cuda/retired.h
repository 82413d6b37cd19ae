// What work on a stream may still use and cannot be freed in its order: modules, page-locked
// memory, handles of libraries. A later call destroys it, when the stream has come so far.
#pragma once

#include "runtime/cuda/device.h"

#include <list>

namespace specmv {

struct Retiree;

class Retirement {
public:
  // Allocates all that begin() needs.
  Retirement();
  ~Retirement();
  Retirement(const Retirement &) = delete;
  Retirement &operator=(const Retirement &) = delete;

  // Takes the things, for good. They are destroyed by the first destroyRetired() after the work
  // that the stream has now; where that cannot be seen, at once, after that work. To see
  // it, a host function is put on the stream: unlike the query of an event, a look at what it wrote
  // may be taken while a stream is captured.
  void begin(const GpuDevice &gpu, std::shared_ptr<void> things, StreamHandle stream) noexcept;

private:
  std::list<Retiree> entry_;
};

// Destroys what is not used any more; waits for nothing. Things that still wait when the process
// ends are left to the driver. Thread-safe.
void destroyRetired();

} // namespace specmv
