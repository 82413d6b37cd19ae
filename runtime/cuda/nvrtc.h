// Compiles emitted source to a cubin with NVRTC, and tracks running calls of it.
#pragma once

#include "generator/format.h"

#include <cstdint>
#include <string>
#include <vector>

namespace specmv {

// --- Compilation ---------------------------------------------------------------------------------

// Tracks running calls of NVRTC. A forked process must know of them: NVRTC has locks of its own,
// and the child would wait forever for one that another thread held (NVRTC 13.0: 9 of 26 children).
// The end of the process must wait for them too, since NVRTC's statics would be destroyed during a
// call.

// Says whether NVRTC may be called.
enum class NvrtcUse : uint8_t {
  allowed,
  tornByFork, // no: this process, or one before it, was forked while another thread compiled
  tooLate,    // no: the process is ending
};

// Marks a use of NVRTC while it lives. A thread may nest them.
class Compilation {
public:
  Compilation();
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;
  ~Compilation();

  NvrtcUse use() const { return use_; }

private:
  NvrtcUse use_;
};

// Call it in the thread that ends the process. Prevents other threads from starting to use NVRTC,
// and waits for those that use it.
void endCompilations();
// Called when NVRTC shuts down. No thread may begin to use it afterwards.
void forbidCompilations();

// --- Nvrtc ---------------------------------------------------------------------------------------

// Compiles emitted source to a cubin with NVRTC, which is opened at run time. Needs no GPU.

struct Compiled {
  std::vector<char> cubin;
  std::string ptx;      // only if requested
  std::string log;      // messages of NVRTC and ptxas
  std::string compiler; // "NVRTC 13.0"
};

// Returns true if these bytes start like an ELF file, as a cubin does.
bool isElf(llvm::ArrayRef<char> bytes);

// Returns the options that determine the object, without paths; they are part of its cache key.
std::vector<std::string> compileOptions(const std::string &arch);

// Returns the text of Compiled::compiler, "NVRTC 13.0"; opens NVRTC.
llvm::Expected<std::string> nvrtcVersion();

enum class Strictness {
  usual,
  noSpills, // a spill or any use of local memory is a compile error
};

// Compiles for one real architecture ("sm_90"), with the newest NVRTC that can. `name` appears in
// messages as name.cu. Status::noNvrtc if there is no NVRTC, missing if memory runs out, badCall if
// NVRTC cannot compile for the architecture, internal if the source does not compile (with NVRTC's
// log) or if NVRTC returns something that is not a cubin.
llvm::Expected<Compiled> compile(const KernelSource &source, const std::string &name,
                                 const std::string &arch, Strictness strictness = Strictness::usual,
                                 bool wantPtx = false);

// Returns true if this process has opened NVRTC. A set-up that finds its kernel in the cache must
// not.
bool nvrtcIsLoaded();
// Returns true if NVRTC has compiled, and thus has registered its handlers of exit().
bool nvrtcHasCompiled();

// Lists the architectures that the newest NVRTC compiles for, ascending: 75, 80, 90 ...
llvm::Expected<std::vector<int>> nvrtcArchitectures();

} // namespace specmv
