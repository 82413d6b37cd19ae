// The code of a value: its number among the different values of a matrix. The host and the kernels
// of pack/encode.cuh both compile it.
#pragma once

namespace specmv {

// Returns the number of the value with these bits. `table` has the bits of `listed` values, from 1,
// in ascending order, and this one is among them.
template <class Word> constexpr int codeOf(Word bits, const Word *table, int listed) {
  int code = 0;
  for (int step = 128; step > 0; step /= 2)
    if (code + step < listed && table[code + step] <= bits)
      code += step;
  return code;
}

} // namespace specmv
