// Tests of CUDA graphs, observed through the calls that a fake driver receives.
#include "runtime/cuda/streams.h"

#include "runtime/cuda/overlap.h"
#include "tests/runtime/cuda/fake_driver.h"

using namespace specmv;

TEST_CASE("child: a graph" * doctest::skip()) {
  auto gpu = llvm::cantFail(GpuDevice::open(0));
  const int live = fakeLive();
  {
    const auto stream = llvm::cantFail(makeStream(*gpu));
    const auto graph = llvm::cantFail(
        GpuGraph::capture(*gpu, stream.get(), [] { return llvm::Error::success(); }));
    REQUIRE(graph.has_value());
    CHECK(fakeLive() == live + 2); // the stream, and what is launched
    const std::string calls = fakeCallsOf([&] {
      llvm::cantFail(graph->launch(nullptr));
      llvm::cantFail(graph->launch(stream.get()));
    });
    CHECK(countOf("cuGraphLaunch", calls) == 2);
  }
  CHECK(fakeLive() == live);
}

TEST_CASE("a captured graph is launched on any stream, and nothing of it is left") {
  passesWithFakeGpu("child: a graph");
}

TEST_CASE("child: a capture that fails" * doctest::skip()) {
  auto gpu = llvm::cantFail(GpuDevice::open(0));
  const auto stream = llvm::cantFail(makeStream(*gpu));
  const int live = fakeLive();
  const char *fails = getenv("CAPTURE_FAILS");
  setenv("SPECMV_FAKE_FAILS", fails, 1);
  bool endedWell = false;
  const std::string calls = fakeCallsOf([&] {
    auto graph = GpuGraph::capture(*gpu, stream.get(), [&]() -> llvm::Error {
      if (std::string(fails) == "body")
        return fail(Status::missing, "no kernel");
      return llvm::Error::success();
    });
    endedWell = static_cast<bool>(graph);
    if (!graph)
      CHECK(describe(graph.takeError())
                .second.find(std::string(fails) == "body"
                                 ? "no kernel"
                                 : "an error of the fake driver") != std::string::npos);
  });
  CHECK_FALSE(endedWell);
  // The stream must not be left capturing.
  CHECK(countOf("cuStreamBeginCapture_v2", calls) == 1);
  CHECK(countOf("cuStreamEndCapture", calls) ==
        (std::string(fails) == "cuStreamBeginCapture_v2" ? 0 : 1));
  unsetenv("SPECMV_FAKE_FAILS");
  CHECK(fakeLive() == live);
}

TEST_CASE("a capture that fails at any step ends, and leaves nothing") {
  for (const char *step :
       {"cuStreamBeginCapture_v2", "body", "cuStreamEndCapture", "cuGraphInstantiateWithFlags"})
    passesWithFakeGpu("child: a capture that fails", {{"CAPTURE_FAILS", step}});
}
