// Times plans in the situation of a program, which has one matrix, a context of CUDA, CSR on the
// GPU, an empty cache and the installed pack. first_benchmark f32|f64 MATRIX OTHER [now] prints a
// JSON line for the first plan of the process, for a plan of OTHER beside it, which is a second new
// pattern, and for MATRIX once more, beside a plan and alone. With `now`, the first plan is made
// with SPECMV_START_NOW, and only that is timed. On the GPU, only the public header and the driver
// are used, as by an application: nothing of specmv is warm before the first call.
#include "runtime/cuda/driver.h"
#include "runtime/measure/stopwatch.h"
#include "runtime/measure/temporary_directory.h"
#include "tests/bench/gpu_benchmark.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace specmv;
using namespace specmv::bench;
namespace json = llvm::json;

namespace {

// --- The application's side: the driver alone ----------------------------------------------------

class Application {
public:
  static llvm::Expected<Application> start() {
    auto driver = Driver::get();
    if (!driver)
      return driver.takeError();
    Application out(**driver);
    CUdevice device = 0;
    CUcontext context = nullptr;
    if (llvm::Error error = out.did(out.d.cuDeviceGet(&device, 0), "cuDeviceGet"))
      return error;
    if (llvm::Error error =
            out.did(out.d.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain"))
      return error;
    if (llvm::Error error = out.did(out.d.cuCtxPushCurrent(context), "cuCtxPushCurrent"))
      return error;
    if (llvm::Error error =
            out.did(out.d.cuStreamCreate(&out.stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate"))
      return error;
    return out;
  }

  llvm::Expected<CUdeviceptr> memory(size_t bytes) const {
    CUdeviceptr out = 0;
    if (llvm::Error error = did(d.cuMemAlloc(&out, std::max<size_t>(bytes, 1)), "cuMemAlloc"))
      return error;
    if (llvm::Error error = did(d.cuMemsetD8Async(out, 0, bytes, stream), "cuMemsetD8Async"))
      return error;
    return out;
  }
  llvm::Expected<const void *> uploaded(const void *from, size_t bytes) const {
    auto to = memory(bytes);
    if (!to)
      return to.takeError();
    if (llvm::Error error = did(d.cuMemcpyHtoDAsync(*to, from, bytes, stream), "cuMemcpyHtoDAsync"))
      return error;
    if (llvm::Error error = wait())
      return error;
    return reinterpret_cast<const void *>(*to);
  }
  llvm::Error wait() const { return did(d.cuStreamSynchronize(stream), "cuStreamSynchronize"); }
  llvm::Error did(CUresult result, const char *call) const { return d.check(result, call); }

  const Driver &d;
  CUstream stream = nullptr;

private:
  explicit Application(const Driver &driver) : d(driver) {}
};

// Kept until the process ends, as are x and y.
struct OnGpu {
  CsrView csr;
  const void *x = nullptr;
  void *y = nullptr;
};

llvm::Expected<OnGpu> onGpu(const Application &app, CsrView a) {
  const auto index = sizeOf(a.indexType), value = sizeOf(a.valueType);
  const std::pair<const void **, size_t> arrays[] = {
      {&a.rowPtr, index * static_cast<size_t>(a.rows + 1)},
      {&a.col, index * static_cast<size_t>(a.nnz)},
      {&a.val, value * static_cast<size_t>(a.nnz)}};
  for (const auto &[array, bytes] : arrays) {
    auto there = app.uploaded(*array, bytes);
    if (!there)
      return there.takeError();
    *array = *there;
  }
  auto x = app.memory(value * static_cast<size_t>(a.cols));
  if (!x)
    return x.takeError();
  auto y = app.memory(value * static_cast<size_t>(a.rows));
  if (!y)
    return y.takeError();
  return OnGpu{a, reinterpret_cast<const void *>(*x), reinterpret_cast<void *>(*y)};
}

// --- What is timed -------------------------------------------------------------------------------

llvm::Error multiply(const Application &app, specmvPlan_t plan, const OnGpu &a) {
  const double one = 1, zero = 0;
  const float oneF = 1, zeroF = 0;
  const bool isFloat = a.csr.valueType == ValueType::f32;
  return apiError(specmvExecute(plan, isFloat ? static_cast<const void *>(&oneF) : &one, a.x,
                                isFloat ? static_cast<const void *>(&zeroF) : &zero, a.y,
                                app.stream));
}

constexpr int kBatches = 7;
constexpr double kBatchUs = 2000;

// Returns the microseconds of a product, back to back: the median of batches.
llvm::Expected<double> productUs(const Application &app, specmvPlan_t plan, const OnGpu &a) {
  const auto batch = [&](int products) -> llvm::Expected<double> {
    const Stopwatch watch;
    for (int i = 0; i < products; ++i)
      if (llvm::Error error = multiply(app, plan, a))
        return error;
    if (llvm::Error error = app.wait())
      return error;
    return 1000 * watch.milliseconds() / products;
  };
  auto first = batch(3);
  if (first)
    first = batch(10);
  if (!first)
    return first;
  const int products = std::clamp(static_cast<int>(kBatchUs / *first), 5, 500);
  std::vector<double> us;
  for (int i = 0; i < kBatches; ++i) {
    auto one = batch(products);
    if (!one)
      return one;
    us.push_back(*one);
  }
  std::sort(us.begin(), us.end());
  return us[us.size() / 2];
}

struct Made {
  specmvPlan_t plan = nullptr;
  double us = 0; // to make it
};

llvm::Expected<Made> made(const OnGpu &a, specmvStart_t start) {
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  options.start = start;
  Made out;
  const Stopwatch watch;
  auto plan = gpuPlan(a.csr, options);
  out.us = 1000 * watch.milliseconds();
  if (!plan)
    return plan.takeError();
  out.plan = *plan;
  return out;
}

// Returns the JSON report of the plan.
llvm::Expected<json::Object> toldBy(specmvPlan_t plan) {
  const char *text = nullptr;
  if (llvm::Error error = apiError(specmvGetPlanJson(plan, &text)))
    return error;
  auto all = json::parse(text);
  if (!all)
    return all.takeError();
  const json::Object &told = *all->getAsObject();
  json::Object out{{"plan", told.getString("text").value_or("").str()}};
  for (const char *name : {"kernel", "kernels", "setupMs", "chosenBy", "createMs", "bytes"})
    if (const json::Value *value = told.get(name))
      out[name] = *value;
  return out;
}

llvm::Error timePlan(const Application &app, const OnGpu &a, const char *name, bool isMultiplied,
                     json::Object &line, specmvPlan_t &out) {
  auto plan = made(a, SPECMV_START_WAIT);
  if (!plan)
    return plan.takeError();
  auto told = toldBy(plan->plan);
  if (!told)
    return told.takeError();
  (*told)["us"] = plan->us;
  if (isMultiplied) {
    auto us = productUs(app, plan->plan, a);
    if (!us)
      return us.takeError();
    (*told)["productUs"] = *us;
  }
  line[name] = std::move(*told);
  out = plan->plan;
  return llvm::Error::success();
}

double destroyUs(specmvPlan_t plan) {
  const Stopwatch watch;
  specmvDestroyPlan(plan);
  return 1000 * watch.milliseconds();
}

llvm::Error timePlans(const Application &app, const OnGpu &a, const OnGpu &other,
                      json::Object &line) {
  specmvPlan_t first = nullptr, second = nullptr, again = nullptr;
  if (llvm::Error error = timePlan(app, a, "first", true, line, first))
    return error;
  if (llvm::Error error = timePlan(app, other, "new", true, line, second))
    return error;
  line["destroyUs"] = destroyUs(second);
  if (llvm::Error error = timePlan(app, a, "beside", false, line, again))
    return error;
  specmvDestroyPlan(again);
  specmvDestroyPlan(first);
  if (llvm::Error error = timePlan(app, a, "alone", true, line, again))
    return error;
  line["lastDestroyUs"] = destroyUs(again);
  return llvm::Error::success();
}

// Times the first y of START_NOW, in a process that has no plan yet.
llvm::Error timeStart(const Application &app, const OnGpu &a, json::Object &line) {
  const Stopwatch watch;
  auto plan = made(a, SPECMV_START_NOW);
  if (!plan)
    return plan.takeError();
  if (llvm::Error error = multiply(app, plan->plan, a))
    return error;
  if (llvm::Error error = app.wait())
    return error;
  line["now"] = json::Object{{"createUs", plan->us},
                             {"firstYUs", 1000 * watch.milliseconds()},
                             {"by", textOf(plan->plan)}};
  // This waits for the plan, but not for a better one.
  if (llvm::Error error = apiError(specmvGetPermutation(plan->plan, nullptr, nullptr)))
    return error;
  line["now"].getAsObject()->insert({"readyUs", 1000 * watch.milliseconds()});
  specmvDestroyPlan(plan->plan);
  return llvm::Error::success();
}

CsrView viewOf(const CsrMatrix &a, ValueType type, std::vector<float> &values) {
  CsrView view = a.view();
  if (type == ValueType::f64)
    return view;
  values.assign(a.val.begin(), a.val.end());
  view.valueType = type;
  view.val = values.data();
  return view;
}

llvm::Error run(ValueType type, const std::string &name, const std::string &otherName, bool isNow) {
  auto matrix = matrixNamed(name);
  if (!matrix)
    return matrix.takeError();
  auto other = matrixNamed(otherName);
  if (!other)
    return other.takeError();
  TemporaryDirectory cache;
  if (llvm::Error error = cache.create())
    return error;
  setenv("SPECMV_CACHE_DIR", cache.path.c_str(), 1);
  auto app = Application::start();
  if (!app)
    return app.takeError();
  std::vector<float> values, otherValues;
  auto a = onGpu(*app, viewOf(*matrix, type, values)),
       b = onGpu(*app, viewOf(*other, type, otherValues));
  if (!a || !b)
    return llvm::joinErrors(a.takeError(), b.takeError());
  json::Object line{{"first_benchmark", 1}, {"matrix", name},        {"other", otherName},
                    {"type", nameOf(type)}, {"rows", a->csr.rows},   {"cols", a->csr.cols},
                    {"nnz", a->csr.nnz},    {"otherNnz", b->csr.nnz}};
  if (llvm::Error error = isNow ? timeStart(*app, *a, line) : timePlans(*app, *a, *b, line))
    return error;
  llvm::outs() << json::Value(std::move(line)) << "\n";
  return llvm::Error::success();
}

} // namespace

int main(int argc, char **argv) {
  const bool isNow = argc == 5 && llvm::StringRef(argv[4]) == "now";
  const llvm::StringRef type = argc > 1 ? argv[1] : "";
  if ((argc != 4 && !isNow) || (type != "f32" && type != "f64"))
    return badCall("give f32 or f64, a matrix, another one, and 'now' to start now");
  return statusOf(run(type == "f32" ? ValueType::f32 : ValueType::f64, argv[2], argv[3], isNow));
}
