// The definition of the facts about a matrix's values, value by value. The host and the kernels of
// templates/profile both compile it. Values are given as their bits, in a word as wide as a value.
#pragma once

namespace specmv {

// The facts that one value makes untrue of a whole matrix. A value is exact in a shorter type if it
// has the same bits after the way there and back. NaN is exact in none, since a GPU's conversions
// change its bits; -0.0 is not an integer.
enum : unsigned {
  kNotPlusMinusOne = 1, // 1 or -1
  kNotF32 = 2,
  kNotF16 = 4,
  kNotI16 = 8,
  kNotI8 = 16,
  kNotFinite = 32,
};

// Distinct values are listed if there are no more than kMostDistinct: their numbers then fit a
// byte. Values are compared along diagonals if there are no more than kMostComparedDiagonals, of
// which one value each still fits a kernel's constants, and no row has more than kMostInComparedRow
// entries.
enum : int { kMostDistinct = 256, kMostComparedDiagonals = 64, kMostInComparedRow = 256 };

// IEEE 754: bits of the mantissa, the bias of the exponent, and the largest number in its field.
template <class Word> struct ValueBits {
  enum : int {
    kMantissa = sizeof(Word) == 4 ? 23 : 52,
    kBias = sizeof(Word) == 4 ? 127 : 1023,
    kLargest = 2 * kBias + 1, // means infinity or NaN
  };
};

template <class Word> constexpr int exponentField(Word bits) {
  using Bits = ValueBits<Word>;
  return static_cast<int>(bits >> int{Bits::kMantissa}) & int{Bits::kLargest};
}

template <class Word> constexpr bool hasZeros(Word mantissa, int lowest) {
  return (mantissa & ((Word(1) << lowest) - 1)) == 0;
}

// Returns true if 1.mantissa x 2^exponent is exact in a type with `kept` bits of mantissa and the
// normal exponents least .. most. Its subnormal numbers have fewer bits.
template <class Word>
constexpr bool fitsFloat(Word mantissa, int exponent, int kept, int least, int most) {
  const int subnormal = exponent < least ? least - exponent : 0;
  const int lowest = int{ValueBits<Word>::kMantissa} - kept + subnormal;
  return exponent <= most && subnormal <= kept && hasZeros(mantissa, lowest);
}

// Returns true if this number, with its sign, is an integer of -2^digits .. 2^digits - 1.
template <class Word>
constexpr bool fitsInteger(Word mantissa, int exponent, bool isNegative, int digits) {
  const bool isInRange =
      exponent < digits || (exponent == digits && isNegative && mantissa == Word(0));
  return exponent >= 0 && isInRange &&
         hasZeros(mantissa, int{ValueBits<Word>::kMantissa} - exponent);
}

// The facts that do not hold of this number, which is not 0, subnormal, infinite or NaN.
template <class Word>
constexpr unsigned flagsOfNormal(Word mantissa, int exponent, bool isNegative) {
  unsigned flags = exponent == 0 && mantissa == Word(0) ? 0U : unsigned{kNotPlusMinusOne};
  if (sizeof(Word) > 4 && !fitsFloat(mantissa, exponent, 23, -126, 127))
    flags |= kNotF32;
  if (!fitsFloat(mantissa, exponent, 10, -14, 15))
    flags |= kNotF16;
  if (!fitsInteger(mantissa, exponent, isNegative, 15))
    flags |= kNotI16;
  if (!fitsInteger(mantissa, exponent, isNegative, 7))
    flags |= kNotI8;
  return flags;
}

// All facts but that of being finite; a float is always exact in f32.
template <class Word> constexpr unsigned flagsOfFinite() {
  return kNotPlusMinusOne | kNotF16 | kNotI16 | kNotI8 | (sizeof(Word) > 4 ? kNotF32 : 0U);
}

// The facts that do not hold of this value.
template <class Word> constexpr unsigned valueFlags(Word bits) {
  using Bits = ValueBits<Word>;
  const Word mantissa = bits & ((Word(1) << int{Bits::kMantissa}) - 1);
  const int field = exponentField(bits);
  const bool isNegative = bits >> (8 * sizeof(Word) - 1) != 0;
  if (field == Bits::kLargest)
    return kNotFinite |
           (mantissa == Word(0) ? kNotPlusMinusOne | kNotI16 | kNotI8 : flagsOfFinite<Word>());
  if (field > 0)
    return flagsOfNormal(mantissa, field - int{Bits::kBias}, isNegative);
  if (mantissa != Word(0)) // too small for a shorter type
    return flagsOfFinite<Word>();
  return kNotPlusMinusOne | (isNegative ? kNotI16 | kNotI8 : 0U);
}

// Adds the flags of a value to those of others. Most matrices soon have all but one, and then only
// this one is looked for.
template <class Word> constexpr unsigned withFlagsOf(Word bits, unsigned flags) {
  if ((flags & flagsOfFinite<Word>()) != flagsOfFinite<Word>())
    return flags | valueFlags(bits);
  return exponentField(bits) == ValueBits<Word>::kLargest ? flags | kNotFinite : flags;
}

} // namespace specmv
