// Copies options by their names. specmv/_options.py has checked what they are.
#include "runtime/adapters/python/options.h"

namespace specmv_python {

using Values = specmvPlanOptions_t;

namespace {
struct Number {
  const char *name;
  void (*set)(Values &, int64_t);
};

struct Text {
  const char *name;
  const char *Values::*field;
};
} // namespace

template <auto field> static void setField(Values &values, int64_t number) {
  values.*field = static_cast<std::remove_reference_t<decltype(values.*field)>>(number);
}

constexpr Number kNumbers[] = {
    {"target", setField<&Values::target>},
    {"rigor", setField<&Values::rigor>},
    {"device", setField<&Values::device>},
    {"betaIsZero", setField<&Values::betaIsZero>},
    {"onlyPacks", setField<&Values::onlyPacks>},
    {"updatable", setField<&Values::updatable>},
    {"start", setField<&Values::start>},
    {"expectedProducts", setField<&Values::expectedProducts>},
    {"csrOutlivesPlan", setField<&Values::csrOutlivesPlan>},
    {"vectorsOnGpu", setField<&Values::vectorsOnGpu>},
    {"operation", setField<&Values::operation>},
    {"maxBytes", setField<&Values::maxBytes>},
    {"vectors", setField<&Values::vectors>},
    {"scratchPerStream", setField<&Values::scratchPerStream>},
    {"scalarsOnGpu", setField<&Values::scalarsOnGpu>},
    {"doubleVectors", setField<&Values::doubleVectors>},
    {"resultApart", setField<&Values::resultApart>},
    {"compileOnHost", setField<&Values::compileOnHost>},
    {"kernels", setField<&Values::kernels>},
    {"plainValues", setField<&Values::plainValues>},
    {"vectorsInPlanOrder", setField<&Values::vectorsInPlanOrder>},
    {"improves", setField<&Values::improves>},
};

constexpr Text kTexts[] = {
    {"formats", &Values::formats}, {"planText", &Values::planText}, {"order", &Values::order}};

Options::Options(const nb::dict &given) {
  for (const auto &[key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    bool isKnown = false;
    for (const Number &option : kNumbers)
      if (name == option.name) {
        option.set(values, nb::cast<int64_t>(value));
        isKnown = true;
      }
    for (const Text &option : kTexts)
      if (name == option.name) {
        values.*option.field = texts_.emplace_back(nb::cast<std::string>(value)).c_str();
        isKnown = true;
      }
    if (!isKnown)
      refuse("the binding knows no option '" + name + "'");
  }
}

} // namespace specmv_python
