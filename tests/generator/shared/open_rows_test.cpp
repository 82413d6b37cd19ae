// Tests of the arrays for rows that several blocks share.
#include "generator/shared/open_rows.h"
#include "tests/generator/layout_numbers.h"

using namespace specmv;
using namespace specmv::testing;

TEST_CASE("the boundaries of the example in open_rows.cuh are what its comment says") {
  Layout layout;
  addFields(layout, openRowFields({ValueType::f64}, 4));
  fillOpenRows(layout, {kNoRow, 0, 0, 1, kNoRow});
  CHECK(numbersOf(layout, "openFirst") == std::vector<int64_t>{0, 0, 0, 2, 4});
  CHECK(numbersOf(layout, "openLast") == std::vector<int64_t>{0, 2, 2, 3, 4});
  CHECK(layout.find("partialSums")->count() == 8); // two for each of four blocks
  CHECK(layout.find("arrivals")->count() == 4);
}
