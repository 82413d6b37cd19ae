// Few different values: each slot has a byte, the number of its value in a table. The table is an
// array that stays in L1, since it has at most 2 KB: loads from constant memory would be serialized
// where lanes read different values, and shared memory would have to be filled by each block.
#include "generator/coding/coding.h"

#include "templates/setup/sizes.cuh"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

constexpr const char *kValCode = "valCode", *kValTable = "valTable";

static std::string viewOfCodes(const Plan & /*plan*/, ElementType stored) {
  return llvm::formatv("specmv::CodedValues<{0}>", deviceNameOf(stored));
}

static Fields codeFields(const Plan & /*plan*/, ElementType stored, int64_t slots) {
  Fields out = {array(kValCode, ElementType::u8, slots), array(kValTable, stored, kMostDistinct)};
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

static std::string whyNotFew(const ValueFacts &facts) {
  if (facts.distinct > kMostDistinct)
    return llvm::formatv("values=codes8 needs at most {0} different values, but the matrix has "
                         "more; use values=plain",
                         int{kMostDistinct});
  const size_t listed = valuesAndZero({}, facts).size();
  return listed <= size_t{kMostDistinct}
             ? ""
             : llvm::formatv(
                   "values=codes8 needs at most {0} different values with the 0 of places "
                   "without an entry, but the matrix has {1}; use values=plain",
                   int{kMostDistinct}, listed)
                   .str();
}

const Coding kCodes{.name = "codes8",
                    .header = "coding/codes.cuh",
                    .view = viewOfCodes,
                    .fields = codeFields,
                    .whyNot = whyNotFew,
                    .entryTask = kStoreValue,
                    .codes = kValCode,
                    .codeType = ElementType::u8,
                    .listed = valuesAndZero,
                    .table = kValTable,
                    .survivesNewValues = false,
                    .gist =
                        "the values are few, so that each entry has a byte in place of its own"};

} // namespace specmv
