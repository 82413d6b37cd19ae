// Tests of the shards by which several processes divide their cases.
#include "tests/shard.h"

#include <doctest/doctest.h>

#include <initializer_list>

using specmv::testing::Shard;

TEST_CASE("each case is one shard's") {
  for (const unsigned count : {1U, 2U, 4U, 7U})
    for (size_t number = 0; number < 100; ++number) {
      unsigned takers = 0;
      for (unsigned index = 0; index < count; ++index)
        takers += Shard{index, count}.has(number);
      CHECK(takers == 1);
    }
}
