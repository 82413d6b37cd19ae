// What tests capture into CUDA graphs.
#pragma once

#include "tests/gpu/gpu.h"

#include <doctest/doctest.h>

#include <dlfcn.h>

namespace specmv {

// A function of the driver, which is open; its result must be CUDA_SUCCESS.
template <class... Arguments> void callDriver(const char *name, Arguments... arguments) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  REQUIRE(driver);
  void *found = dlsym(driver, name);
  REQUIRE(found);
  const auto function = reinterpret_cast<int (*)(Arguments...)>(found);
  REQUIRE_MESSAGE(function(arguments...) == 0, name);
}

// Captures what `body` puts on the stream and runs the graph `times`.
template <class Body> void runAsGraph(StreamHandle stream, int times, const Body &body) {
  void *graph = nullptr, *ready = nullptr;
  callDriver("cuStreamBeginCapture_v2", stream,
             0); // 0: CU_STREAM_CAPTURE_MODE_GLOBAL, the strictest
  body();
  callDriver("cuStreamEndCapture", stream, &graph);
  callDriver("cuGraphInstantiateWithFlags", &ready, graph, 0ULL);
  for (int time = 0; time < times; ++time)
    callDriver("cuGraphLaunch", ready, stream);
  callDriver("cuStreamSynchronize", stream);
  callDriver("cuGraphExecDestroy", ready);
  callDriver("cuGraphDestroy", graph);
}

} // namespace specmv
