// General kernels on the GPU: the same bits as those that are made for the plan, before and after
// these take over, and in a graph that was captured before.
#include "models/families/families.h"
#include "runtime/cuda/overlap.h"
#include "runtime/measure/measure.h"
#include "runtime/specialization.h"
#include "tests/gpu/graph.h"

#include <chrono>
#include <cstdlib>
#include <thread>

using namespace specmv;

namespace {

std::vector<double> numbers(int64_t count, double scale) {
  std::vector<double> out(static_cast<size_t>(count));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = scale * (0.3 + static_cast<double>(i * 2654435761U % 1000) / 777);
  return out;
}

class Vectors {
public:
  Vectors(const GpuDevice &gpu, const CsrMatrix &a)
      : gpu_(gpu), x_(uploaded(numbers(a.cols, 1))), y_(uploaded(numbers(a.rows, -2))) {}

  // Puts y = 1.7 A x on the stream.
  llvm::Error put(const GpuProduct &product, StreamHandle stream) const {
    return product.run(1.7, x_.pointer(), 0, y_.pointer(), stream);
  }
  std::vector<std::byte> after(const GpuProduct &product, StreamHandle stream) const {
    clear(stream);
    llvm::cantFail(put(product, stream));
    return read(stream);
  }
  std::vector<std::byte> read(StreamHandle stream) const {
    std::vector<std::byte> out(y_.bytes());
    llvm::cantFail(gpu_.download(out.data(), y_.pointer(), out.size(), stream));
    llvm::cantFail(gpu_.synchronize(stream));
    return out;
  }
  void clear(StreamHandle stream) const {
    llvm::cantFail(gpu_.fill(y_.pointer(), 0xff, y_.bytes(), stream));
  }

private:
  DeviceBuffer uploaded(const std::vector<double> &values) const {
    return llvm::cantFail(gpu_.uploaded(values.data(), values.size() * sizeof(double)));
  }
  const GpuDevice &gpu_;
  DeviceBuffer x_, y_;
};

Built builtBy(KernelKind kernels, const CsrMatrix &a, const Plan &plan, Machine &machine) {
  machine.kernels = kernels;
  return llvm::cantFail(build(a.view(), plan, {}, machine));
}

void checkPlan(const CsrMatrix &a, const Plan &plan, Machine &machine) {
  CAPTURE(plan.text().substr(0, 100));
  const GpuDevice &gpu = *machine.gpu;
  const auto stream = llvm::cantFail(makeStream(gpu));
  const Vectors vectors(gpu, a);
  Built general = builtBy(KernelKind::general, a, plan, machine);
  const Built own = builtBy(KernelKind::specialized, a, plan, machine);
  CHECK(general.isGeneral);
  CHECK_FALSE(own.isGeneral);
  const auto want = vectors.after(*own.product, stream.get());
  CHECK(vectors.after(*general.product, stream.get()) == want);

  const auto graph = llvm::cantFail(GpuGraph::capture(
      gpu, stream.get(), [&] { return vectors.put(*general.product, stream.get()); }));
  REQUIRE(graph.has_value());
  Specialization later(general, a.cols, machine);
  for (int i = 0; i < 20000 && !later.hasEnded(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  REQUIRE(later.hasEnded());
  later.takeOver(*general.product);
  CHECK_MESSAGE(later.isOver(), later.failure());
  CHECK(vectors.after(*general.product, stream.get()) == want);
  vectors.clear(stream.get());
  llvm::cantFail(graph->launch(stream.get()));
  CHECK(vectors.read(stream.get()) == want);
}

// Of the product, warm; and prints both.
void compareTimes(const char *name, const CsrMatrix &a, const Plan &plan, Machine &machine) {
  double us[2] = {};
  for (const bool isGeneral : {false, true}) {
    const Built built =
        builtBy(isGeneral ? KernelKind::general : KernelKind::specialized, a, plan, machine);
    const auto vectors = llvm::cantFail(plainVectors(*machine.gpu, a.rows, a.cols, {}, nullptr));
    us[isGeneral ? 1 : 0] =
        llvm::cantFail(measureWarm(*machine.gpu, enqueue(*built.product, vectors)));
  }
  MESSAGE(name, ": ", plan.text().substr(0, 60), ": ", us[0], " us, general ", us[1], " us, ",
          us[1] / us[0]);
}

} // namespace

TEST_CASE("general kernels give the same bits, before and after the change") {
  Machine machine = gpuMachine();
  for (const char *spec :
       {"stencil5:n=300", "stencil27:n=40", "band:k=9,half=300,rows=40000", "random:k=8,rows=20000",
        "powerlaw:rows=20000,avg=8", "diagonal:n=5000"}) {
    CAPTURE(spec);
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    const SparsityProfile seen = profile(a.view());
    const Problem problem;
    const Fixed none;
    for (const Offer &offer : llvm::cantFail(offers({seen, problem, machine.model, none}, {})))
      if (offer.format->general)
        for (const Plan &plan : offer.plans)
          checkPlan(a, plan, machine);
  }
}

// How long they take beside those that are made for the plan, for the page on benchmarks.
TEST_CASE("times of general kernels" * doctest::skip(!getenv("SPECMV_TEST_TIMES"))) {
  Machine machine = gpuMachine();
  for (const char *spec :
       {"stencil5:n=100", "stencil5:n=3000", "stencil7:n=200", "stencil27:n=30", "stencil27:n=160",
        "stencil9:n=2000", "band:k=5,half=300,rows=50000", "random:k=8,rows=2000",
        "random:k=8,rows=2000000", "random:k=16,rows=1000000", "random:k=33,rows=500000",
        "powerlaw:rows=2000000,avg=8", "fem2d:rows=1000000", "circuit:rows=1000000"}) {
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    const SparsityProfile seen = profile(a.view());
    const Problem problem;
    const Fixed none;
    for (const Offer &offer : llvm::cantFail(offers({seen, problem, machine.model, none}, {})))
      if (offer.format->general && !offer.plans.empty())
        compareTimes(spec, a, offer.plans.front(), machine);
  }
}
