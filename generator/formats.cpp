// The table of formats: finds formats by name, checks requests and collects offers.
#include "generator/formats.h"
#include "generator/coding/coding.h"
#include "generator/order/order.h"

#include "models/base/error.h"
#include "models/base/text.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <type_traits>

namespace specmv {

llvm::ArrayRef<Format> formats() {
  static const Format table[] = {
#define SPECMV_FORMAT(constant, file) constant,
#include "generator/formats.def"
#undef SPECMV_FORMAT
  };
  static_assert(std::is_trivially_destructible_v<Format>);
  return table;
}

// Each set-up asks this of the formats that it must not choose, so it is not formatted.
std::string whyNotByItself(const Format &format) {
  if (!format.isDeterministic)
    return std::string("the result of ") + format.name +
           " may differ in its last bits from run to run, so it is chosen only if it is asked for "
           "by name";
  if (format.paddingReadsX)
    return std::string(format.name) +
           " multiplies its padding by x, so that a NaN in x spreads to rows that have no entry "
           "there; it is chosen only if it is asked for by name";
  return "";
}

bool Format::isDeterministicFor(const Plan &plan) const {
  return isDeterministic && llvm::none_of(parameters, [&](const Parameter &parameter) {
           const int64_t *value = parameter.reorders ? plan.find(parameter.name) : nullptr;
           return value && *value != 0;
         });
}

// A ranking asks for the formats of all plans, some of them several times.
const Format *findFormat(const std::string &name) {
#define SPECMV_FORMAT(constant, file) constant.name,
  static const std::string_view names[] = {
#include "generator/formats.def"
  };
#undef SPECMV_FORMAT
  static_assert(std::is_trivially_destructible_v<std::string_view>);
  const auto *const found = llvm::find(names, name);
  return found == std::end(names) ? nullptr : &formats()[static_cast<size_t>(found - names)];
}

static std::string listOfFormats() {
  std::string list;
  for (const Format &format : formats())
    list += (list.empty() ? "" : ", ") + std::string(format.name);
  return list;
}

// What no plan of a format can do; "" if there is nothing.
static std::string whyNotProblem(const Format &format, const Problem &problem) {
  if (problem.vectors > 1 && !format.several)
    return std::string(format.name) + " has no kernel for several vectors";
  if (problem.vectorsAreDouble && problem.type == ValueType::f32 &&
      (format.library || !format.mixesTypes))
    return std::string(format.name) + " takes no vectors in f64 for a matrix in f32";
  if (problem.scalarsAreOnGpu && format.library)
    return std::string(format.name) + " takes alpha and beta from the host only";
  return "";
}

// Why a plan of the format cannot have its coding of values; "" if it can.
static std::string whyNotValues(const Format &format, const Plan &plan, ValueType type) {
  if (plan.values.empty())
    return "";
  if (format.library)
    return std::string(format.name) + " reads values only as an array; use values=plain";
  const Coding *coding = findCoding(plan.values);
  return coding ? whyNotCoding(*coding, plan, type) : describe(checkValues(plan.values)).second;
}

// Why no plan of the format can have this coding; "" if some may. Such a format need not make
// plans, whose bytes it could not count.
static std::string whyNeverValues(const Format &format, const std::string &values, ValueType type) {
  const Coding *coding = findCoding(values);
  if (!coding || !coding->format || coding->format == llvm::StringRef(format.name))
    return "";
  Plan any;
  any.format = format.name;
  any.values = values;
  return whyNotValues(format, any, type);
}

// Removes the plans for which there is a reason.
template <class WhyNot>
static void eraseIf(std::vector<Plan> &plans, std::string &why, const WhyNot &whyNot) {
  std::erase_if(plans, [&](const Plan &plan) {
    const std::string reason = whyNot(plan);
    why = reason.empty() ? why : reason;
    return !reason.empty();
  });
}

std::string Format::plans(const PlanRequest &request, std::vector<Plan> &out) const {
  if (std::string why = whyNotFixed(request.fixed, parameters); !why.empty())
    return why;
  if (std::string why = whyNotProblem(*this, request.problem); !why.empty())
    return why;
  if (std::string why = whyNeverValues(*this, request.values, request.problem.type); !why.empty())
    return why;
  std::string why = offer(request, out);
  for (Plan &plan : out) {
    plan.values = request.values;
    plan.order = request.order;
  }
  eraseIf(out, why,
          [&](const Plan &plan) { return whyNotValues(*this, plan, request.problem.type); });
  eraseIf(out, why, [&](const Plan &plan) { return whyNotOrder(plan, request.problem); });
  if (request.problem.vectors > 1)
    eraseIf(out, why, [&](const Plan &plan) { return several->whyNot(plan, request.problem); });
  return out.empty() ? why : "";
}

std::string Format::whyNotFor(const Plan &plan, const Problem &problem) const {
  std::string why = whyNotProblem(*this, problem);
  return why.empty() && problem.vectors > 1 ? several->whyNot(plan, problem) : why;
}

llvm::Error Format::check(const Plan &plan, const Problem &problem) const {
  if (llvm::Error error = checkPlan(plan, parameters))
    return error;
  std::string why = whyNotValues(*this, plan, problem.type);
  if (why.empty())
    why = whyNotOrder(plan, problem);
  if (why.empty())
    why = whyNotFor(plan, problem);
  return why.empty() ? llvm::Error::success() : failWith(Status::notApplicable, why);
}

llvm::Error checkValues(const std::string &values) {
  if (findCoding(values))
    return llvm::Error::success();
  std::string names;
  for (const Coding *coding : codings())
    names += (names.empty() ? "" : ", ") + std::string(coding->name);
  return fail(Status::badCall, "values='{0}' is no coding of values; the codings are {1}", values,
              names);
}

static bool isNamed(const Format &format, const std::vector<std::string> &names) {
  return names.empty() || std::find(names.begin(), names.end(), format.name) != names.end();
}

// Integers that a double holds exactly.
constexpr double kMaxExact = 9007199254740992.0; // 2^53

static std::vector<llvm::StringRef> settableNames() {
  std::vector<llvm::StringRef> names;
  for (const Format &format : formats())
    for (const Parameter &parameter : format.parameters)
      if (findSettable(format.parameters, parameter.name))
        names.emplace_back(parameter.name);
  return names;
}

static llvm::Error checkFixed(const std::string &name, double value,
                              const std::vector<std::string> &names) {
  const Parameter *parameter = nullptr;
  bool isAskedFor = false;
  for (const Format &format : formats())
    if (const Parameter *found = findSettable(format.parameters, name)) {
      parameter = found;
      isAskedFor = isAskedFor || isNamed(format, names);
    }
  if (!parameter)
    return fail(Status::badCall, "no format has a parameter '{0}'{1}", name,
                meantBy(name, settableNames()));
  if (!isAskedFor)
    return fail(Status::badCall,
                "'{0}' is not a parameter of the formats asked for ({1}); it is one of {2}", name,
                llvm::join(names, ", "), llvm::join(formatsWith({{name, value}}), ", "));
  if (parameter->isReal)
    return llvm::Error::success();
  if (std::isfinite(value) && std::fabs(value) > kMaxExact)
    return fail(Status::badCall,
                "{0} = {1} is beyond 2^53, the limit of integers that are read exactly", name,
                decimalText(value));
  if (std::floor(value) != value || !std::isfinite(value))
    return fail(Status::badCall, "{0} = {1} is not an integer", name, decimalText(value));
  return llvm::Error::success();
}

std::vector<std::string> formatsWith(const Fixed &fixed) {
  std::vector<std::string> names;
  for (const Format &format : formats())
    if (std::any_of(fixed.begin(), fixed.end(),
                    [&](const auto &f) { return findSettable(format.parameters, f.first); }))
      names.emplace_back(format.name);
  return names;
}

llvm::Error checkAsked(const std::vector<std::string> &names, const Fixed &fixed) {
  for (const std::string &name : names)
    if (!findFormat(name))
      return fail(Status::badCall, "unknown format '{0}'{1}; the formats are {2}", name,
                  meantBy(name, namesIn(formats())), listOfFormats());
  for (const auto &[name, value] : fixed)
    if (llvm::Error error = checkFixed(name, value, names))
      return error;
  return llvm::Error::success();
}

Offer offerOf(const Format &format, const PlanRequest &request) {
  Offer offer{&format, {}, ""};
  offer.why = format.plans(request, offer.plans);
  return offer;
}

llvm::Expected<std::vector<Offer>> offers(const PlanRequest &request,
                                          const std::vector<std::string> &names) {
  if (llvm::Error error = checkAsked(names, request.fixed))
    return error;
  if (llvm::Error error = checkValues(request.values))
    return error;
  if (llvm::Error error = checkOrder(request.order))
    return error;
  std::vector<Offer> out;
  for (const Format &format : formats()) {
    if (!isNamed(format, names))
      continue;
    out.push_back(offerOf(format, request));
  }
  return out;
}

} // namespace specmv
