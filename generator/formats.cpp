// The table of formats: one line each.
#include "generator/formats.h"

#include "models/error.h"

#include <algorithm>
#include <cmath>

namespace specmv {

llvm::ArrayRef<Format> formats() {
  static const Format table[] = {
      kCsrVector,
      kEll,
      kHyb,
      kQcsr,
  };
  return table;
}

const Format *findFormat(const std::string &name) {
  for (const Format &format : formats())
    if (name == format.name)
      return &format;
  return nullptr;
}

static std::string listOfFormats() {
  std::string list;
  for (const Format &format : formats())
    list += (list.empty() ? "" : ", ") + std::string(format.name);
  return list;
}

static const FormatParameter *findParameter(const std::string &name) {
  for (const Format &format : formats())
    for (const FormatParameter &parameter : format.parameters)
      if (name == parameter.name)
        return &parameter;
  return nullptr;
}

// Integers that a double holds exactly.
constexpr double kMaxExact = 9007199254740992.0; // 2^53

static llvm::Error checkFixed(const std::string &name, double value) {
  const FormatParameter *parameter = findParameter(name);
  if (!parameter)
    return fail(Status::badCall, "no format has a parameter '{0}'", name);
  const bool isInteger = std::fabs(value) <= kMaxExact && std::floor(value) == value;
  if (!parameter->isReal && !isInteger)
    return fail(Status::badCall, "{0} = {1} is not an integer", name, value);
  return llvm::Error::success();
}

std::vector<std::string> formatsWith(const Fixed &fixed) {
  std::vector<std::string> names;
  for (const Format &format : formats())
    for (const FormatParameter &parameter : format.parameters)
      if (std::any_of(fixed.begin(), fixed.end(),
                      [&](const auto &f) { return f.first == parameter.name; })) {
        names.emplace_back(format.name);
        break;
      }
  return names;
}

llvm::Expected<std::vector<Offer>> offers(const PlanRequest &request,
                                          const std::vector<std::string> &names) {
  for (const std::string &name : names)
    if (!findFormat(name))
      return fail(Status::badCall, "unknown format '{0}'; there are {1}", name, listOfFormats());
  for (const auto &[name, value] : request.fixed)
    if (llvm::Error error = checkFixed(name, value))
      return error;

  std::vector<Offer> out;
  for (const Format &format : formats()) {
    if (!names.empty() && std::find(names.begin(), names.end(), format.name) == names.end())
      continue;
    Offer offer{&format, {}, ""};
    offer.why = format.plans(request, offer.plans);
    out.push_back(std::move(offer));
  }
  return out;
}

} // namespace specmv
