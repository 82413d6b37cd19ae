// Collects the rows of the table of rates from the files that read them.
#include "generator/rate_table.h"

#include "generator/format.h"
#include "generator/shared/pace.h"
#include "generator/shared/rates.h"
#include "models/base/decimal.h"
#include "models/base/lasting.h"
#include "models/base/spelling.h"
#include "models/gpus/borrow.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

static bool isBefore(const Rate &a, const Rate &b) {
  return llvm::StringRef(a.name) < llvm::StringRef(b.name);
}

// Formats may read rates of other formats, so some rates are listed more than once.
static std::vector<Rate> collected() {
  std::vector<Rate> out;
  const auto add = [&](llvm::ArrayRef<Rate> rates) { llvm::append_range(out, rates); };
  add(trafficRates());
  add(kSharedRates);
  for (const Format &format : formats()) {
    add(format.rates);
    for (const PaceRates *pace : format.paces)
      add(pace->all());
  }
  llvm::sort(out, isBefore);
  out.erase(std::unique(out.begin(), out.end(),
                        [](const Rate &a, const Rate &b) { return !isBefore(a, b); }),
            out.end());
  return out;
}

llvm::ArrayRef<Rate> allRates() {
  static const Lasting<std::vector<Rate>> rates(collected);
  return *rates;
}

const Rate *findRate(llvm::StringRef name) {
  const auto rates = allRates();
  const Rate *const at = llvm::partition_point(
      rates, [&](const Rate &rate) { return llvm::StringRef(rate.name) < name; });
  return at != rates.end() && name == at->name ? at : nullptr;
}

llvm::Error checkRates(const GpuModel &gpu) {
  if (gpu.rates.isTable()) // a built-in model; a test checks its JSON
    return llvm::Error::success();
  for (const auto &[name, value] : gpu.rates.all())
    if (!findRate(name))
      return fail(Status::badInput,
                  "the GPU model {0} has a rate '{1}', which no format reads{2}; remove it, or "
                  "correct its name",
                  gpu.name, name, meantBy(name, namesIn(allRates())));
  return llvm::Error::success();
}

static std::string lackingText(const GpuModel &gpu) {
  std::vector<Rate> lacking;
  for (const Rate &rate : allRates())
    if (!gpu.rates.contains(rate.name))
      lacking.push_back(rate);
  if (lacking.empty())
    return "";
  const Rate &first = lacking.front();
  const std::string more =
      lacking.size() > 1 ? llvm::formatv(" and {0} more", lacking.size() - 1).str() : "";
  return llvm::formatv("the GPU model {0} lacks the rate {1} ({2}){3}: predictions use {4}",
                       gpu.name, first.name, first.meaning, more,
                       more.empty() ? "its default, " + decimalText(first.byDefault)
                                    : std::string("their defaults"));
}

std::string foreignRatesText(const GpuModel &gpu) {
  const std::string borrowed = borrowingText(gpu);
  return borrowed.empty() && !gpu.rates.isTable() ? lackingText(gpu) : borrowed;
}

} // namespace specmv
