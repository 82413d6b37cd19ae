// The BLAKE3 digest of some bytes, which identifies equal data.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/BLAKE3.h"

#include <array>
#include <cstdint>

namespace specmv {

using Digest = std::array<uint8_t, 16>;

template <class Bytes> Digest digestOfBytes(const Bytes &bytes) {
  return llvm::BLAKE3::hash<16>(
      llvm::ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
}

} // namespace specmv
