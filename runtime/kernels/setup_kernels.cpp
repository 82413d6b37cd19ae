// Finds, compiles and loads set-up kernels.
#include "runtime/kernels/setup_kernels.h"

#include "runtime/kernels/at_hand.h"
#include "runtime/kernels/objects.h"

namespace specmv {

static llvm::Expected<GpuModule> loadSource(const KernelSource &source, Machine &machine) {
  auto found = findOrCompile(source, "setup", machine);
  if (!found)
    return found.takeError();
  auto module = machine.gpu->load(found->object->cubin, source.digest);
  if (module || !found->hit || machine.onlyPacks)
    return module;
  llvm::consumeError(module.takeError()); // a bad object is compiled again
  found = compileObject(source, "setup", machine);
  if (!found)
    return found.takeError();
  return machine.gpu->load(found->object->cubin, source.digest);
}

// Returns the name of the first kernel of an emitted source.
static std::string firstKernelOf(const KernelSource &source) {
  const auto after = llvm::StringRef(source.text).split("__global__").second.split(")\n").second;
  return after.split('(').first.str();
}

// The driver loads the code of a module when a function is first asked for.
static llvm::Error loadWhole(const KernelSource &source, Machine &machine) {
  auto module = loadSource(source, machine);
  return module ? module->function(firstKernelOf(source)).takeError() : module.takeError();
}

void loadAhead(llvm::ArrayRef<const KernelSource *> sources, Machine &machine) {
  for (const KernelSource *source : sources)
    if (stateOf(*source, machine) == KernelState::ready)
      llvm::consumeError(loadWhole(*source, machine));
}

KernelLoader setupKernelLoader(Machine &machine) {
  return
      [&machine](const KernelSource &source) -> llvm::Expected<std::shared_ptr<const GpuModule>> {
        GpuModule module = machine.gpu->loaded(source.digest);
        if (!module) {
          auto made = loadSource(source, machine);
          if (!made)
            return made.takeError();
          module = std::move(*made);
        }
        return std::make_shared<const GpuModule>(std::move(module));
      };
}

} // namespace specmv
