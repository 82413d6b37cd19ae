// The table of formats: one line each.
#include "generator/formats.h"

#include "models/error.h"

#include <algorithm>

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

static bool knowsParameter(const std::string &name) {
  return std::any_of(formats().begin(), formats().end(), [&](const Format &format) {
    return std::find(format.parameters.begin(), format.parameters.end(), name) !=
           format.parameters.end();
  });
}

llvm::Expected<std::vector<Offer>> offers(const PlanRequest &request,
                                          const std::vector<std::string> &names) {
  for (const std::string &name : names)
    if (!findFormat(name))
      return fail(Status::badCall, "unknown format '{0}'; there are {1}", name, listOfFormats());
  for (const auto &[name, value] : request.fixed)
    if (!knowsParameter(name))
      return fail(Status::badCall, "no format has a parameter '{0}'", name);

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
