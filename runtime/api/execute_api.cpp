// Implements the products of the C API: checks their arguments and runs them where the plan runs.
#include "models/base/parallel.h"
#include "runtime/api/arguments.h"
#include "runtime/api/guarded.h"
#include "runtime/api/handles.h"
#include "runtime/cuda/memory_pool.h"
#include "runtime/host_product.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace specmv;

static size_t bytesOf(int64_t count, ValueType type) {
  return static_cast<size_t>(count) * sizeOf(type);
}

static Scalars scalarsOf(const specmvPlan &plan, const void *alpha, const void *beta) {
  if (plan.scalarsAreOnGpu)
    return {.alphaAt = reinterpret_cast<DevicePointer>(alpha),
            .betaAt = reinterpret_cast<DevicePointer>(beta)};
  return {.alpha = valueAt(alpha, plan.vectorType), .beta = valueAt(beta, plan.vectorType)};
}

// Returns the products that run now; an error if the plan has no values.
static llvm::Expected<const PlanProducts *> productsOf(specmvPlan &plan) {
  takeOver(plan);
  if (llvm::Error error = checkHasValues(plan))
    return error;
  return &plan.now;
}

// Runs the body with the stream's own memory if the plan keeps memory for each stream.
static llvm::Error onStream(specmvPlan &plan, const GpuProduct &product, void *stream,
                            StreamStates::Body body) {
  return plan.streams ? plan.streams->run(product, stream, body)
                      : body(product, plan.staged, plan.several);
}

static CallerVectors vectorOf(const void *pointer, int64_t length, const char *name) {
  return {const_cast<void *>(pointer), length, 1, 1, 1, name};
}

namespace {
// The vectors of z = alpha A x + beta y; z is y in most products.
struct Vectors {
  const void *x, *y;
  void *z;
};
} // namespace

static llvm::Error multiplyOnGpu(specmvPlan &plan, const GpuProduct &gpu, const Scalars &scalars,
                                 const Vectors &v, void *stream) {
  const size_t bytesOfY = bytesOf(plan.rows, plan.vectorType);
  const auto run = [&](const GpuProduct &product, StagedProduct &staged, SeveralProduct &) {
    if (plan.vectorsAreOnGpu)
      return multiplyInto(product, scalars, reinterpret_cast<DevicePointer>(v.x),
                          reinterpret_cast<DevicePointer>(v.y),
                          reinterpret_cast<DevicePointer>(v.z), bytesOfY, stream);
    return staged.run(
        product, scalars, {const_cast<void *>(v.x), bytesOf(plan.cols, plan.vectorType), "x"},
        {const_cast<void *>(v.y), bytesOfY, "y"}, {v.z, bytesOfY, v.z == v.y ? "y" : "z"}, stream);
  };
  if (plan.vectorsAreOnGpu && plan.streams && plan.streams->haveNoScratch()) // saves the lookup
    return marked(*plan.marks, gpu, stream, [&] { return run(gpu, plan.staged, plan.several); });
  return marked(*plan.marks, gpu, stream, [&] { return onStream(plan, gpu, stream, run); });
}

// Lets the plan whose turn it is multiply. A product with a vector on the host would be timed with
// its copies, so it ends the learning.
static llvm::Error multiplyInTurn(specmvPlan &plan, const Scalars &scalars, const Vectors &v,
                                  void *stream) {
  if (!plan.vectorsAreOnGpu && !(isDevicePointer(v.x) && isDevicePointer(v.z)))
    plan.learning->end(plan.now);
  return plan.learning->run(plan.now, stream, [&](const GpuProduct &product) {
    return multiplyOnGpu(plan, product, scalars, v, stream);
  });
}

static void multiplyOnHostOf(const specmvPlan &plan, const HostCopy &host, const Scalars &scalars,
                             const Vectors &v) {
  const ThreadLimit limit(plan.context->threads());
  if (v.z != v.y && scalars.mayReadY() && plan.rows > 0)
    std::memcpy(v.z, v.y, bytesOf(plan.rows, plan.vectorType));
  multiplyOnHost(host.view, plan.vectorType, scalars.alpha, v.x, scalars.beta, v.z);
}

static llvm::Error multiply(specmvPlan &plan, const PlanProducts &now, const Scalars &scalars,
                            Vectors v, void *stream) {
  if (now.gpu && plan.learning && plan.learning->isActive())
    return multiplyInTurn(plan, scalars, v, stream);
  if (now.gpu)
    return multiplyOnGpu(plan, *now.gpu, scalars, v, stream);
  multiplyOnHostOf(plan, *now.host, scalars, v);
  return llvm::Error::success();
}

// The set-up beside the first products begins behind the first of them.
static void noteProduct(specmvPlan &plan, bool isLaunched) {
  plan.launched += isLaunched ? 1 : 0;
  if (plan.start)
    plan.start->tryToBegin();
}

