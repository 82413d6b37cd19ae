// Compiles sources with NVRTC, counts its running uses, and checks for them after a fork.
#include "runtime/cuda/nvrtc.h"

#include "generator/source/specialized.h"
#include "models/base/fork.h"
#include "models/base/lasting.h"
#include "runtime/cuda/nvrtc_library.h"
#include "runtime/cuda/toolkit.h"

#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>

namespace specmv {

// --- Compilation ---------------------------------------------------------------------------------

// Counts the running uses of NVRTC, checks for them after a fork, and waits for them at the end of
// the process.

static thread_local int runningHere = 0; // this thread's part of `running_` below

namespace {
class Compilations {
public:
  NvrtcUse begin() {
    const std::lock_guard lock(mutex_);
    renewInChild();
    if (wereTorn_)
      return NvrtcUse::tornByFork;
    if (isForbidden_ || (ender_ && *ender_ != std::this_thread::get_id()))
      return NvrtcUse::tooLate;
    ++running_;
    ++runningHere;
    return NvrtcUse::allowed;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    --running_;
    --runningHere;
  }
  // Prevents other threads from starting to use NVRTC. Returns true if some still use it.
  bool keepOthersOut() {
    const std::lock_guard lock(mutex_);
    renewInChild();
    ender_ = std::this_thread::get_id();
    return running_ > runningHere;
  }
  void forbid() {
    const std::lock_guard lock(mutex_);
    isForbidden_ = true;
  }

private:
  // Call it with the lock held.
  void renewInChild() {
    if (forks_ == ForkMutex::forks())
      return;
    forks_ = ForkMutex::forks();
    wereTorn_ |= running_ > 0; // used by threads that this process does not have
    running_ = 0;
    runningHere = 0;
    ender_.reset();
  }

  ForkMutex mutex_; // guards the rest
  unsigned forks_ = ForkMutex::forks();
  int running_ = 0;
  bool wereTorn_ = false;
  std::optional<std::thread::id> ender_; // the thread that ends the process
  bool isForbidden_ = false;
};
} // namespace

// A handler of exit() uses it, which runs after the destructors when the library is unloaded. It
// owns no memory, so nothing leaks then.
static Compilations &compilations() {
  static Undying<Compilations> all;
  return *all;
}

Compilation::Compilation() : use_(compilations().begin()) {}

Compilation::~Compilation() {
  if (use_ == NvrtcUse::allowed)
    compilations().end();
}

void endCompilations() {
  constexpr std::chrono::milliseconds kOften(1); // a compilation takes 50 to 300
  while (compilations().keepOthersOut())
    std::this_thread::sleep_for(kOften);
}

void forbidCompilations() { compilations().forbid(); }

// --- Nvrtc ---------------------------------------------------------------------------------------

// Compiles sources with NVRTC. The machine needs no GPU of the architecture.

namespace {
// Owns an nvrtcProgram.
class Program {
public:
  Program(const Nvrtc &nvrtc, const std::string &text, const std::string &name)
      : nvrtc_(nvrtc), result_(nvrtc.nvrtcCreateProgram(
                           &program_, text.c_str(), (name + ".cu").c_str(), 0, nullptr, nullptr)) {}
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
  nvrtcProgram program_ = nullptr; // made by the next
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

bool isElf(llvm::ArrayRef<char> bytes) {
  return llvm::StringRef(bytes.data(), bytes.size()).starts_with("\177ELF");
}

std::vector<std::string> compileOptions(const std::string &arch) {
  // In C++17, NVRTC's own declarations of atomics put variables into the module, with which it
  // takes up to 0.6 ms longer to load (templates/shared/constants.cuh).
  // A function that a text of a fused step declares is one of the device.
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
  const Compilation compilation;
  if (llvm::Error error = refuse(compilation.use(), "NVRTC"))
    return error;
  auto found = Nvrtc::compilingFor(arch);
  if (!found)
    return found.takeError();
  const Nvrtc &n = **found;
  if (llvm::Error error = n.makeReady())
    return error;

  std::vector<std::string> options = compileOptions(arch);
  if (strictness == Strictness::noSpills)
    options.insert(options.end(), std::begin(kNoSpillOptions), std::end(kNoSpillOptions));
  Program program(n, specializedText(source.text, arch), name);
  const nvrtcResult result = program.compile(options);
  watchNvrtcEnd();
  hasCompiled = true;
  Compiled out;
  out.compiler = n.version;
  out.log = logOf(n, program);
  if (result != NVRTC_SUCCESS)
    return fail(isOutOfMemory(result, out.log) ? Status::missing : Status::internal,
                "{0} in {1} failed on {2}.cu: {3}\n{4}", n.version, n.path, name,
                n.nvrtcGetErrorString(result), out.log);
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

llvm::Expected<std::string> nvrtcVersion() {
  auto found = Nvrtc::newest();
  if (!found)
    return found.takeError();
  return (*found)->version;
}

llvm::Expected<std::vector<int>> nvrtcArchitectures() {
  auto found = Nvrtc::newest();
  if (!found)
    return found.takeError();
  return (*found)->architectures();
}

} // namespace specmv
