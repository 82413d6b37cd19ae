// The GPU that the tests run on, and a stream of it.
#pragma once

#include "runtime/machine.h"
#include "tests/runtime/child_process.h"
#include "tests/runtime/scratch_directory.h"

#include <cstdint>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace specmv {

// A GPU exists, since main() has checked.
inline Machine gpuMachine() { return llvm::cantFail(Machine::find({.target = Target::gpu})); }

// Says that a test is skipped if it does not return true.
inline bool hasTwoGpus() {
  std::string why;
  if (llvm::cantFail(gpuCount(why)) >= 2)
    return true;
  MESSAGE("skipped: this machine has one GPU");
  return false;
}

// Waits for the work of all streams, even if it failed. specmv itself has no such call, since it
// breaks captures.
inline void waitForGpu(const GpuDevice &gpu) {
  const GpuDevice::Current current(gpu);
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  reinterpret_cast<int (*)()>(dlsym(driver, "cuCtxSynchronize"))();
  dlclose(driver);
}

// CU_STREAM_PER_THREAD: a stream other than the default one that need not be created.
inline void *const kPerThreadStream = reinterpret_cast<void *>(uintptr_t{2});

} // namespace specmv

// Runs these test cases one after another, each in its own process, since what a first plan takes
// depends on the kernels that are loaded. They share an empty cache and have no packs.
inline void passesInTurn(const std::vector<std::string> &children) {
  const ScratchDirectory scratch("specmv-gpu-fresh");
  for (const std::string &child : children) {
    const std::string output = scratch.path() + "/output";
    const int status = runAlone(child,
                                {{"SPECMV_CACHE_DIR", scratch.path() + "/cache"},
                                 {"SPECMV_CACHE_PATH", ""},
                                 {"SPECMV_STANDARD_PACK", ""}},
                                output);
    CHECK_MESSAGE(status == 0, readFile(output));
    MESSAGE(readFile(output));
  }
}
