// Emits and launches the kernels of templates/ordered.cuh around those of a format.
#include "generator/order/ordered_product.h"

#include "generator/emit.h"
#include "generator/order/order.h"

#include <algorithm>

namespace specmv {

constexpr const char *kOrderedX = "orderedX", *kOrderedY = "orderedY",
                     *kOrderedRows = "orderedRows", *kOrderedPlan = "orderedPlan";

Plan unordered(Plan plan) {
  plan.order.clear();
  return plan;
}

// Kernels that can run a fused step in place of storing y store each row once.
static bool placesResult(const Plan &plan, const Problem &problem) {
  return permutesVectors(plan, problem) && findFormat(plan.format)->fuses != Fuses::nothing;
}
static bool unpermutesResult(const Plan &plan, const Problem &problem) {
  return permutesVectors(plan, problem) && !placesResult(plan, problem);
}

Problem problemOfPacking(const Plan &plan, const Problem &problem) {
  Problem out = problem;
  if (unpermutesResult(plan, problem))
    out.betaCanBeNonZero = out.resultIsApart = false;
  return out;
}

Problem problemInOrder(const Plan &plan, const Problem &problem) {
  Problem out = problemOfPacking(plan, problem);
  out.resultIsPlaced = placesResult(plan, problem);
  return out;
}

static Field rowAtField(int64_t rows) {
  return array("rowAt", ElementType::i32, rows, kOrderRowAt);
}
static Field rowCount(int64_t rows) {
  return number("count", ElementType::i64, rows, kOrderedRows);
}
static Field orderedVector(const char *name, const Problem &problem, int64_t rows) {
  return scratch(name, elementOf(vectorTypeOf(problem)), rows);
}

static Fields orderedXFields(const Problem &problem, int64_t rows) {
  return {rowAtField(rows), fieldOfX(problem), orderedVector(kOrderedX, problem, rows),
          rowCount(rows)};
}

// The kernel behind the product only reads the working memory.
static Fields orderedYFields(const Problem &problem, int64_t rows) {
  Fields out = {rowAtField(rows), orderedVector(kOrderedY, problem, rows)};
  for (const Field &field : vectors(problem))
    if (field.argument.binding != Binding::x && field.argument.binding != Binding::alpha)
      out.push_back(field);
  out.push_back(rowCount(rows));
  return out;
}

Fields orderFields(const Plan &plan, const Problem &problem, int64_t rows) {
  if (!permutesVectors(plan, problem))
    return {rowAtField(rows)};
  return unpermutesResult(plan, problem)
             ? joined({orderedXFields(problem, rows), orderedYFields(problem, rows)})
             : orderedXFields(problem, rows);
}

static Kernel permutingKernel(const char *function, const char *args, const Problem &problem,
                              const Fields &fields, OnY onY) {
  const ElementType value = elementOf(vectorTypeOf(problem));
  OperandTypes types{value, ElementType::i32, ElementType::i32};
  if (onY == OnY::stores && problem.resultIsApart)
    types.y = std::string("specmv::Apart<") + deviceNameOf(value) + ">";
  return {.name = std::string("specmv_") + function,
          .function = function,
          .plan = kOrderedPlan,
          .args = args,
          .types = {},
          .blockThreads = kBlockThreads,
          .arguments = argumentsOf(fields),
          .scalarsAreOnGpu = problem.scalarsAreOnGpu,
          .operands = types,
          .onY = onY};
}

static Kernel kernelOfX(const Problem &problem) {
  return permutingKernel("orderX", "OrderXArgs", problem, orderedXFields(problem, 0), OnY::nothing);
}
static Kernel kernelOfY(const Problem &problem) {
  return permutingKernel("orderedY", "OrderedYArgs", problem, orderedYFields(problem, 0),
                         OnY::stores);
}

KernelSource sourceInOrder(KernelSource (*emit)(const Plan &, const Problem &), const Plan &plan,
                           const Problem &problem) {
  KernelSource out = emit(unordered(plan), problemInOrder(plan, problem));
  if (!permutesVectors(plan, problem))
    return out;
  const PlanConstant constant{
      kOrderedPlan,
      "OrderedPlan",
      {{"blockThreads", kBlockThreads}, {"readsY", problem.betaCanBeNonZero}}};
  std::vector<Kernel> kernels = {kernelOfX(problem)};
  if (unpermutesResult(plan, problem))
    kernels.push_back(kernelOfY(problem));
  return KernelSource(
      out.text +
      emitSource("Vectors in the order of the plan", {"ordered.cuh"}, {constant}, kernels).text);
}

// Makes the launch read x in the order of the plan, as an array to which nobody writes.
static void useOrderedX(Launch &launch) {
  for (Argument &argument : launch.arguments)
    if (argument.binding == Binding::x) {
      argument.binding = Binding::array;
      argument.source = kOrderedX;
    }
}

static void useOrderedY(Launch &launch) {
  for (Argument &argument : launch.arguments)
    if (argument.binding == Binding::y) {
      argument.binding = Binding::scratch;
      argument.source = kOrderedY;
    }
  launch.onY = OnY::nothing;
}

Steps Format::stepsFor(const Plan &plan, const Problem &problem, const Layout &layout) const {
  Steps out = steps(unordered(plan), problemInOrder(plan, problem), layout);
  if (!permutesVectors(plan, problem) || out.empty())
    return out;
  const bool unpermutes = unpermutesResult(plan, problem);
  for (Step &step : out)
    if (auto *launch = std::get_if<Launch>(&step.action)) {
      useOrderedX(*launch);
      launch->leavesL1 = false;
      if (unpermutes)
        useOrderedY(*launch);
    }
  const int64_t blocks = ceilDiv(layout.integer(kOrderedRows), kBlockThreads);
  if (unpermutes)
    out.push_back(launchOf(kernelOfY(problem), blocks));
  out.insert(out.begin(), launchOf(kernelOfX(problem), blocks));
  return out;
}

KernelSource Format::sourceFor(const Plan &plan, const Problem &problem) const {
  return sourceInOrder(source, plan, problem);
}

Fuses Format::fusesFor(const Plan &plan, const Problem &problem) const {
  return permutesVectors(plan, problem) ? Fuses::nothing : fuses;
}

// The share of the rows that are stored at the very end: those that threads of the last wave store
// when they have walked all of their rows.
static double shareStoredAtEnd(const Traffic &product, const GpuModel &gpu) {
  const auto threads = static_cast<double>(std::max<int64_t>(1, product.threads));
  return product.storedLast *
         std::min(1.0, static_cast<double>(threadsOfWave(product, gpu)) / threads);
}

// Every value of x and of the result is alone in its sector, as far as anybody knows. The kernels
// that permute vectors run before and after the product. What the product's own kernels scatter
// goes along with their other work, but for what is stored at the end. (On meshes of 0.66 and 2.0
// million rows, qcsr, whose threads are one wave, took 1.17 to 1.33 times what was predicted
// without that, ell and sell-bytes 0.96 to 1.11 times: measured on an H200.) L2 keeps x, x in the
// order of the plan, and y as far as it has room for these three: the stream of the matrix hardly
// drives them out (measured on an H100 with the same meshes).
Traffic trafficInOrder(Traffic product, const Plan &plan, const PlanRequest &request) {
  constexpr int64_t kSector = 32, kPlaceBytes = 4;
  const int64_t rows = request.profile.rows, value = vectorValueBytes(request.problem);
  product.usedBytes = product.usedBytes ? product.usedBytes : product.storedBytes;
  product.storedBytes += rows * kPlaceBytes;
  if (!permutesVectors(plan, request.problem))
    return product;
  const int kernels = placesResult(plan, request.problem) ? 1 : 2;
  product.usedBytes += rows * (kPlaceBytes + kernels * value);
  const double bytes = static_cast<double>(rows * (kPlaceBytes + value)),
               sectors = static_cast<double>(rows * kSector);
  if (kernels == 1) {
    const double hidden = 1 - shareStoredAtEnd(product, request.gpu);
    product.streamBytes += rows * kPlaceBytes;
    product.gatherBytes += static_cast<int64_t>(hidden * sectors);
    product.stagingUs += (1 - hidden) * sectors / request.gpu.gatherGBs / 1000;
  }
  product.stagingUs +=
      kernels * std::max(bytes / request.gpu.l2GBs, sectors / request.gpu.gatherGBs) / 1000;
  constexpr double kNotHidden = 0.8; // of the time of sectors that memory delivers
  const double beyond = shareBeyondL2(static_cast<double>(3 * rows * value), request.gpu);
  product.stagingUs += 2 * kNotHidden * beyond * scatteredUs(rows * kSector, request.gpu);
  product.launches += kernels;
  return product;
}

} // namespace specmv
