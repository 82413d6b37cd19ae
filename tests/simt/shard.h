// A share of many cases, so that several processes can divide them: SPECMV_SIMT_SHARD=0/2 is the
// first of two.
#pragma once

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

namespace specmv::simt {

struct Shard {
  unsigned index = 0, count = 1;
};

inline Shard shard() {
  Shard out;
  const char *text = std::getenv("SPECMV_SIMT_SHARD");
  if (text && (std::sscanf(text, "%u/%u", &out.index, &out.count) != 2 || out.count == 0))
    FAIL("SPECMV_SIMT_SHARD is not of the form 0/2: ", text);
  return out;
}

} // namespace specmv::simt
