// A stream of specmv's own, so that set-ups and copies neither use the default stream nor wait for
// what the program has on its streams. Including this file needs no CUDA header.
#pragma once

#include "runtime/cuda/device.h"
#include "runtime/cuda/shelf.h"

namespace specmv {

// A stream that the destructor gives back. Its work may still run then: the next user's work is
// ordered behind it.
class WorkStream {
public:
  WorkStream() = default; // none: the default stream
  WorkStream(std::shared_ptr<const GpuDevice> gpu, Shelf &shelf, std::shared_ptr<void> stream)
      : gpu_(std::move(gpu)), shelf_(&shelf), stream_(std::move(stream)) {}
  WorkStream(WorkStream &&other) noexcept = default;
  WorkStream &operator=(WorkStream &&other) noexcept {
    std::swap(gpu_, other.gpu_);
    std::swap(shelf_, other.shelf_);
    std::swap(stream_, other.stream_);
    return *this;
  }
  ~WorkStream() {
    if (stream_)
      shelf_->put(std::move(stream_));
  }

  StreamHandle get() const { return stream_.get(); }

private:
  std::shared_ptr<const GpuDevice> gpu_; // owns the shelf
  Shelf *shelf_ = nullptr;
  std::shared_ptr<void> stream_;
};

} // namespace specmv
