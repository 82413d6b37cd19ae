// Tests that a product can be captured into a CUDA graph, and that the graph repeats it.
#include "models/lab/families/families.h"
#include "runtime/cuda/overlap.h"
#include "runtime/lab/bench/bench.h"
#include "tests/gpu/graph.h"

using namespace specmv;

namespace {

size_t bytesOf(const std::vector<double> &v) { return v.size() * sizeof(double); }

// Returns y after two products y = 2 A x + 3 y, one after the other or as a graph that runs twice.
std::vector<double> afterTwo(const GpuDevice &gpu, const GpuProduct &product,
                             const std::vector<double> &x, std::vector<double> y, bool asGraph) {
  const DeviceBuffer dx = llvm::cantFail(gpu.uploaded(x.data(), bytesOf(x)));
  const DeviceBuffer dy = llvm::cantFail(gpu.uploaded(y.data(), bytesOf(y)));
  const auto stream = llvm::cantFail(makeStream(gpu));
  const auto multiply = [&] {
    llvm::cantFail(product.run(2, dx.pointer(), 3, dy.pointer(), stream.get()));
  };
  if (asGraph)
    runAsGraph(gpu, stream.get(), 2, multiply);
  else
    for (int time = 0; time < 2; ++time)
      multiply();
  llvm::cantFail(gpu.synchronize(stream.get()));
  llvm::cantFail(gpu.download(y.data(), dy.pointer(), dy.bytes()));
  return y;
}

} // namespace

TEST_CASE("a product is captured into a graph, which repeats it") {
  Machine machine = gpuMachine();
  const CsrMatrix a = llvm::cantFail(generateFamily("stencil5:n=50"));
  const SparsityProfile seen = profile(a.view());
  const Problem problem;
  const Fixed none;
  const std::vector<double> x(static_cast<size_t>(a.cols), 1), y(static_cast<size_t>(a.rows), 1);
  for (const Offer &offer : llvm::cantFail(offers({seen, problem, machine.model, none}, {}))) {
    if (offer.plans.empty() || offer.format->library) // the library's calls are its own affair
      continue;
    CAPTURE(offer.format->name);
    const Built built = llvm::cantFail(build(a.view(), offer.plans.front(), problem, machine));
    const std::vector<double> want = afterTwo(*machine.gpu, *built.product, x, y, false);
    CHECK(want != y);
    CHECK(afterTwo(*machine.gpu, *built.product, x, y, true) == want);
  }
}
