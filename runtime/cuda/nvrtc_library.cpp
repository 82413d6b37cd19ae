// Opens NVRTC, chooses among those of the machine, and prepares it for compilations.
#include "runtime/cuda/nvrtc_library.h"

#include "models/base/fork.h"
#include "models/base/lasting.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/cuda/places.h"
#include "runtime/threads/apart.h"
#include "runtime/threads/background.h"

#include "llvm/ADT/STLExtras.h"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

namespace specmv {

static std::atomic<bool> hasLoaded{false};

bool nvrtcIsLoaded() { return hasLoaded; }

llvm::Error refuse(NvrtcUse use, llvm::StringRef who) {
  switch (use) {
  case NvrtcUse::allowed:
    return llvm::Error::success();
  case NvrtcUse::tornByFork:
    return fail(Status::noNvrtc,
                "{0} cannot compile in this process, which was forked while another thread "
                "compiled; make plans before fork(), or call exec() after it",
                who);
  case NvrtcUse::tooLate:
    return fail(Status::noNvrtc,
                "{0} cannot compile any more, because the process is ending; make plans earlier",
                who);
  }
  llvm_unreachable("a use that is none");
}

void watchNvrtcEnd() {
  endBackgroundFirst();
  std::atexit(forbidCompilations);
}

// --- Which NVRTC ---------------------------------------------------------------------------------

// The driver of a GPU that is in use loads kernels of its own major version of CUDA and of older
// ones.
static int mostMajor() {
  int version = 0;
  if (!Driver::isOpen() || driver().cuDriverGetVersion(&version) != CUDA_SUCCESS)
    return std::numeric_limits<int>::max();
  constexpr int kPerMajor = 1000;
  return version / kPerMajor;
}

static void warnIfTooOld(const Nvrtc &nvrtc, int minor) {
  constexpr std::pair<int, int> kOldest{12, 6}; // README: CUDA 12.6 to 13
  if (std::pair(nvrtc.major, minor) < kOldest)
    warnOfToolkit(llvm::formatv(
        "{0} in {1} is older than {2}.{3}, the oldest that specmv supports; install a newer one, "
        "or set SPECMV_CUDA_HOME to the folder of its toolkit",
        nvrtc.version, nvrtc.path, kOldest.first, kOldest.second));
}

static llvm::Expected<Nvrtc> openNvrtc(std::vector<const char *> files, int mostMajor) {
  const Compilation opening;
  if (opening.use() == NvrtcUse::tooLate)
    return refuse(opening.use(), "NVRTC");
  auto library =
      openFromToolkit({.name = "NVRTC",
                       .files = std::move(files),
                       .aptPackage = "cuda-nvrtc-13-0",
                       .pipPackage = "nvidia-cuda-nvrtc",
                       .beside = "libnvrtc-builtins.so.", // its minor version is not known here
                       .newestUpTo = mostMajor});
  if (!library)
    return ofKind(Status::noNvrtc, library.takeError());
  watchNvrtcEnd();
  hasLoaded = true;
  Nvrtc out;
#define SPECMV_RESOLVE(name)                                                                       \
  out.name = reinterpret_cast<decltype(out.name)>(library->find(#name));                           \
  if (!out.name)                                                                                   \
    return failWith(Status::noNvrtc, library->path() + " has no " #name);
  SPECMV_NVRTC_FUNCTIONS(SPECMV_RESOLVE)
#undef SPECMV_RESOLVE
  out.path = library->path();
  int minor = 0;
  if (out.nvrtcVersion(&out.major, &minor) == NVRTC_SUCCESS) {
    out.version = llvm::formatv("NVRTC {0}.{1}", out.major, minor);
    warnIfTooOld(out, minor);
  }
  return out;
}

llvm::Expected<const Nvrtc *> Nvrtc::newest() {
  static Lasting<OpenedOnce<Nvrtc>> opened([] {
    return OpenedOnce<Nvrtc>([] {
      return openNvrtc({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}, mostMajor());
    });
  });
  return opened->get();
}

// New major versions drop the oldest architectures: CUDA 13 has none below sm_75.
constexpr int kFormerMajor = 12;

static llvm::Expected<const Nvrtc *> formerNvrtc() {
  static Lasting<OpenedOnce<Nvrtc>> opened(
      [] { return OpenedOnce<Nvrtc>([] { return openNvrtc({"libnvrtc.so.12"}, kFormerMajor); }); });
  return opened->get();
}

// Returns another major version than the newest that the driver accepts: the former one for what
// CUDA 13 dropped, or one that is too new for the driver for what the former does not know yet.
static llvm::Expected<const Nvrtc *> otherNvrtc(const Nvrtc &newest) {
  if (newest.major > kFormerMajor)
    return formerNvrtc();
  static Lasting<OpenedOnce<Nvrtc>> opened([] {
    return OpenedOnce<Nvrtc>(
        [] { return openNvrtc({"libnvrtc.so.13"}, std::numeric_limits<int>::max()); });
  });
  return opened->get();
}

static llvm::Expected<bool> compilesFor(const Nvrtc &nvrtc, llvm::StringRef arch) {
  auto architectures = nvrtc.architectures();
  if (!architectures)
    return architectures.takeError();
  return llvm::any_of(*architectures,
                      [&](int number) { return arch == "sm_" + std::to_string(number); });
}

static llvm::Error cannotCompileFor(const Nvrtc &nvrtc, llvm::StringRef arch) {
  auto architectures = nvrtc.architectures();
  if (!architectures)
    return architectures.takeError();
  std::string known;
  for (int number : *architectures)
    known += " sm_" + std::to_string(number);
  return fail(Status::badCall,
              "{0} in {1} cannot compile for '{2}'; use one of{3}, or install another NVRTC, which "
              "SPECMV_CUDA_HOME can name",
              nvrtc.version, nvrtc.path, arch, known);
}

llvm::Expected<const Nvrtc *> Nvrtc::compilingFor(llvm::StringRef arch) {
  auto found = newest();
  if (!found)
    return found;
  auto does = compilesFor(**found, arch);
  if (!does)
    return does.takeError();
  if (*does)
    return found;
  auto other = otherNvrtc(**found);
  auto otherDoes = other ? compilesFor(**other, arch) : other.takeError();
  if (otherDoes && *otherDoes)
    return other;
  llvm::consumeError(otherDoes.takeError());
  return cannotCompileFor(**found, arch);
}

llvm::Expected<std::vector<int>> Nvrtc::architectures() const {
  constexpr int kMostArchitectures = 1000; // derived: some dozen are known
  int count = 0;
  std::vector<int> numbers;
  nvrtcResult result = nvrtcGetNumSupportedArchs(&count);
  if (result == NVRTC_SUCCESS) {
    if (llvm::Error error =
            checkAnswer(version + "'s nvrtcGetNumSupportedArchs", count, 1, kMostArchitectures))
      return error;
    numbers.resize(static_cast<size_t>(count));
    result = nvrtcGetSupportedArchs(numbers.data());
  }
  if (result != NVRTC_SUCCESS)
    return fail(Status::internal, "{0} cannot list the architectures that it compiles for: {1}",
                version, nvrtcGetErrorString(result));
  return numbers;
}

// --- The first compilation -----------------------------------------------------------------------

static void compileNothing(void *argument) {
  const Nvrtc &nvrtc = *static_cast<const Nvrtc *>(argument);
  const char *const minimal = "--minimal"; // NVRTC 12.1 does not know it
  nvrtcProgram program = nullptr;
  if (nvrtc.nvrtcCreateProgram(&program, "#error none", "none.cu", 0, nullptr, nullptr) !=
      NVRTC_SUCCESS)
    return;
  if (nvrtc.nvrtcCompileProgram(program, 1, &minimal) == NVRTC_ERROR_INVALID_OPTION)
    nvrtc.nvrtcCompileProgram(program, 0, nullptr);
  nvrtc.nvrtcDestroyProgram(&program);
}

namespace {
// The end of the first compilation of each NVRTC. A forked child inherits NVRTC's state and this.
struct FirstCompilations {
  ForkMutex mutex; // guards the rest
  std::map<const Nvrtc *, Apart> ends;
};
} // namespace

llvm::Error Nvrtc::makeReady() const {
  static Lasting<FirstCompilations> first;
  const std::lock_guard lock(first->mutex);
  auto [end, isFirst] = first->ends.try_emplace(this, Apart::ended);
  if (isFirst)
    end->second = runApart(compileNothing, const_cast<Nvrtc *>(this));
  if (end->second != Apart::died)
    return llvm::Error::success();
  return fail(Status::noNvrtc,
              "{0} in {1} cannot be used in this process any more: its first compilation was "
              "killed; run the program again",
              version, path);
}

} // namespace specmv
