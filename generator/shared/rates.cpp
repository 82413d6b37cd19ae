// Lists the rates that are of no single format.
#include "generator/shared/rates.h"

#include "generator/shared/walk.h"
#include "models/base/lasting.h"

namespace specmv {

constexpr const char *kNames[] = {kBytesInL1,           kEntriesInL1,   kPassesPerBatch,
                                  kPassesPerKnownBatch, kMeetingPasses, kRunsPasses};

static std::vector<const char *> allShared() {
  std::vector<const char *> out(std::begin(kNames), std::end(kNames));
  for (const llvm::ArrayRef<const char *> more : {trafficRates(), paceRates()})
    out.insert(out.end(), more.begin(), more.end());
  return out;
}

llvm::ArrayRef<const char *> sharedRates() {
  static const Lasting<std::vector<const char *>> names(allShared);
  return *names;
}

} // namespace specmv
