// Finds the missing sources of several plans, each once, and compiles them in parallel.
#include "runtime/kernels/ahead.h"

#include "models/base/parallel.h"
#include "models/base/stage.h"
#include "runtime/kernels/at_hand.h"
#include "runtime/kernels/objects.h"
#include "runtime/measure/stopwatch.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <mutex>

namespace specmv {

namespace {
struct Lacking {
  SharedSource source;
  std::string label;
};
} // namespace

static std::vector<Lacking> lackingOf(llvm::ArrayRef<Plan> plans, const Problem &problem,
                                      IndexType csrIndex, const Machine &machine) {
  std::map<std::string, Lacking> byText;
  const auto add = [&](const SharedSource &source, const std::string &label) {
    if (!byText.contains(source->text) && stateOf(*source, machine) == KernelState::missing)
      byText.emplace(source->text, Lacking{source, label});
    return true;
  };
  for (const Plan &plan : plans)
    holdsForKernels(plan, problem, machine, machine.gpu ? SetupPart::packing : SetupPart::none,
                    csrIndex, add);
  std::vector<Lacking> out;
  out.reserve(byText.size());
  for (auto &[text, lacking] : byText)
    out.push_back(std::move(lacking));
  return out;
}

CompiledAhead compileAhead(llvm::ArrayRef<Plan> plans, const Problem &problem, IndexType csrIndex,
                           const Machine &machine) {
  CompiledAhead out;
  if (machine.onlyPacks)
    return out;
  const Stopwatch watch;
  const std::vector<Lacking> lacking = lackingOf(plans, problem, csrIndex, machine);
  std::mutex mutex;
  Stage stage("compiling kernels", Stage::Counts::pieces, static_cast<int64_t>(lacking.size()));
  parallelFor(static_cast<int64_t>(lacking.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto &[source, label] = lacking[static_cast<size_t>(i)];
      Machine mine = machine;
      auto found = findOrCompile(*source, label, mine);
      stage.advance(1);
      if (!found) {
        llvm::consumeError(found.takeError());
        continue;
      }
      const std::lock_guard<std::mutex> lock(mutex);
      llvm::append_range(out.warnings, found->warnings);
      if (!found->hit) // otherwise another process compiled it first
        out.objects.emplace(found->key.id, std::move(found->object));
    }
  });
  out.ms = watch.milliseconds();
  return out;
}

} // namespace specmv
