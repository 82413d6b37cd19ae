// Gives new values to the products of a plan whose values have a coding.
#include "runtime/api/recode.h"

#include "generator/coding/encode.h"
#include "models/base/in_turn.h"
#include "models/profile/value_facts.h"
#include "runtime/api/fused.h"
#include "runtime/api/recoded.h"
#include "runtime/cuda/graph.h"

namespace specmv {

bool isCoded(const PlanProducts &products) {
  return products.base && !codingOf(products.base->plan).survivesNewValues;
}

// Puts the arrays in the place of those that the products read, in the order of the stream.
// `isMixed` becomes true when the first one is there.
static llvm::Error copyArrays(const GpuProduct &product, const Recoded &coded, StreamHandle stream,
                              bool &isMixed) {
  const GpuDevice &gpu = product.gpu();
  for (const LayoutArray &array : coded.layout.arrays) {
    auto to = product.onDevice(array.name);
    if (!to)
      return to.takeError();
    const auto bytes = static_cast<size_t>(array.size());
    if (coded.layout.isOnHost)
      if (llvm::Error error = gpu.upload(*to, array.bytes.data(), bytes, stream))
        return error;
    for (const auto &[name, from] : coded.onGpu)
      if (name == array.name)
        if (llvm::Error error = gpu.copy(*to, from.pointer(), bytes, stream))
          return error;
    isMixed = true;
  }
  return llvm::Error::success();
}

// Even if a copy fails, the stream may still read what those before it copy.
static llvm::Error storeArrays(const GpuProduct &product, Recoded &coded, StreamHandle stream,
                               bool &isMixed) {
  llvm::Error error = copyArrays(product, coded, stream, isMixed);
  for (auto &[name, buffer] : coded.onGpu)
    buffer.freeOn(stream);
  return coded.layout.isOnHost
             ? llvm::joinErrors(std::move(error), product.gpu().synchronize(stream))
             : std::move(error);
}

namespace {
// These parts of a plan have the numbers of its values.
struct Numbered {
  std::shared_ptr<const FusedBase> base;
  std::shared_ptr<const ProductRecipe> recipe;
};
} // namespace

static Numbered withNumbers(const PlanProducts &own, const NamedNumbers &numbers) {
  auto base = std::make_shared<FusedBase>(*own.base);
  base->layout.setIntegers(numbers);
  auto recipe = own.recipe ? std::make_shared<ProductRecipe>(*own.recipe) : nullptr;
  if (recipe)
    recipe->layout.setIntegers(numbers);
  return {std::move(base), std::move(recipe)};
}

static void storeNumbers(ApiPlan &plan, Numbered form, const NamedNumbers &numbers) noexcept {
  PlanProducts &own = plan.now;
  own.base = std::move(form.base);
  own.recipe = form.recipe;
  own.gpu->setNumbers(numbers);
  if (own.specialization)
    own.specialization->setNumbers(numbers);
  if (plan.streams)
    plan.streams->setNumbers(numbers, std::move(form.recipe));
  for (ApiFused *step : plan.fusedSteps)
    if (step->product)
      step->product->setNumbers(numbers);
}

// Everything that needs memory is done before the first value changes.
static llvm::Error storeCodes(ApiPlan &plan, Recoded coded, StreamHandle stream) {
  Numbered form = withNumbers(plan.now, coded.layout.integers);
  if (llvm::Error error = storeArrays(*plan.now.gpu, coded, stream, plan.valuesAreMixed))
    return error;
  storeNumbers(plan, std::move(form), coded.layout.integers);
  return llvm::Error::success();
}

static llvm::Error storePlain(ApiPlan &plan, const void *val, const SourceMatrix *matrix,
                              StreamHandle stream, Machine &machine) {
  auto values = matrix ? plainByPacking(plan.now, *matrix, machine)
                       : plainInOrder(plan.now, plan.nnz, val, stream, machine);
  return andThen(std::move(values), [&](PlainValues made) {
    return becomePlain(plan, std::move(made), matrix, stream, machine);
  });
}

static void tellOfPlain(ContextState &context, const std::string &before) {
  context.log(SPECMV_LOG_INFO, "new values do not fit the coding of the plan '" + before +
                                   "', which stores them as they are from now on");
}

static llvm::Error store(ApiPlan &plan, Recoded coded, const void *val, const SourceMatrix *matrix,
                         StreamHandle stream, Machine &machine) {
  if (coded.whyNot.empty())
    return storeCodes(plan, std::move(coded), stream);
  const std::string before = plan.now.text;
  if (llvm::Error error = storePlain(plan, val, matrix, stream, machine)) {
    auto [status, sentence] = describe(std::move(error));
    return failWith(status, sentence + "; the new values do not fit the coding of the plan '" +
                                before + "' and could not be stored as they are, so it " +
                                (plan.valuesAreMixed ? "still has no whole values; call "
                                                       "specmvUpdateValues() again"
                                                     : "keeps its values"));
  }
  tellOfPlain(*plan.context, before);
  return llvm::Error::success();
}

llvm::Error recode(ApiPlan &plan, const void *val, StreamHandle stream) {
  PlanProducts &own = plan.now;
  if (plan.nnz == 0)
    return llvm::Error::success();
  if (isCaptured(own.gpu->gpu(), stream))
    return fail(Status::badCall,
                "the plan '{0}' must look at new values before it stores them, which it cannot "
                "while the stream is being captured; update it outside of the capture, or make it "
                "with the option updatable or plainValues",
                own.text);
  auto machine = Machine::find(own.facts->where);
  if (!machine)
    return machine.takeError();
  machine->setupStream = stream;
  std::optional<MatrixAnew> whole;
  if (own.pattern)
    if (llvm::Error error = withValues(*own.pattern, val, *machine).moveInto(whole))
      return error;
  const SourceMatrix *matrix = whole ? &whole->matrix : nullptr;
  auto coded = matrix ? recodedByPacking(own, *matrix, *machine)
                      : recodedInOrder(own, plan.nnz, val, stream, *machine);
  if (!coded)
    return coded.takeError();
  llvm::Error error = store(plan, std::move(*coded), val, matrix, stream, *machine);
  for (const std::string &warning : machine->cache.takeWarnings())
    plan.context->log(SPECMV_LOG_WARNING, warning);
  return error;
}

// Which blocks are equal, and which diagonals the plan's order has, only packing finds out.
static bool stillFits(const FusedBase &base, const CsrView &given) {
  if (given.nnz == 0)
    return true;
  const Coding &coding = codingOf(base.plan);
  const bool factsTell = coding.fits && !needsFactsInOrder(coding, base.plan.order);
  return factsTell ? coding.fits(valueFacts(given, diagonalsFor(coding)))
                   : !llvm::errorToBool(pack(given, base.plan, base.problem).takeError());
}

void recodeOnHost(PlanProducts &own, const void *val, ContextState &context) {
  const CsrView &view = own.host->view;
  CsrView given = view;
  given.val = val;
  if (stillFits(*own.base, given))
    return;
  auto base = std::make_shared<FusedBase>(*own.base);
  base->layout = withPlainValues(std::move(base->layout), base->plan, view.valueType, view.nnz);
  base->plan.values.clear();
  const std::string before = std::exchange(own.text, base->plan.text());
  own.base = std::move(base);
  tellOfPlain(context, before);
}

} // namespace specmv
