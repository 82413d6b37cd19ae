// Vectors of numbers that need rounding, for tests that compare products bit by bit.
#pragma once

#include "runtime/cuda/product.h"
#include "tests/gpu/gpu.h"

#include <cstring>
#include <vector>

namespace specmv {

// Makes numbers that need rounding, in the type, as bytes.
inline std::vector<std::byte> numbers(int64_t count, double scale, ValueType type) {
  std::vector<std::byte> out(static_cast<size_t>(count) * sizeOf(type));
  for (int64_t i = 0; i < count; ++i) {
    const double value = scale * (0.3 + static_cast<double>(i * 2654435761 % 1000) / 777);
    const auto narrow = static_cast<float>(value);
    std::memcpy(out.data() + static_cast<size_t>(i) * sizeOf(type),
                type == ValueType::f32 ? static_cast<const void *>(&narrow) : &value, sizeOf(type));
  }
  return out;
}

// x and y on a GPU, and the bytes of y after a product.
class Vectors {
public:
  Vectors(const GpuDevice &gpu, const CsrMatrix &a, ValueType type)
      : gpu_(gpu), first_(numbers(a.rows, -2, type)), x_(uploaded(numbers(a.cols, 1, type))),
        y_(uploaded(first_)) {}

  // Puts y = 1.7 A x + 0.3 y on the stream.
  llvm::Error put(const GpuProduct &product, StreamHandle stream) const {
    return product.run(1.7, x_.pointer(), 0.3, y_.pointer(), stream);
  }
  // Returns the bytes of y after `put`, starting from the initial y.
  template <class Put> std::vector<std::byte> after(const Put &put, StreamHandle stream) const {
    llvm::cantFail(gpu_.upload(y_.pointer(), first_.data(), first_.size(), stream));
    llvm::cantFail(put());
    std::vector<std::byte> out(first_.size());
    llvm::cantFail(gpu_.download(out.data(), y_.pointer(), out.size(), stream));
    llvm::cantFail(gpu_.synchronize(stream));
    return out;
  }
  std::vector<std::byte> after(const GpuProduct &product, StreamHandle stream) const {
    return after([&] { return put(product, stream); }, stream);
  }

private:
  DeviceBuffer uploaded(const std::vector<std::byte> &bytes) const {
    return llvm::cantFail(gpu_.uploaded(bytes.data(), bytes.size()));
  }
  const GpuDevice &gpu_;
  const std::vector<std::byte> first_;
  DeviceBuffer x_, y_;
};

} // namespace specmv
