// Collects the rows of the table of rates from the files that read them.
#include "generator/rate_table.h"

#include "generator/format.h"
#include "generator/shared/walk.h"
#include "models/base/lasting.h"
#include "models/base/text.h"
#include "models/gpus/borrow.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

static bool isBefore(const Rate &a, const Rate &b) {
  return llvm::StringRef(a.name) < llvm::StringRef(b.name);
}

// Formats may read rates of other formats, so some rates are listed more than once. `isMeant` tells
// whose own rates are collected.
template <class IsMeant> static std::vector<Rate> collected(const IsMeant &isMeant) {
  std::vector<Rate> out;
  const auto add = [&](llvm::ArrayRef<Rate> rates) { llvm::append_range(out, rates); };
  add(trafficRates());
  add(kSharedRates);
  for (const Format &format : formats()) {
    if (!isMeant(format))
      continue;
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
  static const Lasting<std::vector<Rate>> rates(
      [] { return collected([](const Format & /*format*/) { return true; }); });
  return *rates;
}

const Rate *findRate(llvm::StringRef name) {
  const auto rates = allRates();
  const Rate *const at = llvm::partition_point(
      rates, [&](const Rate &rate) { return llvm::StringRef(rate.name) < name; });
  return at != rates.end() && name == at->name ? at : nullptr;
}

// Names a rate of the model that no format reads, with the name that was probably meant; "" if
// there is none, as in a built-in model, whose JSON a test checks so.
static std::string unreadText(const GpuModel &gpu) {
  if (!gpu.rates.isTable())
    for (const auto &[name, value] : gpu.rates.all())
      if (!findRate(name))
        return llvm::formatv("has a rate '{0}', which no format reads{1}", name,
                             meantBy(name, namesIn(allRates())));
  return "";
}

llvm::Error checkRates(const GpuModel &gpu, llvm::StringRef origin) {
  const std::string unread = unreadText(gpu);
  if (unread.empty())
    return llvm::Error::success();
  return fail(Status::badInput, "{0}: the GPU model {1} {2}; remove it, or correct its name",
              origin, gpu.name, unread);
}

std::string whyNotMeasured(const Format &format, const GpuModel &gpu) {
  const auto isMeasured = [&](llvm::ArrayRef<Rate> rates) {
    return llvm::any_of(rates, [&](const Rate &rate) { return gpu.rates.contains(rate); });
  };
  const bool isKnown =
      format.paces.empty()
          ? format.rates.empty() || isMeasured(format.rates)
          : llvm::any_of(format.paces, [&](const PaceRates *p) { return isMeasured(p->all()); });
  if (isKnown)
    return "";
  return llvm::formatv(
      "{0} was not measured on {1}: the GPU's model has no rates of its kernels, so it is chosen "
      "only if it is asked for by name, or if no other format has a plan; 'specmv calibrate' "
      "measures it",
      format.name, gpu.name);
}

std::vector<Rate> lackingRates(const GpuModel &gpu) {
  const auto isThere = [&](const Rate &rate) { return gpu.rates.contains(rate); };
  if (gpu.rates.isTable() || llvm::all_of(allRates(), isThere))
    return {};
  std::vector<Rate> out =
      collected([&](const Format &format) { return whyNotMeasured(format, gpu).empty(); });
  llvm::erase_if(out, isThere);
  return out;
}

static std::string lackingText(const GpuModel &gpu) {
  const std::vector<Rate> lacking = lackingRates(gpu);
  if (lacking.empty())
    return "";
  const Rate &first = lacking.front();
  const std::string more =
      lacking.size() > 1 ? llvm::formatv(" and {0} more", lacking.size() - 1).str() : "";
  return llvm::formatv("lacks the rate {0} ({1}){2}: predictions use {3}", first.name,
                       first.meaning, more,
                       more.empty() ? "its default, " + decimalText(first.byDefault)
                                    : std::string("their defaults"));
}

std::string foreignRatesText(const GpuModel &gpu) {
  if (std::string borrowed = borrowingText(gpu); !borrowed.empty())
    return borrowed;
  const std::string lacking = lackingText(gpu), unread = unreadText(gpu);
  if (lacking.empty() && unread.empty())
    return "";
  return "the GPU model " + gpu.name + " " + lacking +
         (lacking.empty() || unread.empty() ? "" : "; it ") + unread;
}

} // namespace specmv
