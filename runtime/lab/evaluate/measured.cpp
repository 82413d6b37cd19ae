// Answers simple questions about measurements.
#include "runtime/lab/evaluate/measured.h"

#include "generator/format.h"
#include "models/lab/families/families.h"
#include "runtime/plan/worth.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <set>

namespace specmv {

std::string familyOf(const std::string &matrix) { return matrix.substr(0, matrix.find(':')); }

bool isKeptFromFits(const Measured &measured) { return isUnseen(familyOf(measured.matrix)); }

std::string keptFromFits(llvm::ArrayRef<Measured> all) {
  std::set<std::string> kept;
  size_t cases = 0;
  for (const Measured &each : all)
    if (isKeptFromFits(each)) {
      kept.insert(familyOf(each.matrix));
      ++cases;
    }
  if (cases == 0)
    return "";
  return llvm::formatv("{0} of {1} cases are left out of the fit, because no fit may use their "
                       "families: {2}",
                       cases, all.size(), llvm::join(kept, ", "));
}

Measured replaysOf(const Measured &measured) {
  Measured out = measured;
  llvm::erase_if(out.plans, [](const MeasuredPlan &each) { return each.usReplay <= 0; });
  for (MeasuredPlan &each : out.plans)
    each.us = each.usReplay;
  return out;
}

double fastestUs(const Measured &measured) {
  const auto least =
      std::min_element(measured.plans.begin(), measured.plans.end(),
                       [](const MeasuredPlan &a, const MeasuredPlan &b) { return a.us < b.us; });
  return least == measured.plans.end() ? 0 : least->us;
}

int64_t csrBytesOf(const Measured &measured) {
  return sizeOf(measured.profile, measured.type).csrBytes();
}

bool lacksCounts(const Measured &measured, const Plan &plan) {
  const Format *format = findFormat(plan.format);
  return format && format->asksColumns && format->asksColumns(measured.profile, plan);
}

bool hasManyFormats(const Measured &measured) {
  constexpr size_t kMany = 4;
  std::set<std::string> ours;
  for (const MeasuredPlan &each : measured.plans)
    if (const Format *format = findFormat(each.plan.format); format && !format->library)
      ours.insert(format->name);
  return ours.size() >= kMany;
}

} // namespace specmv
