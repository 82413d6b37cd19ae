// Describes where a product runs: on the GPU or the host, with the architecture and GPU model to
// plan for.
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
  kept, // kernels that the cache keeps
  none, // available kernels still break ties between plans
};

// Selects the kernels of products where a format also has general ones (Format::general).
enum class KernelKind : uint8_t {
  specialized, // made for the plan
  atHand,      // made for the plan, unless they must be compiled and the general ones need
               // not be
  general,     // the general ones
};

// Selects the parts of a model that are read.
enum class ModelParts : uint8_t {
  all,
  ofChoices, // without benchmarks and curves, which no choice needs; saves 2 ms
};

struct MachineRequest {
  Target target = Target::automatic; // automatic: the GPU, or the host if the machine has no GPU
  int device = 0;
  std::string gpuModel = {}; // name or file; modelToPlanFor() says which GPU is meant without it
  std::string arch = {};     // "sm_90"; empty: the device's, or without a device the model's
  bool onlyPacks = false;    // compile nothing, and find kernels only in packs
  HostKernels hostKernels = HostKernels::all;
  KernelKind kernels = KernelKind::specialized;
  CachePlaces places = {};
  MemorySource memory = {};  // allocates device memory; empty: specmv's pool
  SharedModel model = {};    // replaces gpuModel unless empty
  bool usesOwnModels = true; // use the user's models if no model is named
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
  bool isFallback = false;            // the C API uses the host because there is no GPU
  StreamHandle setupStream = nullptr; // for all launches and copies of set-ups
  // Once this is true, a set-up stops before its next step.
  const std::atomic<bool> *cancelled = nullptr;
  // If set, choices are written to disk after the set-up, in the background
  // (runtime/threads/background.h), and this receives warnings about that.
  std::function<void(const std::string &warning)> storesBehind = {};
  std::shared_ptr<FoundObjects> found = {}; // null: lookups are not remembered
  // Objects by CacheKey::id that take precedence over the cache, which may be unable to store them.
  std::shared_ptr<const ObjectsById> ahead = nullptr;

  // Status::noGpu if a GPU is requested and there is none.
  static llvm::Expected<Machine> find(const MachineRequest &request);
};

// Returns an error if the set-up was cancelled. Its status ends any search for another plan.
llvm::Error unlessCancelled(const Machine &machine);

} // namespace specmv
