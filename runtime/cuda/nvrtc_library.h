// NVRTC's functions, resolved at run time. Only for the files of this folder.
#pragma once

#include "models/base/error.h"
#include "runtime/cuda/nvrtc.h"

#include "llvm/ADT/StringRef.h"

#include <nvrtc.h>
#include <string>
#include <vector>

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

struct Nvrtc {
#define SPECMV_MEMBER(name) decltype(&::name) name = nullptr;
  SPECMV_NVRTC_FUNCTIONS(SPECMV_MEMBER)
#undef SPECMV_MEMBER
  int major = 0;
  std::string version; // "NVRTC 13.0"
  std::string path;

  // Returns the newest NVRTC (ToolkitLibrary::newestUpTo), which is opened on first use. The
  // pointer stays valid. Can be called after any fork.
  static llvm::Expected<const Nvrtc *> newest();
  // Returns the newest NVRTC that compiles for this architecture ("sm_90"). Status::badCall if none
  // does.
  static llvm::Expected<const Nvrtc *> compilingFor(llvm::StringRef arch);

  // Lists the architectures that it compiles for, ascending.
  llvm::Expected<std::vector<int>> architectures() const;

  // Call it before each compilation, with a Compilation at hand. In its first compilation, NVRTC
  // 12.1 to 13.0 (but not 13.5) sets handlers of SIGINT and SIGTERM that end the process, and
  // ignores SIGXFSZ, for 20 ms and more. Then it puts back what it found, but without the flags and
  // masks, and without regard to what the program set meanwhile. So this makes a first compilation
  // in another process, in which that does no harm (apart.h). It is of a program that has an error,
  // which takes 7 ms.
  llvm::Error makeReady() const;
};

// Returns an error that says why `who` cannot compile now, or success.
llvm::Error refuse(NvrtcUse use, llvm::StringRef who);

// NVRTC's handlers of exit() destroy its state. It registers 3,000 of them when it is opened, and
// more in some compilations (NVRTC 13.0). Handlers run in reverse order of registration, so call
// this after each of these steps.
void watchNvrtcEnd();

} // namespace specmv
