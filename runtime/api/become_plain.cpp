// Makes a plan with coded values one with plain values. All parts of the new form are made beside
// the old one and then take its place at once, so that a failure leaves the plan as it was.
#include "runtime/api/fused.h"
#include "runtime/api/recode.h"

#include "llvm/ADT/ScopeExit.h"

namespace specmv {

namespace {
// The new form but for its arrays, which the plan's product has.
struct PlainForm {
  Built built; // without a product
  GpuModule module;
  ProductRecipe recipe;
  std::shared_ptr<const ProductRecipe> perStream; // as PlanProducts::recipe
  std::shared_ptr<const FusedBase> base;
  std::shared_ptr<const PlanFacts> facts;
  std::string text;
  std::unique_ptr<Specialization> specialization = {};
  std::optional<ValueUpdate> update = {}; // if it changes
  std::vector<GpuProduct> ofStreams = {};
  std::vector<std::unique_ptr<FusedProduct>> steps = {}; // null where the plan's step has none
};
} // namespace

static std::shared_ptr<const PlanFacts> factsOfForm(const PlanFacts &before, const Built &built) {
  auto out = std::make_shared<PlanFacts>(before);
  addBuilt(*out, built);
  return out;
}

// Finds or compiles the kernels of the plan's products.
static llvm::Expected<PlainForm> formOf(const PlanProducts &own, Layout layout, Machine &machine) {
  const FusedBase &coded = *own.base;
  PlainForm out;
  Built &built = out.built;
  built.plan = coded.plan;
  built.plan.values.clear();
  built.problem = coded.problem;
  built.layout = std::move(layout);
  if (llvm::Error error = loadKernels(built, machine).moveInto(out.module))
    return error;
  out.recipe =
      recipeOnSameMemory(built.layout, built.steps, built.several, built.problem, coded.cols);
  if (own.recipe)
    out.perStream = recipeOf(built.layout, built.steps, built.several, built.problem, coded.cols);
  out.base = std::make_shared<const FusedBase>(
      fusedBaseOf(built.plan, built.problem, built.layout, coded.rows, coded.cols));
  out.facts = factsOfForm(*own.facts, built);
  out.text = built.plan.text();
  // General kernels are replaced if the first ones were (setup_task.cpp).
  if (built.isGeneral && own.specialization)
    out.specialization = std::make_unique<Specialization>(built, coded.cols, machine);
  return out;
}

static llvm::Error addStreams(PlainForm &form, ApiPlan &plan) {
  if (!plan.streams || !form.perStream)
    return llvm::Error::success();
  return plan.streams->remade(*plan.now.gpu, form.module, *form.perStream).moveInto(form.ofStreams);
}

static llvm::Error addSteps(PlainForm &form, ApiPlan &plan, Machine &machine) {
  for (ApiFused *step : plan.fusedSteps) {
    auto &made = form.steps.emplace_back();
    step->former.reserve(step->former.size() + 1);
    if (step->product)
      if (llvm::Error error =
              fusedProductOf(step->fusion, *form.base, *form.facts, *plan.now.gpu, machine)
                  .moveInto(made))
        return error;
  }
  return llvm::Error::success();
}

// Takes the layout of what was built.
static llvm::Error addUpdate(PlainForm &form, const GpuProduct &product, const SourceMatrix *matrix,
                             Machine &machine) {
  return matrix ? ValueUpdate::make(*matrix, form.built, nullptr, product, machine)
                      .moveInto(form.update)
                : llvm::Error::success();
}

// The product uses the new kernels already.
static void take(ApiPlan &plan, PlainForm form) noexcept {
  PlanProducts &own = plan.now;
  own.text = std::move(form.text);
  own.base = std::move(form.base);
  own.facts = std::move(form.facts);
  own.recipe = form.perStream;
  own.specialization = std::move(form.specialization);
  if (form.update)
    own.update = std::move(form.update);
  own.pattern.reset();
  if (plan.streams)
    plan.streams->replace(std::move(form.ofStreams), std::move(form.perStream));
  for (size_t i = 0; i < form.steps.size(); ++i)
    if (form.steps[i])
      plan.fusedSteps[i]->former.push_back(
          std::exchange(plan.fusedSteps[i]->product, std::move(form.steps[i])));
}

llvm::Error becomePlain(ApiPlan &plan, PlainValues values, const SourceMatrix *matrix,
                        StreamHandle stream, Machine &machine) {
  GpuProduct &product = *plan.now.gpu;
  const std::string name = values.layout.valueArray;
  product.addArray(name, std::move(values.array));
  auto undo = llvm::make_scope_exit([&] { product.takeArray(name).freeOn(stream); });
  auto form = formOf(plan.now, std::move(values.layout), machine);
  if (!form)
    return form.takeError();
  if (llvm::Error error = inTurn([&] { return addStreams(*form, plan); },
                                 [&] { return addSteps(*form, plan, machine); },
                                 [&] { return addUpdate(*form, product, matrix, machine); },
                                 [&] { return product.useKernels(form->module, form->recipe); }))
    return error;
  undo.release();
  take(plan, std::move(*form));
  return llvm::Error::success();
}

} // namespace specmv
