// Stores few different values: each slot has the number of its value in a table, of a byte, or of 4
// bits where 16 values suffice. The table is an array that stays in L1, since it has at most 2 KB:
// loads from constant memory would be serialized where lanes read different values, and shared
// memory would have to be filled by each block.
#include "generator/coding/coding.h"

#include "models/base/numbers.h"
#include "templates/pack/pair_of_codes.cuh"
#include "templates/setup/sizes.cuh"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

constexpr const char *kValCode = "valCode", *kValTable = "valTable";

static std::string viewOfCodes(const Plan & /*plan*/, ElementType stored) {
  return llvm::formatv("specmv::CodedValues<{0}>", deviceNameOf(stored));
}

static std::string viewOfPairs(const Plan & /*plan*/, ElementType stored) {
  return llvm::formatv("specmv::HalfByteValues<{0}>", deviceNameOf(stored));
}

template <int most, int slotsPerByte>
static Fields codeFields(const Plan & /*plan*/, ElementType stored, int64_t slots) {
  Fields out = {array(kValCode, ElementType::u8, ceilDiv(slots, slotsPerByte)),
                array(kValTable, stored, most)};
  for (Field &field : out)
    field.argument.field = "val";
  return out;
}

// The bits of all values in ascending order, so that the first is 0, which places without an entry
// have.
static std::vector<uint64_t> valuesAndZero(const Plan & /*plan*/, const ValueFacts &facts) {
  std::vector<uint64_t> out = facts.values;
  if (out.empty() || out.front() != 0)
    out.insert(out.begin(), 0);
  return out;
}

// The number of values in valuesAndZero().
static size_t countWithZero(const ValueFacts &facts) {
  const bool hasZero = !facts.values.empty() && facts.values.front() == 0;
  return facts.values.size() + (hasZero ? 0 : 1);
}

// The values are listed if there are no more than kMostDistinct.
template <int most> static bool areFew(const ValueFacts &facts) {
  return facts.distinct <= kMostDistinct && countWithZero(facts) <= size_t{most};
}

template <int most> static std::string whyNotFew(const char *name, const ValueFacts &facts) {
  if (areFew<most>(facts))
    return "";
  if (facts.distinct > kMostDistinct)
    return llvm::formatv(
        "values={0} needs at most {1} different values, but the matrix has more{2}; "
        "use values=plain",
        name, most, most < kMostDistinct ? " than " + std::to_string(kMostDistinct) : "");
  const size_t listed = countWithZero(facts);
  const bool hasWider = listed <= kMostDistinct; // codes8
  return llvm::formatv("values={0} needs at most {1} different values with the 0 of places without "
                       "an entry, but the matrix has {2}; use {3}values=plain",
                       name, most, listed, hasWider ? "values=codes8 or " : "");
}

static std::string whyNotInByte(const ValueFacts &facts) {
  return whyNotFew<kMostDistinct>("codes8", facts);
}
static std::string whyNotInHalf(const ValueFacts &facts) {
  return whyNotFew<kMostInHalfByte>("codes4", facts);
}

const Coding kCodes{.name = "codes8",
                    .header = "coding/codes.cuh",
                    .view = viewOfCodes,
                    .fields = codeFields<kMostDistinct, 1>,
                    .fits = areFew<kMostDistinct>,
                    .whyNot = whyNotInByte,
                    .entryTask = kStoreValue,
                    .codes = kValCode,
                    .codeType = ElementType::u8,
                    .listed = valuesAndZero,
                    .table = kValTable,
                    .survivesNewValues = false,
                    .gist =
                        "the values are few, so that each entry has a byte in place of its own"};

const Coding kHalfByteCodes{
    .name = "codes4",
    .header = "coding/codes4.cuh",
    .view = viewOfPairs,
    .fields = codeFields<kMostInHalfByte, 2>,
    .fits = areFew<kMostInHalfByte>,
    .whyNot = whyNotInHalf,
    .entryTask = kStoreValue,
    .codes = kValCode,
    .codeType = ElementType::u8,
    .slotsPerCode = 2,
    .listed = valuesAndZero,
    .table = kValTable,
    .survivesNewValues = false,
    .gist = "the values are at most 16, so that each entry has 4 bits in place of its own"};

} // namespace specmv
