// Where a product is to run: the GPU, or the host, with the architecture and GPU model to plan for.
#pragma once

#include "models/gpu.h"
#include "runtime/cuda/device.h"
#include "runtime/kernels/found_objects.h"
#include "runtime/store/cache.h"

#include <atomic>
#include <functional>
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

// Selects how much of a model is read.
enum class ModelParts : uint8_t {
  all,
  ofChoices, // without benchmarks and curves, on which no choice depends: 2 ms less
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
  MemorySource memory = {};  // of what is allocated on the device; none: specmv's pool
  SharedModel model = {};    // in place of gpuModel, if it is not empty
  bool usesOwnModels = true; // the user's, if no model is named
  ModelParts modelParts = ModelParts::all;
};

using ObjectsById = std::map<std::string, std::shared_ptr<const CachedObject>>;

struct Machine {
  std::shared_ptr<const GpuDevice> gpu; // null: products run on the host
  std::string whyHost;                  // why `gpu` is null
  SharedModel model;
  std::string arch;
  Cache cache;
  bool onlyPacks = false; // no kernel may be compiled
  HostKernels hostKernels = HostKernels::all;
  KernelKind kernels = KernelKind::specialized;
  bool isFallback = false;            // the C API's host, since there is no GPU
  StreamHandle setupStream = nullptr; // what set-ups launch and copy, they do on this stream
  // Once it is true, a set-up ends before its next step.
  const std::atomic<bool> *cancelled = nullptr;
  // If set, what is kept on disk of a choice is written behind the set-up
  // (runtime/threads/behind.h), and warnings of that go here.
  std::function<void(const std::string &warning)> storesBehind = {};
  std::shared_ptr<FoundObjects> found = {}; // null: each object is looked for anew
  // Objects by CacheKey::id that are found before those of the cache, which may store nothing.
  std::shared_ptr<const ObjectsById> ahead = nullptr;

  // Status::missing if a GPU is requested and there is none.
  static llvm::Expected<Machine> find(const MachineRequest &request);
};

// An error if the set-up is to end. It is not of a kind that makes a search go on.
llvm::Error unlessCancelled(const Machine &machine);

} // namespace specmv
