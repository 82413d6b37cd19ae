// Compiles emitted source to a cubin with NVRTC, which is opened at run time; needs no GPU.
#pragma once

#include "generator/format.h"

#include <string>
#include <vector>

namespace specmv {

struct Compiled {
  std::vector<char> cubin;
  std::string ptx;      // only where asked for
  std::string log;      // what NVRTC and ptxas said
  std::string compiler; // "NVRTC 13.0"
};

// Whether these bytes can be what a GPU loads: a cubin is an ELF file.
bool isElf(llvm::ArrayRef<char> bytes);

// The options that determine the object, without paths: part of its cache key.
std::vector<std::string> compileOptions(const std::string &arch);

enum class Strictness {
  usual,
  noSpills, // a spill or any use of local memory is a compile error
};

// Compiles for one real architecture ("sm_90"). `name` appears in messages as name.cu.
// Status::missing where there is no NVRTC, badCall where it does not know the architecture,
// internal where the source does not compile, with NVRTC's log, or where what it gives is no cubin.
llvm::Expected<Compiled> compile(const KernelSource &source, const std::string &name,
                                 const std::string &arch, Strictness strictness = Strictness::usual,
                                 bool wantPtx = false);

// Whether this process has opened NVRTC: a warm start must not.
bool nvrtcIsLoaded();

// The architectures that NVRTC compiles for, ascending: 75, 80, 90 ...
llvm::Expected<std::vector<int>> nvrtcArchitectures();

} // namespace specmv
