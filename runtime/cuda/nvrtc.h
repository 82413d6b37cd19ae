// Compiles emitted source to a cubin with NVRTC, which is opened at run time. Needs no GPU.
#pragma once

#include "generator/format.h"

#include <string>
#include <vector>

namespace specmv {

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
