// Predicts the time of a set-up from the bytes that it moves and from the state of its kernels.
#include "models/predict/setup.h"

#include "models/base/error.h"

namespace specmv {

// "any" has the costs of formats that have none of their own, "profile" those of the profile.
constexpr const char *kAnyFormat = "any", *kProfile = "profile";
constexpr const char *kNeeded[] = {"any.hostUs",        "any.packPasses",   "any.packLaunches",
                                   "any.hostNs",        "any.compileUs",    "any.packCompileUs",
                                   "any.loadUs",        "any.openUs",       "profile.hostUs",
                                   "profile.passes",    "profile.launches", "profile.compileUs",
                                   "asItIs.efficiency", "asItIs.latencyUs"};

llvm::Error checkSetupCosts(const Rates &costs, llvm::StringRef origin) {
  for (const char *name : kNeeded)
    if (!costs.contains(name))
      return fail(Status::badInput,
                  "{0}: field 'setup' lacks '{1}'; to use the costs of a built-in GPU model, write "
                  "its name: \"setup\": \"h200\"",
                  origin, name);
  return llvm::Error::success();
}

double setupCost(const GpuModel &gpu, const std::string &format, const char *name) {
  return gpu.setup.inGroup(format, name, kAnyFormat);
}

// GB/s equal bytes per nanosecond.
static double copyUs(double bytes, double gigabytesPerSecond) {
  return bytes / gigabytesPerSecond / 1000;
}

static double kernelUs(KernelState state, double compileUs, const GpuModel &gpu) {
  return (state == KernelState::missing ? compileUs : 0) +
         (state == KernelState::loaded ? 0 : setupCost(gpu, kAnyFormat, "loadUs"));
}

PredictedSetup &PredictedSetup::operator+=(const PredictedSetup &other) {
  workUs += other.workUs;
  kernelsUs += other.kernelsUs;
  return *this;
}

PredictedSetup setupHostTime(const GpuModel &gpu) { return {setupCost(gpu, kAnyFormat, "hostUs")}; }

PredictedSetup asItIsTime(KernelState kernel, const GpuModel &gpu) {
  PredictedSetup time = setupHostTime(gpu);
  time.kernelsUs = kernelUs(kernel, setupCost(gpu, "csr-merge", "compileUs"), gpu);
  return time;
}

double lookUs(const GpuModel &gpu) { return setupCost(gpu, kProfile, "hostUs"); }

PredictedSetup profileTime(const SetupSize &size, KernelState kernels, const GpuModel &gpu) {
  const double copy = copyUs(static_cast<double>(size.indicesBytes()), gpu.dramGBs);
  return {lookUs(gpu) + setupCost(gpu, kProfile, "launches") * gpu.launchUs +
              setupCost(gpu, kProfile, "passes") * copy,
          kernelUs(kernels, setupCost(gpu, kProfile, "compileUs"), gpu)};
}

static double moveUs(const SetupWork &work, const SetupSize &size, const GpuModel &gpu) {
  const auto stored = static_cast<double>(work.storedBytes);
  if (!work.isPackedHere)
    return setupCost(gpu, work.format, "hostNs") * static_cast<double>(size.nnz) / 1000 +
           copyUs(stored, gpu.pcieGBs);
  return setupCost(gpu, work.format, "packLaunches") * gpu.launchUs +
         setupCost(gpu, work.format, "packPasses") *
             copyUs(static_cast<double>(size.csrBytes() - 2 * work.lentBytes) + stored,
                    gpu.dramGBs);
}

PredictedSetup packTime(const SetupWork &work, const SetupSize &size, const GpuModel &gpu) {
  const double kernels = kernelUs(work.packing, setupCost(gpu, work.format, "packCompileUs"), gpu) +
                         kernelUs(work.product, setupCost(gpu, work.format, "compileUs"), gpu) +
                         (work.opensLibrary ? setupCost(gpu, work.format, "openUs") : 0);
  return {moveUs(work, size, gpu), kernels};
}

} // namespace specmv
