// Tests what a value is exact in, against lists of all numbers of the shorter types.
#include "models/profile/value_facts.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

using namespace specmv;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// All numbers of f16 but NaN, as doubles; IEEE 754, binary16.
std::set<uint64_t> allHalves() {
  std::set<uint64_t> out;
  for (int sign : {1, -1}) {
    for (int fraction = 0; fraction < 1024; ++fraction) {
      out.insert(bitsOf(sign * std::ldexp(fraction, -24)));
      for (int exponent = 1; exponent < 31; ++exponent)
        out.insert(bitsOf(sign * std::ldexp(1024 + fraction, exponent - 25)));
    }
    out.insert(bitsOf(sign * kInfinity));
  }
  return out;
}

std::set<uint64_t> allIntegers(int least, int most) {
  std::set<uint64_t> out;
  for (int i = least; i <= most; ++i)
    out.insert(bitsOf(double(i)));
  return out;
}

template <class Value> unsigned expectedFlags(Value given) {
  static const std::set<uint64_t> halves = allHalves(), bytes = allIntegers(-128, 127),
                                  shorts = allIntegers(-32768, 32767);
  const double value = given;
  const bool isNan = std::isnan(value);
  const auto isNot = [](bool holds, unsigned flag) { return holds ? 0U : flag; };
  const bool isFloat =
      sizeof(Value) == 4 || (!isNan && bitsOf(double(static_cast<float>(value))) == bitsOf(value));
  return isNot(value == 1 || value == -1, kNotPlusMinusOne) | isNot(isFloat, kNotF32) |
         isNot(!isNan && halves.contains(bitsOf(value)), kNotF16) |
         isNot(shorts.contains(bitsOf(value)), kNotI16) |
         isNot(bytes.contains(bitsOf(value)), kNotI8) | isNot(std::isfinite(value), kNotFinite);
}

template <class Value> void checkFlags(Value value) {
  CAPTURE(value);
  CHECK(valueFlags(bitsOf(value)) == expectedFlags(value));
  for (unsigned others : {0U, 1U, flagsOfFinite<decltype(bitsOf(value))>()})
    CHECK(withFlagsOf(bitsOf(value), others) == (others | valueFlags(bitsOf(value))));
}

// A value, its neighbours in both types, and the same of the other sign.
void checkAround(double value) {
  for (double of : {value, -value}) {
    for (double next : {of, std::nextafter(of, kInfinity), std::nextafter(of, -kInfinity)})
      checkFlags(next);
    const auto narrow = static_cast<float>(of);
    for (float next :
         {narrow, std::nextafterf(narrow, HUGE_VALF), std::nextafterf(narrow, -HUGE_VALF)}) {
      checkFlags(next);
      checkFlags(double(next));
    }
  }
}

} // namespace

TEST_CASE("what a value is exact in: limits of all types, by a list of all their numbers") {
  for (double value : {0.0,
                       1.0,
                       2.0,
                       0.5,
                       1.5,
                       126.0,
                       127.0,
                       128.0,
                       129.0,
                       255.0,
                       256.0,
                       2047.0,
                       2048.0,
                       2049.0,
                       2050.0,
                       32767.0,
                       32768.0,
                       32769.0,
                       65503.0,
                       65504.0,
                       65505.0,
                       65519.0,
                       65520.0,
                       65535.0,
                       65536.0,
                       131008.0,
                       16777215.0,
                       16777216.0,
                       16777217.0,
                       0.1,
                       1 / 3.0,
                       1e300,
                       1e-300,
                       std::ldexp(1, -14),
                       std::ldexp(1023, -24),
                       std::ldexp(1, -24),
                       std::ldexp(1, -25),
                       std::ldexp(3, -25),
                       std::ldexp(1, -126),
                       std::ldexp(1, -149),
                       std::ldexp(1, -150),
                       std::ldexp(3, -150),
                       double(std::numeric_limits<float>::max()),
                       std::numeric_limits<double>::max(),
                       std::numeric_limits<double>::min(),
                       std::numeric_limits<double>::denorm_min(),
                       kInfinity})
    checkAround(value);
  for (double nan : {kNan, -kNan, std::nan("7"), std::bit_cast<double>(0x7ff0000000000001U),
                     std::bit_cast<double>(0x7ff0000020000000U)})
    checkFlags(nan);
  for (uint32_t nan : {0x7fc00000U, 0x7f800001U, 0xffffffffU, 0x7fc02000U})
    checkFlags(std::bit_cast<float>(nan));
}

TEST_CASE("what a value is exact in: all of f16, and random bits") {
  for (uint64_t bits : allHalves())
    CHECK((valueFlags(bits) & kNotF16) == 0);
  for (int i = -40000; i <= 40000; i += 7)
    checkFlags(double(i));
  std::mt19937_64 random(5);
  for (int i = 0; i < 20000; ++i) {
    // Few bits of mantissa and exponents near 0 make values that are exact in something.
    const uint64_t mantissa = random() & ~uint64_t{0} << random() % 53 & ((uint64_t{1} << 52) - 1);
    const uint64_t exponent = random() % 8 == 0 ? random() % 2048 : 1023 - 40 + random() % 80;
    checkFlags(std::bit_cast<double>(random() << 63 | exponent << 52 | mantissa));
    checkFlags(static_cast<float>(std::bit_cast<double>(exponent << 52 | mantissa)));
    checkFlags(std::bit_cast<double>(random()));
    checkFlags(std::bit_cast<float>(static_cast<uint32_t>(random())));
  }
}
