// Values in f64 that are exact in f32 are stored so: a kernel reads half the bytes and computes in
// f64, with the same bits. It is the kernel of a matrix in f32 and vectors in f64.
#include "generator/coding/coding.h"

#include "templates/setup/sizes.cuh"

namespace specmv {

constexpr const char *kShortVal = "shortVal";

static std::string viewOfShort(const Plan & /*plan*/, ElementType /*stored*/) {
  return streamedNameOf(ElementType::f32);
}

static Fields shortFields(const Plan & /*plan*/, ElementType /*stored*/, int64_t slots) {
  return {array("val", ElementType::f32, slots, kShortVal)};
}

static bool areExact(const ValueFacts &facts) { return facts.exactInF32; }

static std::string whyNotExact(const ValueFacts &facts) {
  return areExact(facts) ? ""
                         : "values=f32 needs values that are exact in f32, but at least one of "
                           "the matrix is not; use values=plain";
}

const Coding kShortened{.name = "f32",
                        .view = viewOfShort,
                        .fields = shortFields,
                        .type = ValueType::f64,
                        .fits = areExact,
                        .whyNot = whyNotExact,
                        .entryTask = kStoreValue,
                        .codes = kShortVal,
                        .codeType = ElementType::f32,
                        .survivesNewValues = false,
                        .gist = "the values are exact in f32 and take half the bytes"};

} // namespace specmv
