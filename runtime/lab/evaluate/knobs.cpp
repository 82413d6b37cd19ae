// Bounds rates by the kind that their names show.
#include "runtime/lab/evaluate/knobs.h"

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

namespace {
// Rates whose names contain a text. The first matching kind counts.
struct Kind {
  llvm::StringRef text;
  double sigma;
  double factor; // at most, up or down
};
} // namespace

constexpr double kSigma = 0.7, kFactor = 3, kWide = 10;
// The GPU's own rates are known more precisely than those of kernels.
constexpr double kMemberSigma = 0.2;
constexpr Kind kKinds[] = {{"fficiency", 0.15, kFactor}, {"overlap", 0.25, kFactor},
                           {"latency", 0.4, kFactor},    {"gathers", 0.15, kFactor},
                           {"Ns", kSigma, kWide},        {"Bytes", kSigma, kWide},
                           {"hare", kSigma, kWide},      {"", kSigma, kFactor}};

static Knob rateKnob(const std::string &name, double value) {
  const Kind &kind = *llvm::find_if(
      kKinds, [&](const Kind &each) { return llvm::StringRef(name).contains(each.text); });
  const double far = std::log(kind.factor);
  Knob out{name, nullptr, value, -far, far, kind.sigma};
  // A kernel that only reads is faster than a copy, but not by more (measured by curves: 1.06 on an
  // H200).
  constexpr double kMostEfficiency = 1.15;
  if (kind.text == "fficiency")
    out.most = std::min(far, std::log(std::max(1.0, kMostEfficiency / value)));
  // Times that are added do not overlap at all, and nothing is slower than that.
  if (kind.text == "overlap")
    out.least = -std::min(far, std::log(std::max(1.0, value)));
  return out;
}

// Numbers without a slope do not move. No time depends on a caution (cautions.h finds them), L1's
// size is from a data sheet, and 0 has no logarithm. Passes are rounded to whole numbers, so they
// have steps instead of slopes; the time of a pass is fitted by chainNs and the latency of each
// pace.
static bool hasSlope(const Knob &knob) {
  const llvm::StringRef name = knob.name;
  return knob.start > 0 && name != "gather.l1Bytes" && !name.contains(".caution") &&
         !name.contains("asses") && !name.contains("PerPass");
}

std::vector<Knob> knobsOf(const GpuModel &gpu, const std::vector<std::string> &left) {
  const double far = std::log(kFactor);
  std::vector<Knob> out;
  for (const auto &[name, member] : kMembers)
    out.push_back({name, member, gpu.*member, -far, far, kMemberSigma});
  for (const auto &[name, value] : gpu.rates.all())
    out.push_back(rateKnob(name, value));
  llvm::erase_if(out, [&](const Knob &knob) {
    return !hasSlope(knob) || llvm::is_contained(left, knob.name);
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
