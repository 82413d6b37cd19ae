// Lattices of four dimensions whose opposite sides are neighbours, for families of lattice quantum
// chromodynamics.
#pragma once

#include "models/lab/families/build.h"

#include <array>

namespace specmv {

// Sites are numbered along the first axis first.
struct Torus {
  std::array<int64_t, 4> sides;

  // The site one step forth or back along an axis.
  int64_t neighbour(int64_t site, int axis, bool forth) const {
    int64_t stride = 1;
    for (int a = 0; a < axis; ++a)
      stride *= sides[static_cast<size_t>(a)];
    const int64_t l = sides[static_cast<size_t>(axis)], at = site / stride % l;
    const int64_t moved = forth ? (at + 1 < l ? at + 1 : 0) : (at > 0 ? at - 1 : l - 1);
    return site + (moved - at) * stride;
  }
};

} // namespace specmv
