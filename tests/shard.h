// A share of many cases, so that several processes can divide them: SPECMV_SHARD=0/2 is the
// first of two.
#pragma once

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

namespace specmv::testing {

struct Shard {
  unsigned index = 0, count = 1;

  // Exactly one of `count` shards has the case of that number.
  bool has(size_t number) const { return number % count == index; }
};

inline Shard shard() {
  Shard out;
  const char *text = std::getenv("SPECMV_SHARD");
  if (text && (std::sscanf(text, "%u/%u", &out.index, &out.count) != 2 || out.index >= out.count))
    FAIL("SPECMV_SHARD is not of the form 0/2, with the first number below the second: ", text);
  return out;
}

} // namespace specmv::testing
