// The fingerprint of a matrix: each entry is mixed to 128 bits, and the fingerprint is the sum
// modulo 2^128. So any order of the entries and any number of threads, also on a GPU, give the
// same.
//
//   mix(z): z ^= z >> 30; z *= 0xbf58476d1ce4e5b9; z ^= z >> 27; z *= 0x94d049bb133111eb;
//           z ^= z >> 31    (the finalizer of splitmix64, modulo 2^64)
//   entry:  lane = mix(mix(row ^ seed) + col)
//
// The low and the high 64 bits are such lanes with the two seeds below.
#pragma once

#include <array>
#include <cstdint>

namespace specmv {

using Sum128 = std::array<uint64_t, 2>; // low, high
using MixSeeds = std::array<uint64_t, 2>;

// The first 64-bit words of the fraction of pi, in order.
constexpr MixSeeds kPatternSeeds{0x243f6a8885a308d3, 0x13198a2e03707344};

constexpr uint64_t mixBits(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// The part of the mix that is the same for all entries of a row.
constexpr MixSeeds mixRow(const MixSeeds &seeds, int64_t row) {
  const auto r = static_cast<uint64_t>(row);
  return {mixBits(r ^ seeds[0]), mixBits(r ^ seeds[1])};
}

constexpr Sum128 mixEntry(const MixSeeds &row, int64_t col) {
  const auto c = static_cast<uint64_t>(col);
  return {mixBits(row[0] + c), mixBits(row[1] + c)};
}

constexpr void addTo(Sum128 &sum, const Sum128 &term) {
  sum[0] += term[0];
  sum[1] += term[1] + (sum[0] < term[0]); // the carry
}

} // namespace specmv
