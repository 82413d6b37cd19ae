// Gives different keys the numbers 0, 1, 2, ... in the order in which they come.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace specmv {

// For up to `most` keys. A hash table with open addressing, at most half full.
class Numbering {
public:
  explicit Numbering(size_t most)
      : bits_(std::bit_width(2 * most | 1)), places_(size_t{1} << bits_, kFree) {}

  // The number of the key; a new key gets the next one.
  uint32_t numberOf(int64_t key) {
    size_t place = placeOf(key);
    while (places_[place] != kFree && keys_[places_[place]] != key)
      place = (place + 1) & (places_.size() - 1);
    if (places_[place] == kFree) {
      places_[place] = static_cast<uint32_t>(keys_.size());
      keys_.push_back(key);
    }
    return places_[place];
  }

  const std::vector<int64_t> &keys() const { return keys_; } // by number

private:
  static constexpr uint32_t kFree = std::numeric_limits<uint32_t>::max();

  // Knuth's multiplicative hashing by 2^64 / golden ratio, which spreads neighbouring keys.
  size_t placeOf(int64_t key) const {
    return static_cast<size_t>(static_cast<uint64_t>(key) * 0x9e3779b97f4a7c15 >> (64 - bits_));
  }

  int bits_; // 1 .. 63
  std::vector<uint32_t> places_;
  std::vector<int64_t> keys_;
};

} // namespace specmv
