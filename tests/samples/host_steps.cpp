// Runs fused steps of samples on the host: a library to be loaded before libspecmv.so, on the fake
// GPU, whose memory is the host's and whose kernels do nothing. Each step is also made and run by
// libspecmv.so, which checks it; then its texts run here, as a function that the C++ compiler
// makes. The plan's products must be right, so they are those of the fake cuSPARSE.
#include "runtime/include/specmv.h"
#include "tests/generator/host_step.h"
#include "tests/generator/ready_made_steps.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

using namespace specmv;
using namespace specmv::testing;

namespace {

using Multiply = void (*)(void *plan, const double *x, double *ax);
using Run = void (*)(void *plan, Multiply multiply, int64_t rows, int64_t cols,
                     void *const *vectors, void *const *scalars);

// Declares what the function of a step uses, and how it is called from here.
constexpr const char *kBefore = R"(
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>
using namespace std;
using real = double;
real ratio(real a, real b) { return b == 0 ? 0 : a / b; }
using Multiply = void (*)(void *plan, const double *x, double *ax);
struct Sparse {
  void *plan;
  Multiply multiply;
  size_t rowCount, colCount;
  size_t rows() const { return rowCount; }
};
template <class X> vector<real> multiplied(const Sparse &a, const X &x) {
  vector<real> of(a.colCount), ax(a.rowCount);
  for (size_t j = 0; j < of.size(); ++j)
    of[j] = x(j);
  a.multiply(a.plan, of.data(), ax.data());
  return ax;
}
vector<real *> numbersAt(void *const *from, size_t count) {
  vector<real *> out;
  for (size_t k = 0; k < count; ++k)
    out.push_back(static_cast<real *>(from[k]));
  return out;
}
)";

[[noreturn]] void stop(const std::string &sentence) {
  std::fprintf(stderr, "error: host_steps: %s\n", sentence.c_str());
  std::_Exit(1);
}

// The function of libspecmv.so that this library stands before.
template <class F> F *next(const char *name, F *) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found)
    stop(std::string("there is no ") + name);
  return reinterpret_cast<F *>(found);
}
#define NEXT(function) next(#function, function)

void multiplyByPlan(void *plan, const double *x, double *ax) {
  const double one = 1, zero = 0;
  if (specmvExecute(static_cast<specmvPlan_t>(plan), &one, x, &zero, ax, nullptr))
    stop(specmvGetLastErrorDetail());
}

std::string sourceOf(const Fusion &f) {
  const auto numbers = [](const char *of, size_t count) {
    return std::string("numbersAt(") + of + ", " + std::to_string(count) + ")";
  };
  return kBefore + hostStep("step", f) +
         "extern \"C\" void run(void *plan, Multiply multiply, int64_t rows, int64_t cols,\n"
         "    void *const *vectors, void *const *scalars) {\n"
         "  step({plan, multiply, size_t(rows), size_t(cols)}, " +
         numbers("vectors", f.vectors.size()) + ", " +
         numbers("scalars", f.scalars.size() + f.gpuScalars.size() + f.sums.size()) + ");\n}\n";
}

// Compiles the step and loads it.
Run compiled(const Fusion &f) {
  std::string folder = "/tmp/specmv-host-step-XXXXXX";
  if (!mkdtemp(folder.data()))
    stop("no folder for a step");
  const std::string source = folder + "/step.cpp", library = folder + "/step.so";
  std::ofstream(source) << sourceOf(f);
  const std::string command =
      SPECMV_TEST_CXX " -std=c++20 -O1 -shared -fPIC '" + source + "' -o '" + library + "'";
  unsetenv("LD_PRELOAD");      // for the compiler
  unsetenv("LD_LIBRARY_PATH"); // this program has read both
  if (std::system(command.c_str()) != 0)
    stop("a step does not compile for the host");
  void *loaded = dlopen(library.c_str(), RTLD_NOW);
  if (!loaded)
    stop(dlerror());
  for (const std::string &file : {source, library})
    unlink(file.c_str());
  rmdir(folder.c_str());
  return reinterpret_cast<Run>(dlsym(loaded, "run"));
}

struct HostStep {
  Run run;
  specmvPlan_t plan;
  specmvPlanShape_t shape;
};
std::map<specmvFused_t, HostStep> &steps() {
  static std::map<specmvFused_t, HostStep> all;
  return all;
}

} // namespace

extern "C" {

specmvStatus_t specmvCreateFused(specmvFused_t *step, specmvPlan_t plan,
                                 const specmvFusion_t *fusion) {
  if (const auto status = NEXT(specmvCreateFused)(step, plan, fusion))
    return status;
  specmvPlanShape_t shape = SPECMV_PLAN_SHAPE_INIT;
  if (specmvGetPlanShape(plan, &shape))
    stop(specmvGetLastErrorDetail());
  steps()[*step] = {compiled(fusionFrom(*fusion)), plan, shape};
  return SPECMV_STATUS_SUCCESS;
}

specmvStatus_t specmvExecuteFused(specmvFused_t step, void *const *vectors, void *const *scalars,
                                  void *stream) {
  if (const auto status = NEXT(specmvExecuteFused)(step, vectors, scalars, stream))
    return status;
  const HostStep &own = steps().at(step);
  own.run(own.plan, multiplyByPlan, own.shape.rows, own.shape.cols, vectors, scalars);
  return SPECMV_STATUS_SUCCESS;
}

} // extern "C"
