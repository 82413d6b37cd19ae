// Checks the options of plans.
#include "runtime/api/options.h"

#include "models/base/in_turn.h"
#include "runtime/api/arguments.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstddef>

namespace specmv {

static llvm::Error wantOrder(const specmvPlanOptions_t &options) {
  if (options.order && !*options.order)
    return fail(Status::badCall, "order = \"\" is no order of rows and columns; set it to NULL, "
                                 "\"none\" or \"bfs\"");
  if (options.order && options.planText)
    return fail(Status::badCall,
                "planText has the order of its plan, which order = '{0}' contradicts; set one of "
                "them to NULL",
                options.order);
  if (options.vectorsInPlanOrder == 0)
    return llvm::Error::success();
  if (!options.order && !options.planText)
    return fail(Status::badCall, "vectorsInPlanOrder needs an order that is known before the plan; "
                                 "set order = \"bfs\", or planText");
  if (options.start == SPECMV_START_NOW)
    return fail(Status::badCall, "with SPECMV_START_NOW the first products take vectors in the "
                                 "order of the matrix; leave out start or vectorsInPlanOrder");
  return llvm::Error::success();
}

static llvm::Error wantEnums(const specmvPlanOptions_t &options) {
  return inTurn(
      [&] { return wantEnum(options.target, SPECMV_TARGET_HOST, "target"); },
      [&] { return wantEnum(options.rigor, SPECMV_RIGOR_ONLINE, "rigor"); },
      [&] { return wantEnum(options.start, SPECMV_START_NOW, "start"); },
      [&] { return wantEnum(options.operation, SPECMV_OPERATION_TRANSPOSE, "operation"); },
      [&] { return wantEnum(options.kernels, SPECMV_KERNELS_GENERAL, "kernels"); });
}

static llvm::Error wantNotNegative(const specmvPlanOptions_t &options) {
  const struct {
    const char *name;
    int64_t value;
    const char *note; // what 0 means, or where the numbers begin
  } numbers[] = {{"device", options.device, "GPUs are numbered from 0"},
                 {"maxBytes", options.maxBytes, "0 is no limit"},
                 {"vectors", options.vectors, "0 is one at a time"},
                 {"expectedProducts", options.expectedProducts, "0 is unknown"}};
  for (const auto &[name, value, note] : numbers)
    if (value < 0)
      return fail(Status::badCall, "{0} = {1} must not be negative; {2}", name, value, note);
  return llvm::Error::success();
}

llvm::Expected<specmvPlanOptions_t> completeOptions(const specmvPlanOptions_t *given) {
  // Callers built against an older version pass a shorter structure, which ends where a later field
  // begins. `start` lies in what was padding of the structure before it, and callers of that
  // version set the padding to 0. vectorsOnGpu was added together with csrOutlivesPlan.
  static_assert(offsetof(specmvPlanOptions_t, start) + sizeof(specmvStart_t) ==
                offsetof(specmvPlanOptions_t, expectedProducts));
  constexpr size_t kEnds[] = {offsetof(specmvPlanOptions_t, device),
                              offsetof(specmvPlanOptions_t, formats),
                              offsetof(specmvPlanOptions_t, onlyPacks),
                              offsetof(specmvPlanOptions_t, structureOf),
                              offsetof(specmvPlanOptions_t, updatable),
                              offsetof(specmvPlanOptions_t, expectedProducts),
                              offsetof(specmvPlanOptions_t, csrOutlivesPlan),
                              offsetof(specmvPlanOptions_t, context),
                              offsetof(specmvPlanOptions_t, vectors),
                              offsetof(specmvPlanOptions_t, scratchPerStream),
                              offsetof(specmvPlanOptions_t, doubleVectors),
                              offsetof(specmvPlanOptions_t, compileOnHost),
                              offsetof(specmvPlanOptions_t, kernels),
                              offsetof(specmvPlanOptions_t, planText),
                              offsetof(specmvPlanOptions_t, fused),
                              offsetof(specmvPlanOptions_t, vectorsInPlanOrder),
                              offsetof(specmvPlanOptions_t, improves),
                              sizeof(specmvPlanOptions_t)};
  auto found = completed(given, kEnds, "specmvPlanOptions_t");
  if (!found)
    return found;
  specmvPlanOptions_t &options = *found;
  if (llvm::Error error = wantEnums(options))
    return error;
  if (options.planText && options.formats)
    return fail(Status::badCall,
                "planText gives a format with all of its numbers, which formats = '{0}' "
                "contradicts; set one of them to NULL",
                options.formats);
  if (llvm::Error error = wantOrder(options))
    return error;
  if (llvm::Error error = wantNotNegative(options))
    return error;
  return found;
}

std::vector<std::string> namesOf(const char *list) {
  if (!list)
    return {};
  llvm::SmallVector<llvm::StringRef, 8> parts;
  llvm::StringRef(list).split(parts, ',');
  std::vector<std::string> names;
  for (const llvm::StringRef part : parts)
    names.push_back(part.trim(" \t").str());
  return names;
}

} // namespace specmv
