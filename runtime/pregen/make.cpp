// Compiles the kernels of a pack in threads: with two cores, NVRTC 13.0 compiles 1.9 times as many
// kernels in two threads as in one.
#include "runtime/pregen/make.h"

#include "models/base/parallel.h"
#include "models/base/stage.h"
#include "runtime/build.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/kernels/objects.h"
#include "runtime/measure/stopwatch.h"
#include "runtime/store/packs.h"

#include "llvm/ADT/StringExtras.h"

#include <mutex>
#include <set>

namespace specmv {

namespace {
// A kernel to compile, and the resulting entry.
struct Job {
  CacheKey key;
  Wanted wanted;
  PackEntry entry = {};
  std::string compiler = {};
};

// The state that the threads share.
struct Shared {
  std::mutex mutex = {};                                      // guards the rest
  std::optional<std::pair<Status, std::string>> failure = {}; // the first failure
};
} // namespace

// Lists each kernel once, by its id. If a kernel has several texts, the least is kept, so that the
// order does not matter.
static std::vector<Job> jobsOf(const std::vector<Wanted> &wanted) {
  std::map<std::string, Job> byId;
  for (const Wanted &each : wanted) {
    CacheKey key = keyOfObject(each.source, each.arch);
    auto [at, isNew] = byId.try_emplace(key.id, Job{key, each});
    if (!isNew && each.text < at->second.wanted.text)
      at->second.wanted = each;
  }
  std::vector<Job> jobs;
  jobs.reserve(byId.size());
  for (auto &[id, job] : byId)
    jobs.push_back(std::move(job));
  return jobs;
}

// Takes the kernel from the former pack if the same compiler made it.
static bool takeOver(Job &job, const PackFile *former, const std::string &compiler) {
  const auto entry = former ? former->find(kObjectEntry, job.key) : std::nullopt;
  if (!entry)
    return false;
  CachedObject object = objectOf(*entry);
  if (object.compiler != compiler || object.arch != job.wanted.arch)
    return false;
  object.name = job.wanted.name;
  job.entry = packedObject(job.key, object);
  job.compiler = compiler;
  return true;
}

static void compileJob(Job &job, Shared &shared) {
  if (!job.entry.bytes.empty())
    return;
  {
    const std::lock_guard<std::mutex> lock(shared.mutex);
    if (shared.failure)
      return;
  }
  auto compiled = compile(job.wanted.source, job.key.id, job.wanted.arch);
  const std::lock_guard<std::mutex> lock(shared.mutex);
  if (!compiled) {
    shared.failure = describe(compiled.takeError());
    return;
  }
  job.compiler = compiled->compiler; // an architecture may need an older one
  job.entry =
      packedObject(job.key, {std::move(compiled->cubin), job.wanted.name, compiled->compiler,
                             std::move(compiled->log), job.wanted.arch});
}

llvm::Expected<MadePack> makePack(const std::vector<Wanted> &wanted, const PackFile *former) {
  MadePack made;
  auto compiler = nvrtcVersion();
  if (!compiler)
    return compiler.takeError();
  std::vector<Job> jobs = jobsOf(wanted);
  Shared shared;
  for (Job &job : jobs)
    made.takenOver += takeOver(job, former, *compiler);
  Stage stage("compiling kernels", Stage::Counts::pieces, static_cast<int64_t>(jobs.size()));
  timed(made.compileMs, [&] {
    parallelFor(static_cast<int64_t>(jobs.size()), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        compileJob(jobs[static_cast<size_t>(i)], shared);
        stage.advance(1);
      }
    });
  });
  if (shared.failure)
    return failWith(shared.failure->first, shared.failure->second);
  std::vector<PackEntry> entries;
  std::vector<PackedKernel> listed;
  entries.reserve(jobs.size());
  listed.reserve(jobs.size());
  std::set<std::string> compilers;
  for (Job &job : jobs) {
    ++made.byName[job.wanted.name];
    entries.push_back(std::move(job.entry));
    listed.push_back({job.key.id, job.wanted.arch, job.wanted.text, job.compiler});
    compilers.insert(job.compiler);
  }
  made.compiler = llvm::join(compilers, " and ");
  made.kernels = jobs.size();
  auto bytes = packBytes(manifestOf(listed), std::move(entries));
  if (!bytes)
    return bytes.takeError();
  made.bytes = std::move(*bytes);
  return made;
}

} // namespace specmv
