// Values that are all equal, as in the matrix of an unweighted graph: kernels take the value as an
// argument, and no value is stored or read.
#include "generator/coding/coding.h"

#include "models/base/decimal.h"
#include "templates/setup/sizes.cuh"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <bit>

namespace specmv {

constexpr const char *kTheValue = "value";

static std::string viewOf(ElementType stored) {
  return llvm::formatv("specmv::OneValue<{0}>", deviceNameOf(stored));
}

static Fields fieldsOf(ElementType stored, int64_t /*slots*/) {
  Field value = number(kTheValue, stored, 0);
  value.argument.field = "val";
  return {value};
}

// A missing entry is stored as a 0, and an infinite value times 0 is not 0.
static std::string whyNotEqual(const ValueFacts &facts) {
  if (facts.count == 0)
    return "";
  if (!facts.constant())
    return llvm::formatv("values=ones needs equal values, but the matrix has {0}{1} different "
                         "values; use values=plain",
                         facts.distinct > kMostDistinct ? "more than " : "",
                         std::min<int>(facts.distinct, kMostDistinct));
  if (!facts.finite)
    return "values=ones needs a finite value, but all values of the matrix are " +
           decimalText(*facts.constant()) + "; use values=plain";
  return "";
}

// The layout stores the bits of the value; those of a float are a 32-bit number.
static void setValue(Layout &layout, const ValueFacts &facts) {
  if (facts.count == 0)
    return;
  const uint64_t bits = facts.values.front();
  const bool isFloat = facts.type == ValueType::f32;
  layout.setInteger(kTheValue, isFloat ? std::bit_cast<int32_t>(static_cast<uint32_t>(bits))
                                       : std::bit_cast<int64_t>(bits));
}

const Coding kOnes{.name = "ones",
                   .header = "coding/ones.cuh",
                   .view = viewOf,
                   .fields = fieldsOf,
                   .whyNot = whyNotEqual,
                   .setNumbers = setValue,
                   .entryTask = kStoreNothing,
                   .survivesNewValues = false,
                   .gist = "all values are equal, so that none is read"};

} // namespace specmv
