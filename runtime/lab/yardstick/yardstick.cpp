// Builds and times the formats that call cuSPARSE.
#include "runtime/lab/yardstick/yardstick.h"

#include "runtime/build.h"
#include "runtime/lab/yardstick/preparation.h"
#include "runtime/lab/yardstick/several.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace specmv {

std::vector<std::string> cusparseFormats() {
  std::vector<std::string> names;
  for (const Format &format : formats())
    if (format.library)
      names.emplace_back(format.name);
  return names;
}

const YardstickTime *Yardstick::best() const {
  auto least = std::min_element(times.begin(), times.end(),
                                [](const auto &a, const auto &b) { return a.us < b.us; });
  return least == times.end() ? nullptr : &*least;
}

const YardstickTime *Yardstick::bestReplay() const {
  const YardstickTime *least = nullptr;
  for (const YardstickTime &time : times)
    if (time.replay.us > 0 && (!least || time.replay.us < least->replay.us))
      least = &time;
  return least;
}

const YardstickTime *Yardstick::find(const std::string &format) const {
  auto found =
      std::find_if(times.begin(), times.end(), [&](const auto &t) { return t.format == format; });
  return found == times.end() ? nullptr : &*found;
}

llvm::Expected<Yardstick> measureSpmm(const CsrView &a, Machine &machine,
                                      const DeviceVectors &vectors) {
  const SourceMatrix source(a);
  auto arrays = source.onGpu(machine.gpu);
  if (!arrays)
    return arrays.takeError();
  CsrView onGpu = a;
  onGpu.rowPtr = reinterpret_cast<const void *>(arrays->rowPtr);
  onGpu.col = reinterpret_cast<const void *>(arrays->col);
  onGpu.val = reinterpret_cast<const void *>(arrays->val);
  Yardstick out;
  auto times = timeSeveral(machine.gpu, onGpu,
                           {vectors.count, true, vectors.x.pointer(), vectors.y.pointer()});
  if (!times) {
    out.notes.push_back("cusparse-spmm: " + describe(times.takeError()).second);
    return out;
  }
  for (const AlgorithmTime &time : *times)
    out.times.push_back({.format = "cusparse-spmm-" + time.algorithm,
                         .us = time.us,
                         .replay = {.why = "products with several vectors are not captured"}});
  return out;
}

static llvm::Expected<YardstickTime> timeOf(const Built &built, const CsrView &a, Machine &machine,
                                            const DeviceVectors &vectors) {
  auto time = measureProduct(*built.product, vectors, csrBytes(a));
  if (!time)
    return time.takeError();
  YardstickTime out{built.plan.format, time->us, std::move(time->replay)};
  if (llvm::Error error =
          preparationUs(machine.gpu, built.plan.format, built.layout, built.problem.type)
              .moveInto(out.prepareUs))
    return error;
  return out;
}

llvm::Expected<Yardstick> measureCusparse(const CsrView &a, const SparsityProfile &profile,
                                          const Problem &problem, Machine &machine,
                                          const DeviceVectors &vectors) {
  if (vectors.count > 1)
    return measureSpmm(a, machine, vectors);
  const Fixed none;
  auto offered = offers({profile, problem, machine.model, none}, cusparseFormats());
  if (!offered)
    return offered.takeError();
  Yardstick out;
  for (const Offer &offer : *offered) {
    if (offer.plans.empty()) {
      out.notes.push_back(offer.why);
      continue;
    }
    auto built = build(a, offer.plans.front(), problem, machine);
    if (!built) {
      out.notes.push_back(std::string(offer.format->name) + ": " +
                          describe(built.takeError()).second);
      continue;
    }
    llvm::append_range(out.notes, built->warnings);
    auto time = timeOf(*built, a, machine, vectors);
    if (!time)
      return time.takeError();
    out.times.push_back(std::move(*time));
  }
  return out;
}

int64_t csrBytes(const CsrView &a, int64_t vectors) {
  const auto v = static_cast<int64_t>(sizeOf(a.valueType));
  return a.nnz * (v + 4) + 4 * (a.rows + 1) + vectors * v * (a.cols + a.rows);
}

} // namespace specmv
