// Makes fused steps of plans, and checks the addresses that a step gets.
#include "runtime/api/fused.h"

#include "models/base/error.h"
#include "models/base/parallel.h"
#include "models/base/text.h"
#include "runtime/api/arguments.h"
#include "runtime/cuda/memory_pool.h"
#include "runtime/fused/price_of_x.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

namespace specmv {

// Does the same as namesOf(), but an empty list has no name.
static std::vector<std::string> namesIn(const char *list) {
  return list && *list ? namesOf(list) : std::vector<std::string>();
}

// The name of a vector without spaces around it. An expression keeps them, so that an error names
// its place.
static std::string textOfX(llvm::StringRef x) {
  const llvm::StringRef trimmed = x.trim();
  const auto isInName = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return (llvm::all_of(trimmed, isInName) ? trimmed : x).str();
}

llvm::Expected<Fusion> fusionOf(const specmvFusion_t *given, ValueType vectors) {
  if (llvm::Error error = wantPointer(given, "fusion"))
    return error;
  constexpr size_t kEnds[] = {sizeof(specmvFusion_t)};
  return andThen(completed(given, kEnds, "specmvFusion_t"),
                 [&](const specmvFusion_t &f) -> llvm::Expected<Fusion> {
                   Fusion out{.x = textOfX(f.x ? f.x : ""),
                              .statements = f.epilogue ? f.epilogue : "",
                              .vectors = namesIn(f.vectors),
                              .written = namesIn(f.written),
                              .scalars = namesIn(f.scalars),
                              .gpuScalars = namesIn(f.gpuScalars),
                              .sums = namesIn(f.sums)};
                   if (llvm::Error error = checkFusion(out, vectors))
                     return error;
                   return out;
                 });
}

// A plan that is known from before was not profiled.
static KnownProduct knownOf(const PlanFacts &facts) {
  const std::vector<Candidate> &candidates = facts.ranked.candidates;
  return {facts.profile ? &*facts.profile : nullptr,
          facts.choice.index < candidates.size() ? candidates[facts.choice.index].predictedUs : 0};
}

static llvm::Error checkBase(const specmvPlan &plan) {
  if (plan.runsFirst())
    return fail(Status::badCall,
                "the plan's set-up {0}, so the plan has no fused steps; make a new plan",
                plan.start->whyNone());
  if (plan.vectors > 1)
    return fail(Status::badCall,
                "the plan is made for {0} vectors at once, but a fused step multiplies one; make "
                "another plan without the option vectors",
                plan.vectors);
  return llvm::Error::success();
}

// Vectors of x have as many values as A has columns, and those of the statements as many as it has
// rows; a vector of both needs a square matrix or the longer of both.
static int64_t lengthOf(const Fusion &fusion, const specmvPlan &plan, const std::string &vector) {
  const bool isOfX = identifiersOf(fusion.x).contains(vector),
             isOfRows = identifiersOf(fusion.statements).contains(vector);
  return std::max(isOfX ? plan.cols : 0, isOfRows ? plan.rows : 0);
}

static bool isRead(const Fusion &fusion, const std::string &vector) {
  return identifiersOf(fusion.x + "\n" + fusion.statements).contains(vector);
}

static llvm::Error checkUsed(const Fusion &fusion) {
  for (const std::string &vector : fusion.vectors)
    if (!isRead(fusion, vector))
      return fail(Status::badCall,
                  "neither x nor the epilogue names the vector '{0}', one of {1}; remove it",
                  vector, fusion.vectors.size());
  return llvm::Error::success();
}

static PriceOfX priceOfStep(const Fusion &fusion, const FusedBase &base, const PlanFacts &facts,
                            const Machine &machine) {
  return priceOfX(fusion, base, knownOf(facts), machine.model);
}

llvm::Expected<std::unique_ptr<FusedProduct>>
fusedProductOf(const Fusion &fusion, const FusedBase &base, const PlanFacts &facts,
               const GpuProduct &product, Machine &machine) {
  return FusedProduct::make(fusion, base, product, priceOfStep(fusion, base, facts, machine),
                            machine);
}

// Makes the step's product on a GPU. On the host there is none, but its kernel is compiled if the
// machine keeps the kernels of the host's plans.
static llvm::Error makeProductOf(ApiFused &out, const PlanProducts &own, Machine &machine) {
  if (own.gpu) {
    out.marks->prepare(own.gpu->gpu());
    return fusedProductOf(out.fusion, *own.base, *own.facts, *own.gpu, machine)
        .moveInto(out.product);
  }
  return machine.hostKernels == HostKernels::kept
             ? compileFused(out.fusion, own.base->plan, own.base->problem, machine)
             : llvm::Error::success();
}

llvm::Error makeFused(ApiFused &out, specmvPlan &plan, Fusion fusion) {
  const ThreadLimit limit(plan.context->threads());
  finishSetup(plan);
  endChanges(plan); // the step has the arrays of one plan
  if (llvm::Error error =
          inTurn([&] { return checkBase(plan); }, [&] { return checkUsed(fusion); }))
    return error;
  PlanProducts &own = plan.now;
  auto machine = Machine::find(own.facts->where);
  if (!machine)
    return machine.takeError();
  out.fusion = std::move(fusion);
  const PriceOfX price = priceOfStep(out.fusion, *own.base, *own.facts, *machine);
  if (out.fusion.hasExpression())
    plan.context->log(
        SPECMV_LOG_INFO,
        llvm::formatv("x = '{0}' of a fused step is predicted to take {1} us where it "
                      "is read and {2} us as a vector, with the product",
                      out.fusion.x, decimalText(price.inKernelUs), decimalText(price.asVectorUs)));
  if (llvm::Error error = makeProductOf(out, own, *machine))
    return error;
  for (const std::string &warning : machine->cache.takeWarnings())
    plan.context->log(SPECMV_LOG_WARNING, warning);
  for (const std::string &vector : out.fusion.vectors)
    out.lengths.push_back(lengthOf(out.fusion, plan, vector));
  plan.fusedSteps.push_back(&out);
  out.plan = &plan;
  return llvm::Error::success();
}

// --- A call ---

namespace {
// A vector or scalar of a call.
struct Given {
  const std::string &name;
  const void *pointer;
  size_t bytes;
  bool isWritten;
};
} // namespace

static llvm::Error checkGivenPlace(const GpuDevice &gpu, const Given &given) {
  if (given.bytes == 0)
    return llvm::Error::success();
  const MemoryPlace place = placeOf(given.pointer);
  if (llvm::Error error = wantOnSameGpu(gpu, place, given.name.c_str()))
    return error;
  return place.isOnGpu ? llvm::Error::success()
                       : fail(Status::badCall,
                              "'{0}' at {1:x} is in host memory, but a fused step needs all but "
                              "scalars of the call in GPU memory; pass a device pointer",
                              given.name, reinterpret_cast<uintptr_t>(given.pointer));
}

static llvm::Error checkGiven(const specmvPlan &plan, llvm::ArrayRef<Given> all) {
  const size_t unit = sizeOf(plan.vectorType);
  for (const Given &one : all) {
    if (one.bytes > 0 && !one.pointer)
      return fail(Status::badCall, "'{0}' is a null pointer, but needs {1} bytes", one.name,
                  one.bytes);
    if (llvm::Error error = wantAligned(one.pointer, unit, "'" + llvm::Twine(one.name) + "'"))
      return error;
    if (!plan.vectorsAreOnGpu)
      if (llvm::Error error = checkGivenPlace(plan.now.gpu->gpu(), one))
        return error;
    for (const Given &other : all)
      if (one.isWritten && &one != &other &&
          overlap(one.pointer, one.bytes, other.pointer, other.bytes))
        return fail(Status::badCall,
                    "'{0}' at {1:x}, which the step writes, overlaps '{2}' at {3:x}; they must be "
                    "separate arrays",
                    one.name, reinterpret_cast<uintptr_t>(one.pointer), other.name,
                    reinterpret_cast<uintptr_t>(other.pointer));
  }
  return llvm::Error::success();
}

namespace {
// The operands of a call, and all that is on the GPU, for the checks.
struct FusedCall {
  StepOperands operands;
  llvm::SmallVector<Given, kStepVectors + kStepScalars + kStepSums> onGpu;
};
} // namespace

static DevicePointer gpuAddressOf(const void *pointer) {
  return reinterpret_cast<DevicePointer>(pointer);
}

static llvm::Error readScalar(const specmvPlan &plan, const std::string &name, const void *at,
                              uint64_t &bits) {
  bits = 0;
  if (!at)
    return fail(Status::badCall, "the scalar '{0}' is a null pointer", name);
  std::memcpy(&bits, at, sizeOf(plan.vectorType));
  return llvm::Error::success();
}

static llvm::Error collect(const ApiFused &step, void *const *vectors, void *const *scalars,
                           FusedCall &out) {
  const Fusion &f = step.fusion;
  const specmvPlan &plan = *step.plan;
  const size_t unit = sizeOf(plan.vectorType);
  for (size_t k = 0; k < f.vectors.size(); ++k) {
    out.operands.vectors[k] = gpuAddressOf(vectors[k]);
    out.onGpu.push_back({f.vectors[k], vectors[k], static_cast<size_t>(step.lengths[k]) * unit,
                         f.writes(f.vectors[k])});
  }
  for (size_t k = 0; k < f.scalars.size(); ++k)
    if (llvm::Error error = readScalar(plan, f.scalars[k], scalars[k], out.operands.scalars[k]))
      return error;
  size_t at = f.scalars.size();
  for (size_t k = 0; k < f.gpuScalars.size(); ++k, ++at) {
    out.operands.scalars[at] = gpuAddressOf(scalars[at]);
    out.onGpu.push_back({f.gpuScalars[k], scalars[at], unit, false});
  }
  for (size_t k = 0; k < f.sums.size(); ++k, ++at) {
    out.operands.sums[k] = gpuAddressOf(scalars[at]);
    out.onGpu.push_back({f.sums[k], scalars[at], unit, true});
  }
  return checkGiven(plan, out.onGpu);
}

llvm::Error executeFused(ApiFused &step, void *const *vectors, void *const *scalars, void *stream) {
  specmvPlan &plan = *step.plan;
  if (!step.product)
    return fail(Status::noGpu,
                "the plan of {0} x {1} runs on the host, where fused steps cannot run; make it for "
                "a GPU",
                plan.rows, plan.cols);
  if (step.fusion.hasProduct())
    if (llvm::Error error = checkHasValues(plan))
      return error;
  const Fusion &f = step.fusion;
  FusedCall call;
  return inTurn(
      [&] { return f.vectors.empty() ? llvm::Error::success() : wantPointer(vectors, "vectors"); },
      [&] {
        return f.scalars.empty() && f.gpuScalars.empty() && f.sums.empty()
                   ? llvm::Error::success()
                   : wantPointer(scalars, "scalars");
      },
      [&] { return collect(step, vectors, scalars, call); },
      [&] {
        return marked(*step.marks, *plan.now.gpu, stream,
                      [&] { return step.product->run(call.operands, stream); });
      });
}

} // namespace specmv
