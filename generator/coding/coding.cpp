// The table of codings, and plain values: an element for each slot.
#include "generator/coding/coding.h"

#include "generator/index_types.h"
#include "models/base/error.h"
#include "templates/setup/sizes.cuh"
#include "llvm/Support/FormatVariadic.h"

#include <cassert>

namespace specmv {

static Fields plainFields(const Plan & /*plan*/, ElementType stored, int64_t slots) {
  return {array("val", stored, slots)};
}

const Coding kPlainValues{
    .name = "plain", .fields = plainFields, .entryTask = kStoreValue, .survivesNewValues = true};

constexpr const Coding *kCodings[] = {
#define SPECMV_CODING(constant) &constant,
#include "generator/coding/codings.def"
#undef SPECMV_CODING
};

llvm::ArrayRef<const Coding *> codings() { return kCodings; }

const Coding *findCoding(const std::string &name) {
  if (name.empty())
    return codings().front();
  for (const Coding *coding : codings())
    if (name == coding->name)
      return coding;
  return nullptr;
}

const Coding &codingOf(const Plan &plan) {
  const Coding *found = findCoding(plan.values);
  assert(found && "the plan was not checked");
  return found ? *found : *codings().front();
}

Fields valueFields(const Plan &plan, const Problem &problem, int64_t slots) {
  return codingOf(plan).fields(plan, elementOf(problem.type), slots);
}

int64_t bytesOfValues(const std::string &coding, ValueType type, int64_t slots) {
  const Coding *found = findCoding(coding);
  const Coding &weighed = found->mostBlocks > 0 ? kPlainValues : *found;
  return storedBytesOf(weighed.fields(Plan(), elementOf(type), slots));
}

std::string whyNotCoding(const Coding &coding, const Plan &plan, ValueType type) {
  if (coding.format && plan.format != coding.format)
    return llvm::formatv("{0} has no values={1}, which is for {2}; use values=plain", plan.format,
                         coding.name, coding.format);
  if (coding.type && type != *coding.type)
    return llvm::formatv("values={0} is for a matrix in {1}, but this one is in {2}; use "
                         "values=plain",
                         coding.name, nameOf(*coding.type), nameOf(type));
  return coding.whyNotPlan ? coding.whyNotPlan(plan) : "";
}

// Returns true unless whyNotCoding() says that the coding is for another format or type.
static bool isMeantFor(const Coding &coding, const Plan &plan, ValueType type) {
  return (!coding.format || plan.format == coding.format) && (!coding.type || type == *coding.type);
}

const Coding *codingThatFits(const Plan &plan, const ValueFacts &facts) {
  for (const Coding *coding : codings().drop_front())
    if (coding->fits && isMeantFor(*coding, plan, facts.type) && coding->fits(facts) &&
        whyNotCoding(*coding, plan, facts.type).empty())
      return coding;
  return nullptr;
}

std::optional<int64_t> diagonalsFor(const Coding &coding) {
  return coding.comparesDiagonals ? std::nullopt
                                  : std::optional<int64_t>(kMostComparedDiagonals + 1);
}

bool needsFactsInOrder(const Coding &coding, const std::string &order) {
  return coding.comparesDiagonals && !order.empty();
}

llvm::Error checkFacts(const Coding &coding, const ValueFacts &facts) {
  const std::string why = coding.whyNot ? coding.whyNot(facts) : "";
  return why.empty() ? llvm::Error::success() : failWith(Status::notApplicable, why);
}

llvm::Error checkNewValues(const Plan &plan) {
  const Coding &coding = codingOf(plan);
  if (coding.survivesNewValues)
    return llvm::Error::success();
  return fail(Status::notApplicable,
              "the plan stores the values as '{0}', which new values need not fit; leave "
              "values={0} out of the plan, or make the plan without the option updatable",
              coding.name);
}

} // namespace specmv
