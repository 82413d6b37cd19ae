// Where a product is to run: the GPU, or the host, with the architecture and GPU model to plan for.
#pragma once

#include "models/gpu.h"
#include "models/gpus/sheet.h"
#include "runtime/cuda/device.h"
#include "runtime/store/cache.h"

#include <atomic>
#include <map>
#include <memory>
#include <string>

namespace specmv {

enum class Target { automatic, gpu, host };

// Selects the kernels of a GPU that are compiled where products run on the host.
enum class HostKernels : uint8_t {
  all,
  kept, // those that the cache keeps
  none, // those at hand still decide between plans that tie
};

// Selects the kernels of products where a format has general ones too (Format::general).
enum class KernelKind : uint8_t {
  specialized, // those that are made for the plan
  atHand,      // the same, or while they would have to be compiled the general ones, if these are
               // at hand
  general,     // the general ones
};

struct MachineRequest {
  Target target = Target::automatic; // automatic: the GPU, or the host if the machine has no GPU
  int device = 0;
  // Name or file; empty: the user's (own_model.h), else that of the device; without a device that
  // of `arch`, or h200.
  std::string gpuModel = {};
  std::string arch = {};  // "sm_90"; empty: that of the device, or of the model without a device
  bool onlyPacks = false; // compile nothing, and find kernels only in packs
  HostKernels hostKernels = HostKernels::all;
  KernelKind kernels = KernelKind::specialized;
  CachePlaces places = {};
  MemorySource memory = {}; // of what is allocated on the device; none: specmv's pool
  std::shared_ptr<const GpuModel> model = {}; // in place of gpuModel
  bool usesOwnModels = true;                  // the user's, if no model is named
};

struct Machine {
  std::shared_ptr<const GpuDevice> gpu; // null: products run on the host
  std::string whyHost;                  // why `gpu` is null
  GpuModel model;
  std::string arch;
  Cache cache;
  bool onlyPacks = false; // no kernel may be compiled
  HostKernels hostKernels = HostKernels::all;
  KernelKind kernels = KernelKind::specialized;
  bool isFallback = false;            // the C API's host, since there is no GPU
  StreamHandle setupStream = nullptr; // what set-ups launch and copy, they do on this stream
  // Once it is true, a set-up ends before its next step.
  const std::atomic<bool> *cancelled = nullptr;
  // Objects by CacheKey::id that are found before those of the cache, which may store nothing.
  std::shared_ptr<const std::map<std::string, CachedObject>> ahead = nullptr;

  // Status::missing if a GPU is requested and there is none.
  static llvm::Expected<Machine> find(const MachineRequest &request);
};

// The model to predict with, which takes most of a millisecond to read for the first time: the one
// that the request names, else the user's, else a built-in one. SPECMV_GPU_MODEL does not count
// where the request names an architecture to predict for, nor does the cache folder with onlyPacks.
llvm::Expected<GpuModel> modelToPlanFor(const MachineRequest &request, const GpuInfo *gpu);

// An error if the set-up is to end. It is not of a kind that makes a search go on.
llvm::Error unlessCancelled(const Machine &machine);

// The built-in model of a device of this name; "" if there is none.
std::string builtInModelOf(llvm::StringRef device);

// What a model of a device of this name would be called: "h100" of "NVIDIA H100 80GB HBM3",
// "rtx4090" of "NVIDIA GeForce RTX 4090".
std::string modelNameOf(llvm::StringRef device);

// What the driver tells of a device, in the units of data sheets; 0: it does not tell.
GpuSheet toldBy(const GpuInfo &info);

// The built-in model of a device of that name. If there is none, it is borrowed and scaled by what
// the driver tells (models/gpus/borrow.h). In both cases architecture, SMs, threads, L2 and
// shared memory are those of the device.
llvm::Expected<GpuModel> modelOf(const GpuInfo &info);

} // namespace specmv
