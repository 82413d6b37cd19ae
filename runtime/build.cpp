// Packs the matrix for one plan, emits the source, finds or compiles the object, and loads it.
#include "runtime/build.h"

#include "generator/embedded.h"
#include "models/base/whole_file.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/measure/stopwatch.h"
#include "llvm/Support/FileSystem.h"

#include <cstdlib>

namespace specmv {

BuildTimes &BuildTimes::operator+=(const BuildTimes &other) {
  pack += other.pack;
  emit += other.emit;
  compile += other.compile;
  load += other.load;
  return *this;
}

// Writes source and cubin of what was compiled to the folder that SPECMV_DUMP names.
static void dump(Built &built) {
  const char *folder = std::getenv("SPECMV_DUMP");
  if (!folder || !*folder)
    return;
  llvm::sys::fs::create_directories(folder); // if this fails, writing fails and says why
  const std::string stem = std::string(folder) + "/" + built.plan.format + "-" + built.key.id;
  const llvm::StringRef cubin(built.object.cubin.data(), built.object.cubin.size());
  const std::string source = selfContained(built.source.text);
  const std::pair<const char *, llvm::StringRef> files[] = {{".cu", source}, {".cubin", cubin}};
  for (const auto &[ending, bytes] : files)
    if (llvm::Error error =
            writeWholeFile(stem + ending, [&, b = bytes](llvm::raw_ostream &out) { out << b; }))
      built.warnings.push_back("SPECMV_DUMP: " + describe(std::move(error)).second);
}

CacheKey keyOfObject(const KernelSource &source, const std::string &arch) {
  return objectKey(source.text, closureOf(source.text), compileOptions(arch), arch);
}

// The object of that key, unless it is nothing that a compiler made.
static std::optional<CachedObject> cachedObject(const CacheKey &key, const Machine &machine) {
  auto found = machine.cache.find(key);
  return found && isElf(found->cubin) ? std::move(found) : std::nullopt;
}

bool isReady(const Plan &plan, const Problem &problem, const Machine &machine) {
  const KernelSource source = findFormat(plan.format)->source(plan, problem);
  return source.text.empty() || cachedObject(keyOfObject(source, machine.arch), machine);
}

llvm::Error notInPacks(const Plan &plan, const Problem &problem, const Machine &machine) {
  return fail(Status::missing,
              "no pack has the kernel of '{0}' in {1} for {2}, and only packs are allowed; make a "
              "pack of the matrix with 'specmv pregen -o PACK --arch {2} --type {1}{3} MATRIX' and "
              "name it in SPECMV_CACHE_PATH, or allow compiling",
              plan.text(), nameOf(problem.type), machine.arch,
              problem.betaCanBeNonZero ? "" : " --beta-is-zero");
}

// Compiles the source of `out` and stores the object in the cache.
static llvm::Error compileObject(Built &out, Machine &machine) {
  auto compiled =
      timed(out.ms.compile, [&] { return compile(out.source, out.key.id, machine.arch); });
  if (!compiled)
    return compiled.takeError();
  out.object = {std::move(compiled->cubin), out.source.text, compiled->compiler, compiled->log};
  out.hit = false;
  dump(out);
  machine.cache.store(out.key, out.object);
  return llvm::Error::success();
}

static bool takeCached(Built &out, const Machine &machine) {
  auto found = cachedObject(out.key, machine);
  if (!found)
    return false;
  out.object = std::move(*found);
  out.hit = true;
  return true;
}

// Gets the object of the source, if the plan has one, from the cache or by compiling. A product
// that runs on the host needs no object, so failures are warnings there. Only an architecture that
// NVRTC cannot compile for stays an error.
static llvm::Error findObject(Built &out, const Problem &problem, Machine &machine) {
  if (out.source.text.empty())
    return llvm::Error::success();
  out.key = keyOfObject(out.source, machine.arch);
  if (takeCached(out, machine))
    return llvm::Error::success();
  if (machine.onlyPacks)
    return notInPacks(out.plan, problem, machine);
  // One of all processes that miss this object compiles it; the others wait, then find it.
  const Leadership lead = machine.cache.lead(out.key);
  if (takeCached(out, machine))
    return llvm::Error::success();
  llvm::Error error = compileObject(out, machine);
  if (!error || machine.gpu)
    return error;
  auto [status, sentence] = describe(std::move(error));
  if (status == Status::badCall)
    return failWith(status, sentence);
  out.warnings.push_back("no kernel was compiled: " + sentence);
  return llvm::Error::success();
}

// Loads the object on the GPU. If an object from the cache cannot be loaded, it is compiled again
// and replaced, if anything may be compiled.
static llvm::Expected<GpuProduct> loadProduct(Built &out, const Problem &problem,
                                              Machine &machine) {
  const auto load = [&] {
    return timed(out.ms.load, [&] {
      return GpuProduct::load(machine.gpu, out.layout, out.steps, out.object.cubin, problem);
    });
  };
  auto product = load();
  if (product || !out.hit)
    return product;
  auto [status, sentence] = describe(product.takeError());
  // The driver reports a bad object as internal.
  if (status != Status::internal || machine.onlyPacks)
    return failWith(status, sentence);
  out.warnings.push_back("the cached object " + out.key.id +
                         " cannot be loaded, so it is compiled again: " + sentence);
  if (llvm::Error error = compileObject(out, machine))
    return error;
  return load();
}

llvm::Expected<Layout> pack(const CsrView &a, const Plan &plan, const Problem &problem) {
  const Format *format = findFormat(plan.format);
  if (!format)
    return fail(Status::badCall, "unknown format '{0}'", plan.format);
  if (a.valueType != problem.type)
    return fail(
        Status::badCall,
        "the values of the matrix are {0}, but the problem is in {1}; both must be the same",
        nameOf(a.valueType), nameOf(problem.type));
  return format->layout(a, plan, problem);
}

llvm::Expected<Built> build(const CsrView &a, const Plan &plan, const Problem &problem,
                            Machine &machine) {
  const Format *format = findFormat(plan.format);
  if (format && format->library && !machine.gpu)
    return fail(Status::missing, "{0} runs only on a GPU: {1}", format->name, machine.whyHost);
  Built out;
  out.plan = plan;
  auto layout = timed(out.ms.pack, [&] { return pack(a, plan, problem); });
  if (!layout)
    return layout.takeError();
  out.layout = std::move(*layout);
  timed(out.ms.emit, [&] {
    out.source = format->source(plan, problem);
    out.steps = format->steps(plan, problem, out.layout);
  });
  if (llvm::Error error = findObject(out, problem, machine))
    return error;
  if (!machine.gpu)
    return out;
  auto product = loadProduct(out, problem, machine);
  if (!product)
    return product.takeError();
  out.product = std::move(*product);
  return out;
}

} // namespace specmv
