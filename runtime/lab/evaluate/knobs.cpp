// Takes the bounds of rates from their table.
#include "runtime/lab/evaluate/knobs.h"

#include "generator/rate_table.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

namespace specmv {

constexpr std::pair<const char *, double GpuModel::*> kMembers[] = {
    {"l2GBs", &GpuModel::l2GBs},       {"gatherGBs", &GpuModel::gatherGBs},
    {"launchUs", &GpuModel::launchUs}, {"periodUs", &GpuModel::periodUs},
    {"loadNs", &GpuModel::loadNs},     {"chainNs", &GpuModel::chainNs},
    {"waveNs", &GpuModel::waveNs},     {"dramDelay", &GpuModel::dramDelay}};

llvm::ArrayRef<std::pair<const char *, double GpuModel::*>> fittedMembers() { return kMembers; }

void Knob::set(GpuModel &gpu, double moved) const {
  const double value = start * std::exp(moved);
  if (member)
    gpu.*member = value;
  else
    gpu.rates.set(name, value);
}

// The GPU's own rates are known more precisely than those of kernels.
constexpr RateFit kMemberFit{.sigma = 0.2};

static Knob knobOf(std::string name, double GpuModel::*member, double start, const RateFit &fit) {
  const double far = std::log(fit.factor);
  return {std::move(name),
          member,
          start,
          -std::min(far, std::log(std::max(1.0, start / fit.least))),
          std::min(far, std::log(std::max(1.0, fit.most / start))),
          fit.sigma};
}

std::vector<Knob> knobsOf(const GpuModel &gpu, const std::vector<std::string> &left) {
  std::vector<Knob> out;
  for (const auto &[name, member] : kMembers)
    out.push_back(knobOf(name, member, gpu.*member, kMemberFit));
  for (const Rate &rate : allRates())
    if (rate.fit.by == FittedBy::slope)
      out.push_back(knobOf(rate.name, nullptr, gpu.rates[rate], rate.fit));
  llvm::erase_if(out, [&](const Knob &knob) { // 0 has no logarithm
    return knob.start <= 0 || llvm::is_contained(left, knob.name);
  });
  return out;
}

GpuModel movedBy(GpuModel start, llvm::ArrayRef<Knob> knobs, llvm::ArrayRef<double> moved) {
  for (size_t i = 0; i < knobs.size(); ++i)
    if (moved[i] != 0)
      knobs[i].set(start, moved[i]);
  return start;
}

} // namespace specmv