static llvm::Error execute(specmvPlan &plan, const void *alpha, const void *beta, Vectors v,
                           void *stream) {
  auto products = productsOf(plan);
  if (!products)
    return products.takeError();
  const PlanProducts &now = **products;
  const CallerVectors x = vectorOf(v.x, plan.cols, "x"), y = vectorOf(v.y, plan.rows, "y"),
                      z = vectorOf(v.z, plan.rows, v.z == v.y ? "y" : "z");
  if (llvm::Error error = checkProduct(plan, alpha, x, beta, z))
    return error;
  const Scalars scalars = scalarsOf(plan, alpha, beta);
  if (!scalars.mayReadY())
    v.y = v.z;
  if (v.y != v.z)
    if (llvm::Error error = checkAdded(plan, y, z))
      return error;
  if (!now.gpu)
    for (const CallerVectors *vector : {&x, &y, &z})
      if (llvm::Error error = checkOnHost(*vector, stream))
        return error;
  llvm::Error error = multiply(plan, now, scalars, v, stream);
  if (plan.waitsForOthers())
    noteProduct(plan, /*isLaunched=*/!error);
  return error;
}

// Describes the vectors that the arguments give. `least` is the smallest valid leading dimension.
static llvm::Expected<CallerVectors> vectorsOf(const void *pointer, const char *name,
                                               int64_t length, int64_t count, int64_t leading,
                                               const specmvOrder_t &order) {
  const bool areRows = numberOf(order) == SPECMV_ORDER_ROW;
  const int64_t least = areRows ? count : length;
  if (leading < least || leading > kMaxDimension)
    return fail(Status::badCall, "ld{0} = {1} must be {2}, the {3}, or more, up to {4}", name,
                leading, least, areRows ? "number of vectors" : "length of a vector",
                kMaxDimension);
  const int64_t lines = areRows ? length : count;
  if (lines > 0 && leading > kMaxDimension / lines)
    return fail(Status::badCall, "{0} of {1} times ld{0} = {2} values exceeds the limit, {3}", name,
                lines, leading, kMaxDimension);
  return CallerVectors{const_cast<void *>(pointer), length, count, areRows ? leading : 1,
                       areRows ? 1 : leading,       name};
}

static llvm::Error checkSeveral(const specmvPlan &plan, int64_t count, const specmvOrder_t &order) {
  if (count < 0 || count > std::numeric_limits<int32_t>::max())
    return fail(Status::badCall, "count = {0} must be within 0..{1}", count,
                std::numeric_limits<int32_t>::max());
  if (llvm::Error error = wantEnum(order, SPECMV_ORDER_COLUMN, "order"))
    return error;
  if (plan.vectors == 1)
    return fail(Status::badCall,
                "the plan has kernels for one vector at a time only; make it with the option "
                "vectors = {0} for several",
                std::max<int64_t>(2, count));
  return llvm::Error::success();
}

static llvm::Error executeSeveral(specmvPlan &plan, const void *alpha, const CallerVectors &x,
                                  const void *beta, const CallerVectors &y, void *stream) {
  finishSetup(plan);
  auto products = productsOf(plan);
  if (!products)
    return products.takeError();
  const PlanProducts &now = **products;
  if (plan.runsFirst())
    return fail(Status::badCall,
                "the plan's set-up {0}, so the plan has no kernel for several vectors; make a new "
                "plan",
                plan.start->whyNone());
  if (llvm::Error error = checkProduct(plan, alpha, x, beta, y))
    return error;
  const Scalars scalars = scalarsOf(plan, alpha, beta);
  if (now.gpu)
    return marked(*plan.marks, *now.gpu, stream, [&] {
      return onStream(plan, *now.gpu, stream,
                      [&](const GpuProduct &product, StagedProduct &, SeveralProduct &several) {
                        return several.run(product, scalars, x, y, sizeOf(plan.vectorType), stream);
                      });
    });
  for (const CallerVectors *v : {&x, &y})
    if (llvm::Error error = checkOnHost(*v, stream))
      return error;
  const ThreadLimit limit(plan.context->threads());
  multiplyOnHost(now.host->view, plan.vectorType, scalars.alpha,
                 {x.count, x.pointer, x.stride, x.step, y.pointer, y.stride, y.step}, scalars.beta);
  return llvm::Error::success();
}

extern "C" {

specmvStatus_t specmvExecute(specmvPlan_t plan, const void *alpha, const void *x, const void *beta,
                             void *y, void *stream) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantHandle(plan, "plan"))
      return error;
    return execute(*plan, alpha, beta, {x, y, y}, stream);
  });
}

specmvStatus_t specmvExecuteInto(specmvPlan_t plan, const void *alpha, const void *x,
                                 const void *beta, const void *y, void *z, void *stream) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantHandle(plan, "plan"))
      return error;
    return execute(*plan, alpha, beta, {x, y, z}, stream);
  });
}

specmvStatus_t specmvExecuteMulti(specmvPlan_t plan, int64_t count, const void *alpha,
                                  const void *X, int64_t ldX, const void *beta, void *Y,
                                  int64_t ldY, specmvOrder_t order, void *stream) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantHandle(plan, "plan"))
      return error;
    if (llvm::Error error = checkSeveral(*plan, count, order))
      return error;
    auto x = vectorsOf(X, "X", plan->cols, count, ldX, order);
    if (!x)
      return x.takeError();
    auto y = vectorsOf(Y, "Y", plan->rows, count, ldY, order);
    if (!y)
      return y.takeError();
    return executeSeveral(*plan, alpha, *x, beta, *y, stream);
  });
}

} // extern "C"
