// Values that are all equal, as in the matrix of an unweighted graph: kernels take the value as an
// argument, and no value is stored or read.
#include "generator/coding/coding.h"

#include "models/base/text.h"
#include "templates/setup/sizes.cuh"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace specmv {

constexpr const char *kTheValue = "value";

static std::string viewOf(const Plan & /*plan*/, ElementType stored) {
  return llvm::formatv("specmv::OneValue<{0}>", deviceNameOf(stored));
}

static Fields fieldsOf(const Plan & /*plan*/, ElementType stored, int64_t /*slots*/) {
  Field value = number(kTheValue, stored, 0);
  value.argument.field = "val";
  return {value};
}

// A missing entry is stored as a 0, and an infinite value times 0 is not 0.
static bool areEqual(const ValueFacts &facts) {
  return facts.count == 0 || (facts.constant() && facts.finite);
}

static std::string whyNotEqual(const ValueFacts &facts) {
  if (areEqual(facts))
    return "";
  if (!facts.constant())
    return llvm::formatv("values=ones needs equal values, but the matrix has {0}{1} different "
                         "values; use values=plain",
                         facts.distinct > kMostDistinct ? "more than " : "",
                         std::min<int>(facts.distinct, kMostDistinct));
  return "values=ones needs a finite value, but all values of the matrix are " +
         decimalText(*facts.constant()) + "; use values=plain";
}

static std::vector<uint64_t> theValue(const Plan & /*plan*/, const ValueFacts &facts) {
  return facts.values;
}

static const char *nameOfValue(size_t /*number*/) { return kTheValue; }

const Coding kOnes{.name = "ones",
                   .header = "coding/ones.cuh",
                   .view = viewOf,
                   .fields = fieldsOf,
                   .fits = areEqual,
                   .whyNot = whyNotEqual,
                   .entryTask = kStoreNothing,
                   .listed = theValue,
                   .numberName = nameOfValue,
                   .survivesNewValues = false,
                   .gist = "all values are equal, so that none is read"};

} // namespace specmv
