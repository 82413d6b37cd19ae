// Tests general kernels on the GPU: they give the same bits as the plan's own kernels, before and
// after these take over, and in a graph that was captured before.
#include "models/lab/families/families.h"
#include "runtime/cuda/overlap.h"
#include "runtime/kernels/compile_beside.h"
#include "runtime/measure/measure.h"
#include "tests/generator/edge_matrices.h"
#include "tests/gpu/graph.h"
#include "tests/gpu/product_bits.h"

#include <chrono>
#include <cstdlib>
#include <thread>

using namespace specmv;

namespace {

Built builtBy(KernelKind kernels, const CsrView &a, const Plan &plan, const Problem &problem,
              Machine &machine) {
  machine.kernels = kernels;
  return llvm::cantFail(build(a, plan, problem, machine));
}

void checkPlan(const CsrMatrix &a, const Plan &plan, const Problem &problem, Machine &machine) {
  if (findFormat(plan.format)->general(plan) == plan)
    return; // nothing of it follows from the matrix
  CAPTURE(plan.text().substr(0, 100));
  CAPTURE(nameOfTypes(problem));
  const GpuDevice &gpu = *machine.gpu;
  const auto stream = llvm::cantFail(makeStream(gpu));
  const testing::Valued valued(a.view(), problem.type, 1);
  const Vectors vectors(gpu, a, vectorTypeOf(problem));
  Built general = builtBy(KernelKind::general, valued.view(), plan, problem, machine);
  const Built own = builtBy(KernelKind::specialized, valued.view(), plan, problem, machine);
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
  CHECK(vectors.after([&] { return graph->launch(stream.get()); }, stream.get()) == want);
}

// Prints the times of the product by both kernels, warm.
void compareTimes(const char *name, const CsrMatrix &a, const Plan &plan, const Problem &problem,
                  Machine &machine) {
  const testing::Valued valued(a.view(), problem.type, 1);
  double us[2] = {};
  for (const bool isGeneral : {false, true}) {
    const Built built = builtBy(isGeneral ? KernelKind::general : KernelKind::specialized,
                                valued.view(), plan, problem, machine);
    const auto vectors =
        llvm::cantFail(plainVectors(*machine.gpu, a.rows, a.cols, problem, nullptr));
    us[isGeneral ? 1 : 0] =
        llvm::cantFail(measureWarm(*machine.gpu, enqueue(*built.product, vectors)));
  }
  MESSAGE(std::string(name), " ", nameOf(problem.type), " ", plan.format, ": ", us[0],
          " us, general ", us[1], " us, ", us[1] / us[0]);
}

// Offers plans of formats that have general kernels.
std::vector<Offer> offersFor(const CsrMatrix &a, const Problem &problem, const Machine &machine) {
  const SparsityProfile seen = profile(a.view());
  const Fixed none;
  std::vector<Offer> all = llvm::cantFail(offers({seen, problem, machine.model, none}, {}));
  std::erase_if(all, [](const Offer &offer) { return !offer.format->general; });
  return all;
}

} // namespace

static void checkGeneral(std::initializer_list<const char *> specs) {
  Machine machine = gpuMachine();
  for (const char *spec : specs) {
    CAPTURE(spec);
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    for (const Problem &problem : {Problem{ValueType::f64}, Problem{ValueType::f32},
                                   Problem{.type = ValueType::f32, .vectorsAreDouble = true}})
      for (const Offer &offer : offersFor(a, problem, machine))
        for (const Plan &plan : offer.plans)
          checkPlan(a, plan, problem, machine);
  }
}

TEST_CASE("general kernels give the same bits, before and after the change") {
  checkGeneral({"stencil5:n=300", "stencil27:n=40", "band:k=9,half=300,rows=40000",
                "random:k=8,rows=20000", "powerlaw:rows=20000,avg=8", "diagonal:n=5000",
                "blocks:b=4,k=9,rows=16000", "coupled:n=16,b=5", "rmat:scale=14,edge=16",
                "features:rows=9000,cols=9000", "hypersparse:rows=30000"});
}

// Few threads, so that compute-sanitizer can look for races in each kernel.
TEST_CASE("small products by general kernels give the same bits") {
  checkGeneral({"stencil5:n=20", "stencil27:n=6", "band:k=9,half=30,rows=600",
                "random:k=8,rows=500", "powerlaw:rows=600,avg=8", "diagonal:n=300",
                "blocks:b=4,k=9,rows=480", "coupled:n=4,b=5", "rmat:scale=8,edge=8",
                "features:rows=300,cols=300", "hypersparse:rows=900"});
}

// Prints the figures of tests/bench/README.md, "What a kernel made for the matrix gives".
TEST_CASE("times of general kernels" * doctest::skip(!getenv("SPECMV_TEST_TIMES"))) {
  Machine machine = gpuMachine();
  for (const char *spec :
       {"stencil5:n=100", "stencil5:n=3000", "stencil7:n=200", "stencil27:n=30", "stencil27:n=160",
        "stencil9:n=2000", "band:k=5,half=300,rows=50000", "random:k=8,rows=2000",
        "random:k=8,rows=2000000", "random:k=16,rows=1000000", "random:k=33,rows=500000",
        "powerlaw:rows=2000000,avg=8", "fem2d:rows=1000000", "circuit:rows=1000000",
        "blocks:b=3,k=12,rows=900000", "blocks:b=4,k=8,rows=60000", "rmat:scale=20,edge=16",
        "features:rows=200000,cols=20000", "widetable:rows=4000"}) {
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    for (const Problem &problem : {Problem{ValueType::f64}, Problem{ValueType::f32}})
      for (const Offer &offer : offersFor(a, problem, machine))
        if (!offer.plans.empty() &&
            offer.format->general(offer.plans.front()) != offer.plans.front())
          compareTimes(spec, a, offer.plans.front(), problem, machine);
  }
}
