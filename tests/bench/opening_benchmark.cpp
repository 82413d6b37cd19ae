// Times the opening of kernels that were compiled before. opening_benchmark PACK FOLDER prints JSON
// lines with the median and the worst of many openings, in microseconds: of a pack and one object
// in it, of the same object in a cache below FOLDER (which it makes and leaves), each with the
// files in memory and, as far as the file system can drop them on demand, not in memory; and of
// objects that the process has opened already. With a GPU, it also times loading the object and
// finding it among the loaded ones.
#include "runtime/kernels/objects.h"
#include "runtime/measure/stopwatch.h"
#include "runtime/store/packs.h"
#include "runtime/store/prune.h"
#include "tests/bench/gpu_benchmark.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

using namespace specmv;
using namespace specmv::bench;

namespace {

constexpr int kRepeats = 201; // odd, so that one is in the middle

// Asks the kernel to drop a file from its cache.
void forgetFile(const std::string &path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  fdatasync(file); // what was not written yet is not forgotten
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  close(file);
}

llvm::Error unless(bool found, const char *what) {
  return found ? llvm::Error::success() : fail(Status::badInput, "{0} was not found", what);
}
// Keeps only the error of an opening.
template <class T> llvm::Error errorOf(llvm::Expected<T> opened) { return opened.takeError(); }

// Times `body` and prints a line.
template <class Prepare, class Body>
llvm::Error timeOf(const char *what, const char *from, const Prepare &prepare, const Body &body) {
  std::vector<double> us;
  for (int i = 0; i < kRepeats; ++i) {
    prepare();
    const Stopwatch watch;
    if (llvm::Error error = body())
      return error;
    us.push_back(1000 * watch.milliseconds());
  }
  std::sort(us.begin(), us.end());
  llvm::outs() << llvm::json::Value(llvm::json::Object{{"opening", what},
                                                       {"from", from},
                                                       {"repeats", kRepeats},
                                                       {"medianUs", us[us.size() / 2]},
                                                       {"worstUs", us.back()}})
               << "\n";
  return llvm::Error::success();
}

// Times `body` with the file dropped from memory before, and with the file in memory.
template <class Body>
llvm::Error timeFile(const char *what, const std::string &path, const Body &body) {
  if (llvm::Error error = timeOf(
          what, "disk", [&] { forgetFile(path); }, body))
    return error;
  return timeOf(
      what, "memory", [] {}, body);
}

// An object of the pack, with the key under which it is found.
struct Known {
  CacheKey key;
  CachedObject object;
};
llvm::Expected<Known> objectFor(const PackFile &pack, const std::string &arch) {
  for (size_t i = 0; i < pack.entries(); ++i) {
    const auto entry = pack.entryAt(i);
    if (!entry)
      continue;
    auto unpacked = entryOf(kObjectEntry, {entry->bytes.begin(), entry->bytes.end()});
    if (!unpacked)
      continue;
    Known found{{unpacked->sections.front().str(), entry->id}, objectOf(*unpacked)};
    if (found.object.arch == arch)
      return found;
  }
  return fail(Status::badInput, "{0} has no kernels for {1}", pack.path(), arch);
}

llvm::Error timeFiles(const std::string &path, const Known &known, const Cache &own,
                      const std::string &file) {
  const auto opensPack = [&] { return errorOf(PackFile::open(path)); };
  if (llvm::Error error = timeFile("pack", path, opensPack))
    return error;
  const auto opensBoth = [&]() -> llvm::Error {
    auto pack = PackFile::open(path);
    return pack ? unless((*pack)->find(kObjectEntry, known.key).has_value(), "the object")
                : pack.takeError();
  };
  if (llvm::Error error = timeFile("pack and object", path, opensBoth))
    return error;
  const auto finds = [&] { return unless(own.find(known.key).has_value(), "the cached object"); };
  if (llvm::Error error = timeFile("cached object", file, finds))
    return error;
  return timeOf(
      "pack", "process", [] {}, [&] { return errorOf(packAt(path)); });
}

// The source's digest names a module in the process; any digest will do.
llvm::Error timeOnGpu(const GpuDevice &gpu, const Known &known) {
  const Digest source = digestOfBytes(known.object.cubin);
  const auto loads = [&] { return errorOf(gpu.load(known.object.cubin, source)); };
  if (llvm::Error error = timeOf(
          "module", "cubin", [&] { gpu.forget(); }, loads))
    return error;
  return timeOf(
      "module", "process", [] {},
      [&] { return unless(static_cast<bool>(gpu.loaded(source)), "the loaded module"); });
}

llvm::Error run(const std::string &path, const std::string &folder) {
  auto pack = PackFile::open(path);
  if (!pack)
    return pack.takeError();
  auto machine = Machine::find({});
  if (!machine)
    return machine.takeError();
  auto known = objectFor(**pack, machine->arch);
  if (!known)
    return known.takeError();
  Cache own({}, folder);
  own.store(known->key, known->object);
  for (const std::string &warning : own.takeWarnings())
    return failWith(Status::badInput, warning);
  const std::string &id = known->key.id;
  if (llvm::Error error = timeFiles(
          path, *known, own, folder + "/" + kObjectEntry.folder + "/" + partOf(id) + "/" + id))
    return error;
  return machine->gpu ? timeOnGpu(*machine->gpu, *known) : llvm::Error::success();
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return badCall("give a pack and a folder for a cache");
  return statusOf(run(argv[1], argv[2]));
}
