// Checks the options of plans.
#include "runtime/api/options.h"

#include "runtime/api/arguments.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

namespace specmv {

llvm::Expected<specmvPlanOptions_t> completeOptions(const specmvPlanOptions_t *given) {
  specmvPlanOptions_t options{};
  options.structSize = sizeof options;
  if (!given)
    return options;
  // A caller of an older version has a shorter structure, which ends where a field begins. `start`
  // lies where the structure before it had only padding, which its callers set to 0 with the rest.
  // vectorsOnGpu came with csrOutlivesPlan.
  static_assert(offsetof(specmvPlanOptions_t, start) + sizeof options.start ==
                offsetof(specmvPlanOptions_t, expectedProducts));
  constexpr size_t ends[] = {offsetof(specmvPlanOptions_t, target),
                             offsetof(specmvPlanOptions_t, rigor),
                             offsetof(specmvPlanOptions_t, device),
                             offsetof(specmvPlanOptions_t, betaIsZero),
                             offsetof(specmvPlanOptions_t, formats),
                             offsetof(specmvPlanOptions_t, onlyPacks),
                             offsetof(specmvPlanOptions_t, structureOf),
                             offsetof(specmvPlanOptions_t, updatable),
                             offsetof(specmvPlanOptions_t, expectedProducts),
                             offsetof(specmvPlanOptions_t, csrOutlivesPlan),
                             sizeof(specmvPlanOptions_t)};
  if (std::find(std::begin(ends), std::end(ends), given->structSize) == std::end(ends))
    return fail(Status::badCall,
                "structSize = {0} is not a valid value; set it to sizeof(specmvPlanOptions_t), {1}",
                given->structSize, sizeof options);
  const size_t size = given->structSize;
  std::memcpy(&options, given, size);
  options.structSize = sizeof options;
  if (llvm::Error error = wantEnum(options.target, SPECMV_TARGET_HOST, "target"))
    return error;
  if (llvm::Error error = wantEnum(options.rigor, SPECMV_RIGOR_TRIAL, "rigor"))
    return error;
  if (llvm::Error error = wantEnum(options.start, SPECMV_START_NOW, "start"))
    return error;
  if (options.expectedProducts < 0)
    return fail(Status::badCall, "expectedProducts = {0} must not be negative; 0 is unknown",
                options.expectedProducts);
  return options;
}

} // namespace specmv
