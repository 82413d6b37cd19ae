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

// The driver loads the code of a kernel when its function is first asked for.
static llvm::Error loadWhole(const KernelSource &source, Machine &machine) {
  auto module = loadSource(source, machine);
  if (!module)
    return module.takeError();
  llvm::StringRef rest = source.text;
  while (!(rest = rest.split("__global__").second).empty()) {
    const llvm::StringRef name = rest.split(")\n").second.split('(').first;
    if (llvm::Error error = module->function(name.str()).takeError())
      return error;
  }
  return llvm::Error::success();
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
