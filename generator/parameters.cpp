// Checks plans and fixed numbers against a format's table of parameters.
#include "generator/parameters.h"

#include "models/base/error.h"
#include "models/base/text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace specmv {

// The numbers that plans of all formats have: the bits of the index types (index_types.h).
static constexpr Parameter kIndexParameters[] = {
    {.name = key::kOffset.name, .least = 32, .most = 64, .isPowerOfTwo = true},
    {.name = key::kColumn.name, .least = 32, .most = 64, .isPowerOfTwo = true}};

bool isFixed(const Fixed &fixed, std::string_view name) {
  return llvm::any_of(fixed, [&](const auto &f) { return f.first == name; });
}

int64_t fixedOr(const Fixed &fixed, IntegerKey key, int64_t otherwise) {
  for (const auto &[name, value] : fixed)
    if (name == key.name)
      return static_cast<int64_t>(value);
  return otherwise;
}

std::string rangeText(const Parameter &parameter) {
  if (parameter.isReal)
    return llvm::formatv("{0} or more", parameter.least);
  if (parameter.least == parameter.most)
    return std::to_string(parameter.least);
  return llvm::formatv("{0}..{1}{2}", parameter.least, parameter.most,
                       parameter.isPowerOfTwo ? ", a power of two" : "");
}

const Parameter *findSettable(llvm::ArrayRef<Parameter> parameters, const std::string &name) {
  const auto *const found =
      llvm::find_if(parameters, [&](const Parameter &p) { return p.isSettable && name == p.name; });
  return found == parameters.end() ? nullptr : found;
}

static bool canBe(const Parameter &parameter, int64_t value) {
  return value >= parameter.least && value <= parameter.most &&
         (!parameter.isPowerOfTwo || llvm::isPowerOf2_64(static_cast<uint64_t>(value)));
}

// The comparison is false for a NaN, so a NaN is refused.
static bool canBeReal(const Parameter &parameter, double value) {
  return value >= static_cast<double>(parameter.least);
}

// If a name has several lines, one that allows the value is enough; if none does, the message gives
// the range of the first line that the caller may fix.
std::string whyNotFixed(const Fixed &fixed, llvm::ArrayRef<Parameter> parameters) {
  for (const auto &[name, value] : fixed) {
    const Parameter *refusing = findSettable(parameters, name);
    for (const Parameter &parameter : parameters)
      if (parameter.isSettable && name == parameter.name &&
          (parameter.isReal ? canBeReal(parameter, value)
                            : canBe(parameter, static_cast<int64_t>(value))))
        refusing = nullptr;
    if (refusing)
      return llvm::formatv("{0} = {1} is not a valid value ({2})", name,
                           refusing->isReal ? decimalText(value)
                                            : std::to_string(static_cast<int64_t>(value)),
                           rangeText(*refusing));
  }
  return "";
}

static bool applies(const Parameter &parameter, const Plan &plan) {
  if (!parameter.where)
    return true;
  const int64_t *value = plan.find(parameter.where);
  return value && *value == parameter.is;
}

static llvm::Error checkReal(const Plan &plan, const Parameter &parameter) {
  const auto found =
      llvm::find_if(plan.reals, [&](const auto &real) { return real.first == parameter.name; });
  if (found != plan.reals.end() && canBeReal(parameter, found->second))
    return llvm::Error::success();
  return fail(Status::notApplicable, "the plan's {0} is not a valid value ({1})", parameter.name,
              rangeText(parameter));
}

static llvm::Error checkParameter(const Plan &plan, const Parameter &parameter) {
  if (parameter.isList || !applies(parameter, plan))
    return llvm::Error::success();
  if (parameter.isReal)
    return checkReal(plan, parameter);
  const int64_t *value = plan.find(parameter.name);
  if (!value && parameter.isOptional)
    return llvm::Error::success();
  if (!value)
    return fail(Status::notApplicable, "the plan lacks {0} ({1})", parameter.name,
                rangeText(parameter));
  if (!canBe(parameter, *value))
    return fail(Status::notApplicable, "the plan's {0} = {1} is not a valid value ({2})",
                parameter.name, *value, rangeText(parameter));
  return llvm::Error::success();
}

static const char *kindOf(const Parameter &parameter) {
  return parameter.isList ? "list" : parameter.isReal ? "real number" : "integer";
}

namespace {
struct NameInPlan {
  llvm::StringRef name, kind;
};
} // namespace

static std::vector<NameInPlan> namesIn(const Plan &plan) {
  std::vector<NameInPlan> out;
  for (const auto &[name, value] : plan.integers)
    out.push_back({std::string_view(name), "integer"});
  for (const auto &[name, value] : plan.reals)
    out.push_back({name, "real number"});
  for (const auto &[name, value] : plan.lists)
    out.push_back({name, "list"});
  return out;
}

// A number that the format does not use, or that stands twice, would make two different plans out
// of equal ones.
static llvm::Error checkKnown(const Plan &plan, llvm::ArrayRef<Parameter> parameters) {
  const std::vector<NameInPlan> names = namesIn(plan);
  for (const auto &[name, kind] : names) {
    const auto isKnown = [&, name = name, kind = kind](const Parameter &p) {
      return name == p.name && kind == kindOf(p) && applies(p, plan);
    };
    if (llvm::count_if(names, [&, name = name](const auto &n) { return n.name == name; }) > 1)
      return fail(Status::notApplicable, "the plan has {0} twice", name);
    if (llvm::none_of(parameters, isKnown) && llvm::none_of(kIndexParameters, isKnown))
      return fail(Status::notApplicable,
                  "the plan has the {0} {1}, but {2} has no {0} of that name", kind, name,
                  plan.format);
  }
  return llvm::Error::success();
}

llvm::Error checkPlan(const Plan &plan, llvm::ArrayRef<Parameter> parameters) {
  for (const llvm::ArrayRef<Parameter> table :
       {parameters, llvm::ArrayRef<Parameter>(kIndexParameters)})
    for (const Parameter &parameter : table)
      if (llvm::Error error = checkParameter(plan, parameter))
        return error;
  return checkKnown(plan, parameters);
}

} // namespace specmv
