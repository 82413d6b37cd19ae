// Compiles sources with NVRTC, which is opened at run time. The machine needs no GPU of the
// architecture.
#include "runtime/cuda/nvrtc.h"

#include "generator/embedded.h"
#include "models/base/lasting.h"
#include "runtime/cuda/compilation.h"
#include "runtime/cuda/places.h"
#include "runtime/threads/background.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <nvrtc.h>
#include <optional>

namespace specmv {

#define SPECMV_NVRTC_FUNCTIONS(X)                                                                  \
  X(nvrtcVersion)                                                                                  \
  X(nvrtcGetErrorString)                                                                           \
  X(nvrtcGetNumSupportedArchs)                                                                     \
  X(nvrtcGetSupportedArchs)                                                                        \
  X(nvrtcCreateProgram)                                                                            \
  X(nvrtcDestroyProgram)                                                                           \
  X(nvrtcCompileProgram)                                                                           \
  X(nvrtcGetProgramLogSize)                                                                        \
  X(nvrtcGetProgramLog)                                                                            \
  X(nvrtcGetPTXSize)                                                                               \
  X(nvrtcGetPTX)                                                                                   \
  X(nvrtcGetCUBINSize)                                                                             \
  X(nvrtcGetCUBIN)

namespace {
struct Nvrtc {
#define SPECMV_MEMBER(name) decltype(&::name) name = nullptr;
  SPECMV_NVRTC_FUNCTIONS(SPECMV_MEMBER)
#undef SPECMV_MEMBER
  std::string version;
};
} // namespace

static std::atomic<bool> hasLoaded{false};

static llvm::Error refuse(NvrtcUse use, llvm::StringRef who) {
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

// NVRTC's handlers of exit() destroy its state. It registers 3,000 of them when it is opened, and
// more in some compilations (NVRTC 13.0). Handlers run in reverse order of registration, so call
// this after each of these steps.
static void watchNvrtcEnd() {
  endBackgroundFirst();
  std::atexit(forbidCompilations);
}

// Can be called after any fork.
static llvm::Expected<Nvrtc> openNvrtc() {
  const Compilation opening;
  if (opening.use() == NvrtcUse::tooLate)
    return refuse(opening.use(), "NVRTC");
  auto library =
      openFromToolkit({.name = "NVRTC",
                       .files = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"},
                       .aptPackage = "cuda-nvrtc-13-0",
                       .pipPackage = "nvidia-cuda-nvrtc",
                       .beside = "libnvrtc-builtins.so."}); // its minor version is not known here
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
  int major = 0, minor = 0;
  if (out.nvrtcVersion(&major, &minor) == NVRTC_SUCCESS)
    out.version = llvm::formatv("NVRTC {0}.{1}", major, minor);
  return out;
}

static llvm::Expected<const Nvrtc *> nvrtc() {
  static Lasting<OpenedOnce<Nvrtc>> opened([] { return OpenedOnce<Nvrtc>(openNvrtc); });
  return opened->get();
}

namespace {
// Owns an nvrtcProgram.
class Program {
public:
  Program(const Nvrtc &nvrtc, const KernelSource &source, const std::string &name) : nvrtc_(nvrtc) {
    std::vector<const char *> texts, names;
    for (const EmbeddedFile &file : closureOf(source.text)) {
      texts.push_back(file.text);
      names.push_back(file.name);
    }
    result_ = nvrtc_.nvrtcCreateProgram(&program_, source.text.c_str(), (name + ".cu").c_str(),
                                        static_cast<int>(texts.size()), texts.data(), names.data());
  }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;
  ~Program() { nvrtc_.nvrtcDestroyProgram(&program_); }

  nvrtcResult compile(const std::vector<std::string> &options) {
    if (result_ != NVRTC_SUCCESS)
      return result_;
    std::vector<const char *> pointers;
    pointers.reserve(options.size());
    for (const std::string &option : options)
      pointers.push_back(option.c_str());
    return nvrtc_.nvrtcCompileProgram(program_, static_cast<int>(pointers.size()), pointers.data());
  }

  // Returns the result of a pair of functions nvrtcGet...Size and nvrtcGet...; `what` names the
  // second.
  template <class Size, class Get>
  llvm::Expected<std::vector<char>> read(Size sizeOf, Get get, const char *what) const {
    size_t size = 0;
    if (llvm::Error error = check(sizeOf(program_, &size), std::string(what) + "Size"))
      return error;
    if (llvm::Error error =
            checkAnswer(nvrtc_.version + "'s " + what + "Size", size, 0, kMostAnswered))
      return error;
    std::vector<char> out(size);
    if (size > 0)
      if (llvm::Error error = check(get(program_, out.data()), what))
        return error;
    return out;
  }

private:
  llvm::Error check(nvrtcResult result, const std::string &call) const {
    if (result == NVRTC_SUCCESS)
      return llvm::Error::success();
    return fail(result == NVRTC_ERROR_OUT_OF_MEMORY ? Status::missing : Status::internal,
                "{0} failed at {1}: {2}", nvrtc_.version, call, nvrtc_.nvrtcGetErrorString(result));
  }

  const Nvrtc &nvrtc_;
  nvrtcProgram program_ = nullptr;
  nvrtcResult result_;
};
} // namespace

// Returns the bytes as text, without the terminating zero.
static std::string textOf(const std::vector<char> &bytes) {
  return bytes.empty() ? "" : std::string(bytes.data(), bytes.size() - 1);
}

// Returns the log, or why it cannot be read: the object is still useful without its log.
static std::string logOf(const Nvrtc &n, const Program &program) {
  auto bytes = program.read(n.nvrtcGetProgramLogSize, n.nvrtcGetProgramLog, "nvrtcGetProgramLog");
  if (bytes)
    return textOf(*bytes);
  return "no log: " + describe(bytes.takeError()).second;
}

static llvm::Expected<std::vector<char>> cubinOf(const Nvrtc &n, const Program &program,
                                                 const std::string &name) {
  auto bytes = program.read(n.nvrtcGetCUBINSize, n.nvrtcGetCUBIN, "nvrtcGetCUBIN");
  if (bytes && !isElf(*bytes))
    return fail(Status::internal,
                "{0} returned {2} bytes for {1}.cu that are not a cubin: they do not start like an "
                "ELF file",
                n.version, name, bytes->size());
  return bytes;
}

static llvm::Error checkArch(const Nvrtc &n, llvm::StringRef arch) {
  auto architectures = nvrtcArchitectures();
  if (!architectures)
    return architectures.takeError();
  std::string known;
  for (int number : *architectures) {
    if (arch == "sm_" + std::to_string(number))
      return llvm::Error::success();
    known += " sm_" + std::to_string(number);
  }
  return fail(Status::badCall, "{0} cannot compile for '{1}'; use one of{2}", n.version, arch,
              known);
}

bool isElf(llvm::ArrayRef<char> bytes) {
  return llvm::StringRef(bytes.data(), bytes.size()).starts_with("\177ELF");
}

std::vector<std::string> compileOptions(const std::string &arch) {
  return {"-std=c++20", "-default-device", "--gpu-architecture=" + arch};
}

// ptxas accepts only one of these flags per option.
static const char *const kNoSpillOptions[] = {"--ptxas-options=--warn-on-spills",
                                              "--ptxas-options=--warn-on-local-memory-usage",
                                              "--ptxas-options=-Werror"};

// NVRTC's front end and ptxas can report exhausted memory as an ordinary compilation error; then
// only the log shows it.
static bool isOutOfMemory(nvrtcResult result, llvm::StringRef log) {
  return result == NVRTC_ERROR_OUT_OF_MEMORY || log.contains("out of memory") ||
         log.contains("Memory allocation failure");
}

static std::atomic<bool> hasCompiled{false};

llvm::Expected<Compiled> compile(const KernelSource &source, const std::string &name,
                                 const std::string &arch, Strictness strictness, bool wantPtx) {
  auto found = nvrtc();
  if (!found)
    return found.takeError();
  const Nvrtc &n = **found;
  const Compilation compilation;
  if (llvm::Error error = refuse(compilation.use(), n.version))
    return error;
  if (llvm::Error error = checkArch(n, arch))
    return error;

  std::vector<std::string> options = compileOptions(arch);
  if (strictness == Strictness::noSpills)
    options.insert(options.end(), std::begin(kNoSpillOptions), std::end(kNoSpillOptions));
  Program program(n, source, name);
  const nvrtcResult result = program.compile(options);
  watchNvrtcEnd();
  hasCompiled = true;
  Compiled out;
  out.compiler = n.version;
  out.log = logOf(n, program);
  if (result != NVRTC_SUCCESS)
    return fail(isOutOfMemory(result, out.log) ? Status::missing : Status::internal,
                "{0} failed on {1}.cu: {2}\n{3}", n.version, name, n.nvrtcGetErrorString(result),
                out.log);
  auto cubin = cubinOf(n, program, name);
  if (!cubin)
    return cubin.takeError();
  out.cubin = std::move(*cubin);
  if (!wantPtx)
    return out;
  auto ptx = program.read(n.nvrtcGetPTXSize, n.nvrtcGetPTX, "nvrtcGetPTX");
  if (!ptx)
    return ptx.takeError();
  out.ptx = textOf(*ptx);
  return out;
}

bool nvrtcHasCompiled() { return hasCompiled; }

bool nvrtcIsLoaded() { return hasLoaded; }

llvm::Expected<std::string> nvrtcVersion() {
  auto found = nvrtc();
  if (!found)
    return found.takeError();
  return (*found)->version;
}

llvm::Expected<std::vector<int>> nvrtcArchitectures() {
  auto found = nvrtc();
  if (!found)
    return found.takeError();
  const Nvrtc &n = **found;
  constexpr int kMostArchitectures = 1000; // derived: some dozen are known
  int count = 0;
  std::vector<int> architectures;
  nvrtcResult result = n.nvrtcGetNumSupportedArchs(&count);
  if (result == NVRTC_SUCCESS) {
    if (llvm::Error error =
            checkAnswer(n.version + "'s nvrtcGetNumSupportedArchs", count, 1, kMostArchitectures))
      return error;
    architectures.resize(static_cast<size_t>(count));
    result = n.nvrtcGetSupportedArchs(architectures.data());
  }
  if (result != NVRTC_SUCCESS)
    return fail(Status::internal, "{0} cannot list the architectures that it compiles for: {1}",
                n.version, n.nvrtcGetErrorString(result));
  return architectures;
}

} // namespace specmv
