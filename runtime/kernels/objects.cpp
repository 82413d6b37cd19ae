// Finds objects in the cache, compiles missing ones, and loads set-up kernels.
#include "runtime/kernels/objects.h"

#include "generator/embedded.h"
#include "generator/source/specialized.h"
#include "models/base/files.h"
#include "models/base/own_environment.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/kernels/at_hand.h"
#include "runtime/measure/stopwatch.h"
#include "runtime/store/folder.h"

#include "llvm/Support/FileSystem.h"

namespace specmv {

// --- Objects -------------------------------------------------------------------------------------

// Finds objects in the cache, compiles missing ones, and writes them to the folder of SPECMV_DUMP.

CacheKey keyOfObject(const KernelSource &source, const std::string &arch) {
  return objectKey(source.text, includedBy(source.text), compileOptions(arch), arch);
}

CacheKey keyOfObject(const KernelSource &source, const Machine &machine) {
  const auto make = [&] { return keyOfObject(source, machine.arch); };
  return machine.found ? machine.found->keyOf(source.digest, make) : make();
}

bool isCached(const CacheKey &key, const Machine &machine) {
  if (machine.found && machine.found->isMissing(key))
    return false;
  const bool isThere = cachedObject(key, machine) != nullptr;
  if (machine.found && !isThere)
    machine.found->keepMissing(key);
  return isThere;
}

std::shared_ptr<const CachedObject> cachedObject(const CacheKey &key, const Machine &machine) {
  if (machine.ahead)
    if (const auto made = machine.ahead->find(key.id); made != machine.ahead->end())
      return made->second;
  if (machine.found)
    if (auto known = machine.found->find(key))
      return known;
  auto found = machine.cache.find(key);
  if (!found || !isElf(found->cubin))
    return nullptr;
  auto out = std::make_shared<const CachedObject>(std::move(*found));
  if (machine.found)
    machine.found->keep(key, out);
  return out;
}

// Writes source and cubin of a compilation to the folder that SPECMV_DUMP names.
static void dump(const KernelSource &source, const std::string &label, const Machine &machine,
                 KernelObject &out) {
  const std::string folder = environmentPath(environment("SPECMV_DUMP"));
  if (folder.empty())
    return;
  llvm::sys::fs::create_directories(folder); // if this fails, writing fails and says why
  const std::string stem = folder + "/" + label + "-" + out.key.id;
  const llvm::StringRef cubin(out.object->cubin.data(), out.object->cubin.size());
  const std::string whole = specializedText(source.text, machine.arch);
  const std::pair<const char *, llvm::StringRef> files[] = {{".cu", whole}, {".cubin", cubin}};
  for (const auto &[ending, bytes] : files)
    if (llvm::Error error =
            writeNewFile(stem + ending, [&, b = bytes](llvm::raw_ostream &to) { to << b; }))
      out.warnings.push_back("SPECMV_DUMP: " + describe(std::move(error)).second);
}

llvm::Expected<KernelObject> compileObject(const KernelSource &source, const std::string &label,
                                           Machine &machine) {
  if (llvm::Error error = unlessCancelled(machine))
    return error;
  KernelObject out{.key = keyOfObject(source, machine), .object = {}};
  auto compiled = timed(out.compileMs, [&] { return compile(source, out.key.id, machine.arch); });
  if (!compiled)
    return compiled.takeError();
  out.object = std::make_shared<const CachedObject>(CachedObject{
      std::move(compiled->cubin), label, compiled->compiler, compiled->log, machine.arch});
  dump(source, label, machine, out);
  machine.cache.store(out.key, *out.object);
  if (machine.found)
    machine.found->keep(out.key, out.object);
  return out;
}

llvm::Expected<KernelObject> findOrCompile(const KernelSource &source, const std::string &label,
                                           Machine &machine) {
  const CacheKey key = keyOfObject(source, machine);
  if (auto found = cachedObject(key, machine))
    return KernelObject{.key = key, .object = std::move(found), .hit = true};
  if (machine.onlyPacks)
    return fail(Status::notInPacks,
                "no pack has the kernels '{0}' for {1}, and only packs are allowed", label,
                machine.arch);
  const Leadership lead = machine.cache.lead(key);
  if (auto found = cachedObject(key, machine))
    return KernelObject{.key = key, .object = std::move(found), .hit = true};
  return compileObject(source, label, machine);
}

// --- Setup kernels -------------------------------------------------------------------------------

// Finds, compiles and loads set-up kernels.

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
