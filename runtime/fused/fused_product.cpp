// Makes the kernels of fused steps and runs them.
#include "runtime/fused/fused_product.h"

#include "generator/format.h"
#include "generator/fusion/step.h"
#include "models/base/error.h"
#include "runtime/cuda/product_recipe.h"
#include "runtime/cuda/streams.h"
#include "runtime/kernels/objects.h"

#include <algorithm>

namespace specmv {

FusedBase fusedBaseOf(const Plan &plan, const Problem &problem, const Layout &layout, int64_t rows,
                      int64_t cols) {
  ProductRecipe recipe = recipeOnSameMemory(layout, {}, {}, problem, cols);
  FusedBase out{plan, problem, std::move(recipe.layout), rows, cols};
  out.layout.scratch = withoutContents(layout.scratch);
  return out;
}

// The problem of a kernel that runs a step. It has no alpha, no beta and no y.
static Problem stepProblemOf(const Fusion &fusion, Problem problem) {
  problem.fusion = &fusion;
  problem.betaCanBeNonZero = problem.scalarsAreOnGpu = problem.resultIsApart = false;
  return problem;
}

// Returns true if a line of a compiler's log is about a text or a name of the caller, such as
// "epilogue(2): error: ...", or about a function that a text calls, which ptxas tells without a
// line.
static bool isOfCaller(llvm::StringRef line) {
  const bool isInText =
      line.starts_with("epilogue(") || line.starts_with("x(") || line.starts_with("name ");
  return isInText ? line.contains("): error: ") || line.contains("): catastrophic error: ")
                  : line.starts_with("ptxas fatal") || line.starts_with("ptxas error");
}

// These lines as one sentence, which repeats few of them: the others mostly follow from the first.
static std::string errorsOf(llvm::StringRef log) {
  constexpr int kMost = 3;
  std::string out;
  int count = 0;
  while (!log.empty()) {
    const auto [line, rest] = log.split('\n');
    log = rest;
    if (isOfCaller(line) && ++count <= kMost)
      out += (out.empty() ? "" : "; ") + line.rtrim().str();
  }
  return count > kMost ? llvm::formatv("{0}; and {1} further errors", out, count - kMost).str()
                       : out;
}

// A text of the caller that does not compile is a bad call, not a bug in specmv.
static llvm::Expected<KernelObject> objectOf(const KernelSource &source, Machine &machine) {
  auto object = findOrCompile(source, "fused", machine);
  if (object)
    return object;
  auto [status, sentence] = describe(object.takeError());
  const std::string errors = status == Status::internal ? errorsOf(sentence) : "";
  return errors.empty() ? failWith(status, sentence)
                        : fail(Status::badCall, "the fused step does not compile: {0}", errors);
}

static llvm::Expected<GpuModule> stepModuleOf(const KernelSource &source, Machine &machine) {
  if (GpuModule module = machine.gpu->loaded(source.digest))
    return module;
  return andThen(objectOf(source, machine), [&](const KernelObject &object) {
    return machine.gpu->load(object.object->cubin, source.digest);
  });
}

static llvm::Expected<GpuProduct> productOf(const KernelSource &source, Steps steps, Layout layout,
                                            const Problem &problem, int64_t cols,
                                            const GpuProduct &product, Machine &machine) {
  addSums(steps, layout, problem);
  const ProductRecipe recipe{std::move(layout), std::move(steps), {}, problem, cols};
  return andThen(stepModuleOf(source, machine),
                 [&](GpuModule module) { return product.with(std::move(module), recipe); });
}

// The kernel that runs statements only, for so many rows.
static llvm::Expected<GpuProduct> statementsOf(const Problem &problem, int64_t rows,
                                               const GpuProduct &product, Machine &machine) {
  Layout layout;
  layout.integers = {{"rows", rows}};
  return productOf(stepSource(problem), stepSteps(problem, rows), std::move(layout), problem, 0,
                   product, machine);
}

static size_t bytesOfVector(const FusedBase &base, int64_t count) {
  return static_cast<size_t>(count * vectorValueBytes(base.problem));
}

llvm::Error FusedProduct::makeX(const FusedBase &base, const GpuProduct &product,
                                Machine &machine) {
  fusionOfX_ = std::make_unique<Fusion>(specmv::stepOfX(fusion_));
  const Problem problem = stepProblemOf(*fusionOfX_, base.problem);
  return inTurn(
      [&] { return product.gpu().allocate(bytesOfVector(base, base.cols)).moveInto(x_); },
      [&] { return statementsOf(problem, base.cols, product, machine).moveInto(stepOfX_); });
}

// The step as the kernels see it: with x as a vector if it is computed before.
static std::unique_ptr<Fusion> fusionOfKernel(const Fusion &fusion, bool hasVectorX) {
  auto out = std::make_unique<Fusion>(fusion);
  if (hasVectorX)
    out->x = kComputedX;
  return out;
}

llvm::Error FusedProduct::makeWhole(const FusedBase &base, const GpuProduct &product,
                                    Machine &machine) {
  const Format &format = *findFormat(base.plan.format);
  const Problem problem = stepProblemOf(*fusionOfRows_, base.problem);
  return productOf(format.sourceFor(base.plan, problem),
                   format.stepsFor(base.plan, problem, base.layout), base.layout, problem,
                   base.cols, product, machine)
      .moveInto(step_);
}

// Products of the plan may run at the same time as the step, so its product has working memory of
// its own. cuSPARSE's has not: it would need to be told of new values.
llvm::Error FusedProduct::makeProduct(const FusedBase &base, const GpuProduct &product,
                                      Machine &machine) {
  product_ = &product;
  const Format &format = *findFormat(base.plan.format);
  const auto recipe =
      format.library ? nullptr
                     : recipeOf(base.layout, format.stepsFor(base.plan, base.problem, base.layout),
                                {}, base.problem, base.cols);
  if (!recipe)
    return llvm::Error::success();
  if (llvm::Error error =
          andThen(stepModuleOf(format.sourceFor(base.plan, base.problem), machine),
                  [&](GpuModule module) { return product.with(std::move(module), *recipe); })
              .moveInto(ownProduct_))
    return error;
  product_ = &*ownProduct_;
  return llvm::Error::success();
}

llvm::Error FusedProduct::makeParts(const FusedBase &base, const GpuProduct &product,
                                    Machine &machine) {
  const GpuDevice &gpu = product.gpu();
  const Problem problem = stepProblemOf(*fusionOfRows_, base.problem);
  if (fusion_.hasProduct() && base.rows > 0) {
    if (llvm::Error error =
            inTurn([&] { return makeProduct(base, product, machine); },
                   [&] { return gpu.allocate(bytesOfVector(base, base.rows)).moveInto(ax_); }))
      return error;
    const uint64_t numbers[] = {bitsOf(1, vectorTypeOf(problem)), bitsOf(0, vectorTypeOf(problem))};
    if (base.problem.scalarsAreOnGpu)
      if (llvm::Error error = gpu.uploaded(numbers, sizeof numbers).moveInto(ones_))
        return error;
  }
  return statementsOf(problem, base.rows, product, machine).moveInto(step_);
}

// Returns true if the plan's kernels run the statements.
static bool isWhole(const Fusion &fusion, const FusedBase &base) {
  return fusion.hasProduct() && base.rows > 0 &&
         findFormat(base.plan.format)->fusesFor(base.plan, base.problem) != Fuses::nothing;
}

static bool computesX(const Fusion &fusion, const FusedBase &base, const PriceOfX &price) {
  return fusion.hasExpression() &&
         !(isWhole(fusion, base) && findFormat(base.plan.format)->fuses == Fuses::rowsAndX &&
           price.inKernelUs <= price.asVectorUs);
}

llvm::Expected<std::unique_ptr<FusedProduct>>
FusedProduct::make(Fusion fusion, const FusedBase &base, const GpuProduct &product,
                   const PriceOfX &price, Machine &machine) {
  std::unique_ptr<FusedProduct> out(new FusedProduct(std::move(fusion)));
  const bool hasVectorX = computesX(out->fusion_, base, price);
  out->fusionOfRows_ = fusionOfKernel(out->fusion_, hasVectorX);
  if (llvm::Error error = inTurn(
          [&] { return hasVectorX ? out->makeX(base, product, machine) : llvm::Error::success(); },
          [&] {
            return isWhole(out->fusion_, base) ? out->makeWhole(base, product, machine)
                                               : out->makeParts(base, product, machine);
          }))
    return error;
  return out;
}

llvm::Error FusedProduct::runX(const StepOperands &operands, StreamHandle stream) const {
  StepOperands own = operands;
  for (size_t k = 0; k + 1 < fusionOfX_->vectors.size(); ++k)
    own.vectors[k] = operands.vectors[static_cast<size_t>(
        llvm::find(fusion_.vectors, fusionOfX_->vectors[k]) - fusion_.vectors.begin())];
  own.vectors[fusionOfX_->vectors.size() - 1] = x_.pointer();
  return stepOfX_->run(own, 0, stream);
}

llvm::Error FusedProduct::multiply(DevicePointer x, StreamHandle stream) const {
  Scalars scalars{.alpha = 1, .beta = 0};
  if (ones_.pointer()) {
    scalars.alphaAt = ones_.pointer();
    scalars.betaAt = ones_.pointer() + sizeof(uint64_t);
  }
  return product_->run(scalars, x, ax_.pointer(), stream);
}

llvm::Error FusedProduct::run(const StepOperands &operands, StreamHandle stream) const {
  const int multiplied = fusion_.multiplied();
  const DevicePointer x = stepOfX_          ? x_.pointer()
                          : multiplied >= 0 ? operands.vectors[static_cast<size_t>(multiplied)]
                                            : 0;
  return inTurn([&] { return stepOfX_ ? runX(operands, stream) : llvm::Error::success(); },
                [&] { return product_ ? multiply(x, stream) : llvm::Error::success(); },
                [&] { return step_->run(operands, product_ ? ax_.pointer() : x, stream); });
}

llvm::Error compileFused(const Fusion &fusion, const Plan &plan, const Problem &problem,
                         Machine &machine) {
  const Format &format = *findFormat(plan.format);
  const Fuses fuses = format.fusesFor(plan, problem);
  const bool isWhole = fusion.hasProduct() && fuses != Fuses::nothing;
  const bool hasVectorX = fusion.hasExpression() && fuses != Fuses::rowsAndX;
  const Fusion ofX = specmv::stepOfX(fusion);
  const auto ofRows = fusionOfKernel(fusion, hasVectorX);
  const Problem rows = stepProblemOf(*ofRows, problem);
  return inTurn(
      [&] {
        return hasVectorX ? objectOf(stepSource(stepProblemOf(ofX, problem)), machine).takeError()
                          : llvm::Error::success();
      },
      [&] {
        return objectOf(isWhole ? format.sourceFor(plan, rows) : stepSource(rows), machine)
            .takeError();
      });
}

} // namespace specmv
