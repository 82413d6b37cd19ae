// Measures all contenders one after another, from the device and from the host.
#include "runtime/lab/bench/setup_bench.h"

#include "runtime/lab/bench/setup_cusparse.h"
#include "runtime/lab/bench/setup_states.h"
#include "runtime/lab/yardstick/yardstick.h"
#include "llvm/ADT/STLExtras.h"

namespace specmv {

static llvm::Expected<std::vector<SetupContender>>
allContenders(const CsrView &a, const Request &request, const Machine &machine) {
  auto profiled = profileMatrix(a);
  if (!profiled)
    return profiled.takeError();
  auto contenders = ownContenders(machine, request);
  if (!contenders)
    return contenders;
  auto others = cusparseContenders(profiled->profile, request.problem, machine);
  if (!others)
    return others;
  for (SetupContender &other : *others)
    contenders->push_back(std::move(other));
  return contenders;
}

// Makes a line with the reason if the contender does not apply or is not available here.
static llvm::Expected<SetupTime> measureOrTell(const SetupContender &contender, const SetupBed &bed,
                                               Side side) {
  auto time = measureSetup(contender, bed, side);
  if (time)
    return time;
  auto [status, sentence] = describe(time.takeError());
  if (status != Status::notApplicable && !isMissing(status))
    return fail(status, "{0} {1}: {2}", contender.name, contender.state, sentence);
  return SetupTime{.contender = contender.name,
                   .state = contender.state,
                   .products = contender.products,
                   .from = side,
                   .why = sentence};
}

static bool isAsked(const SetupContender &contender, Side side, const SetupAsked &asked) {
  const bool isState = contender.name != kOwnContender || asked.states.empty() ||
                       llvm::is_contained(asked.states, contender.state);
  const bool isSide = asked.from.value_or(side) == side;
  return isState && isSide && !(contender.once && side == Side::host);
}

llvm::Expected<SetupBench> benchSetup(const CsrView &a, const Request &request,
                                      const Machine &machine,
                                      const std::vector<SetupContender> &others,
                                      const SetupAsked &asked) {
  auto contenders = allContenders(a, request, machine);
  if (!contenders)
    return contenders.takeError();
  contenders->insert(contenders->end(), others.begin(), others.end());
  auto bed = SetupBed::make(a, machine.gpu);
  if (!bed)
    return bed.takeError();
  SetupBench out{.csrBytes = csrBytes(a), .times = {}};
  for (SetupContender &next : *contenders) {
    const SetupContender contender = std::move(next); // its resources end with it
    for (const Side side : {Side::device, Side::host}) {
      if (!isAsked(contender, side, asked))
        continue;
      auto time = measureOrTell(contender, **bed, side);
      if (!time)
        return time.takeError();
      out.times.push_back(std::move(*time));
    }
  }
  return out;
}

} // namespace specmv
