// Where a product is to run: the GPU, or the host, with the architecture and GPU model to plan for.
#pragma once

#include "models/gpu.h"
#include "runtime/cuda/device.h"
#include "runtime/store/cache.h"

#include <memory>
#include <string>

namespace specmv {

enum class Target { automatic, gpu, host };

struct MachineRequest {
  Target target = Target::automatic; // automatic: the GPU, or the host where there is none at all
  int device = 0;
  std::string gpuModel = {}; // name or file; empty: the device's, else h200
  std::string arch = {};     // "sm_90"; empty: the device's, else the model's
};

struct Machine {
  std::shared_ptr<const GpuDevice> gpu; // null: products run on the host
  std::string whyHost;                  // why there is no GPU, where none was found
  GpuModel model;
  std::string arch;
  Cache cache;

  // Status::missing where a GPU is asked for and there is none.
  static llvm::Expected<Machine> find(const MachineRequest &request);
};

// The model of a device: the built-in one of that name, else the H200's rates with the device's own
// numbers of SMs and threads and its own L2.
llvm::Expected<GpuModel> modelOf(const GpuInfo &info);

} // namespace specmv
