// Tests of the numbering of keys: against a map.
#include "models/base/numbering.h"

#include <doctest/doctest.h>

#include <limits>
#include <map>
#include <random>

using specmv::Numbering;

TEST_CASE("keys get numbers in the order in which they come, the same key the same number") {
  for (size_t most : {size_t(0), size_t(1), size_t(2), size_t(1000)})
    for (int64_t spread : {int64_t(1), int64_t(50), std::numeric_limits<int64_t>::max()}) {
      CAPTURE(most);
      CAPTURE(spread);
      Numbering numbering(most);
      std::map<int64_t, uint32_t> known;
      std::mt19937_64 random(most);
      std::uniform_int_distribution<int64_t> key(-spread, spread);
      for (int i = 0; i < 3000; ++i) {
        const int64_t k = key(random);
        if (known.size() == most && !known.contains(k))
          continue;
        const auto number = known.emplace(k, known.size()).first->second;
        REQUIRE(numbering.numberOf(k) == number);
        REQUIRE(numbering.keys()[number] == k);
      }
      CHECK(numbering.keys().size() == known.size());
    }
}
