// Gives new values to products whose values have a coding: coded, packed again, or plain.
#include "runtime/api/recode.h"

#include "generator/coding/coding.h"
#include "generator/coding/encode.h"
#include "generator/setup/profile.h"
#include "models/base/error.h"
#include "models/profile/value_facts.h"
#include "runtime/api/fused.h"
#include "runtime/api/kept_order.h"
#include "runtime/cuda/memory_pool.h"
#include "runtime/cuda/streams.h"
#include "runtime/kernels/objects.h"
#include "runtime/plan/session.h"

#include "llvm/ADT/ScopeExit.h"

namespace specmv {

// --- Recode --------------------------------------------------------------------------------------

// Gives new values to the products of a plan whose values have a coding.

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

// --- Code in order -------------------------------------------------------------------------------

// Codes new values of plans whose entries keep their order, so that neither their slots nor the
// structure of the matrix is needed.

namespace {
// The values of a plan, in the order of the matrix.
struct NewValues {
  const Plan &plan;
  const std::string &valueArray;
  int64_t rows, cols, nnz;
  ValueType type;

  size_t bytes() const { return static_cast<size_t>(nnz) * sizeOf(type); }
  Layout alone(bool isOnHost) const { return valuesAlone(plan, valueArray, type, nnz, isOnHost); }
};
} // namespace

static NewValues newValuesOf(const PlanProducts &own, int64_t nnz) {
  const FusedBase &base = *own.base;
  return {base.plan, base.layout.valueArray, base.rows, base.cols, nnz, base.problem.type};
}

static llvm::Expected<Recoded> recodedOnHost(const NewValues &values, const void *val) {
  CsrView view;
  view.nnz = values.nnz;
  view.valueType = values.type;
  view.val = val;
  const ValueFacts facts = valueFacts(view, diagonalsFor(codingOf(values.plan)));
  Recoded out{.whyNot = codingOf(values.plan).whyNot(facts)};
  if (!out.whyNot.empty())
    return out;
  out.layout = values.alone(true);
  storeValues(out.layout, view);
  if (llvm::Error error = storeCoded(out.layout, values.plan, facts))
    return error;
  return out;
}

static llvm::Expected<Recoded> recodedIn(GpuWorkspace &w, const NewValues &values) {
  auto facts = valueFactsOn(w, diagonalsFor(codingOf(values.plan)));
  if (!facts)
    return facts.takeError();
  Recoded out{.whyNot = codingOf(values.plan).whyNot(*facts)};
  if (!out.whyNot.empty())
    return out;
  out.layout = values.alone(false);
  if (llvm::Error error = inTurn([&] { return w.lend(kCsrVal, values.valueArray); },
                                 [&] { return storeCodedOn(w, out.layout, values.plan, *facts); }))
    return error;
  for (const LayoutArray &array : out.layout.arrays)
    out.onGpu.emplace_back(array.name, w.take(array.name));
  return out;
}

// Returns nullopt if the kernels are not available.
static llvm::Expected<std::optional<Recoded>>
recodedOnGpu(const NewValues &values, DevicePointer val, StreamHandle stream, Machine &machine) {
  const DeviceCsr csr{{values.rows, values.cols, values.nnz}, IndexType::i32, values.type};
  GpuWorkspace workspace(machine.gpu, csr, {0, 0, val}, setupKernelLoader(machine), stream);
  auto made = recodedIn(workspace, values);
  if (made)
    return std::optional(std::move(*made));
  if (!workspace.lacksKernels())
    return made.takeError();
  llvm::consumeError(made.takeError());
  return std::nullopt;
}

// If kernels are not available for values on a GPU, the host codes them.
llvm::Expected<Recoded> recodedInOrder(const PlanProducts &own, int64_t nnz, const void *val,
                                       StreamHandle stream, Machine &machine) {
  const NewValues values = newValuesOf(own, nnz);
  const MemoryPlace place = placeOf(val);
  if (!place.isOnGpu)
    return recodedOnHost(values, val);
  if (llvm::Error error = wantOnSameGpu(*machine.gpu, place, "val"))
    return error;
  const auto at = reinterpret_cast<DevicePointer>(val);
  auto made = recodedOnGpu(values, at, stream, machine);
  if (!made || *made)
    return made ? llvm::Expected<Recoded>(std::move(**made)) : made.takeError();
  ZeroedArray<std::byte> copy(values.bytes());
  if (llvm::Error error =
          inTurn([&] { return machine.gpu->download(copy.data(), at, copy.size(), stream); },
                 [&] { return machine.gpu->synchronize(stream); }))
    return error;
  return recodedOnHost(values, copy.data());
}

llvm::Expected<PlainValues> plainInOrder(const PlanProducts &own, int64_t nnz, const void *val,
                                         StreamHandle stream, const Machine &machine) {
  const FusedBase &base = *own.base;
  const GpuDevice &gpu = *machine.gpu;
  PlainValues out{withPlainValues(base.layout, base.plan, base.problem.type, nnz), {}};
  const size_t bytes = newValuesOf(own, nnz).bytes();
  if (!isDevicePointer(val)) {
    if (llvm::Error error = gpu.uploaded(val, bytes).moveInto(out.array))
      return error;
    return out;
  }
  if (llvm::Error error = inTurn([&] { return gpu.allocate(bytes).moveInto(out.array); },
                                 [&] {
                                   return gpu.copy(out.array.pointer(),
                                                   reinterpret_cast<DevicePointer>(val), bytes,
                                                   stream);
                                 }))
    return error;
  return out;
}

// --- Pack again ----------------------------------------------------------------------------------

// Packs new values with the arrays of a matrix that the caller lends. The other arrays of the
// layout come out as they were, and are dropped.

llvm::Expected<MatrixAnew> withValues(const SourceMatrix &lent, const void *val, Machine &machine) {
  CsrView view = lent.given();
  view.val = val;
  const size_t bytes = static_cast<size_t>(view.nnz) * sizeOf(view.valueType);
  const MemoryPlace place = placeOf(val);
  if (llvm::Error error = wantOnSameGpu(*machine.gpu, place, "val"))
    return error;
  MatrixAnew out{{}, {}, SourceMatrix(view)};
  if (place.isOnGpu && !lent.isOnGpu()) {
    out.onHost = ZeroedArray<std::byte>(bytes);
    if (llvm::Error error = inTurn(
            [&] {
              return machine.gpu->download(out.onHost.data(), reinterpret_cast<DevicePointer>(val),
                                           bytes, machine.setupStream);
            },
            [&] { return machine.gpu->synchronize(machine.setupStream); }))
      return error;
    view.val = out.onHost.data();
  } else if (!place.isOnGpu && lent.isOnGpu()) {
    if (llvm::Error error = machine.gpu->uploaded(val, bytes).moveInto(out.onGpu))
      return error;
    view.val = reinterpret_cast<const void *>(out.onGpu.pointer());
  }
  out.matrix = lent.isOnGpu() ? SourceMatrix(view, machine.gpu) : SourceMatrix(view);
  return out;
}

static Request requestOf(const FusedBase &base) {
  Request request;
  request.problem = base.problem;
  return request;
}

// The plan's other arrays stay, and only those of the same structure go with them. A table of
// blocks may be smaller.
static llvm::Error checkSizes(const Layout &packed, const Layout &kept, const Plan &plan) {
  const Coding &coding = codingOf(plan);
  for (const LayoutArray &array : packed.arrays) {
    const LayoutArray *before = kept.find(array.name);
    if (before && coding.mostBlocks > 0 && array.name == coding.table) {
      if (array.size() > before->size())
        return fail(Status::notApplicable,
                    "the plan's table of different blocks has {0} bytes, but the new values need "
                    "{1}",
                    before->size(), array.size());
    } else if (before && before->size() != array.size())
      return fail(
          Status::badCall,
          "the plan's array '{0}' has {1} bytes, but the matrix now needs {2}: its rowPtr or "
          "col have changed, which csrOutlivesPlan promised not to happen; make a new plan",
          array.name, before->size(), array.size());
  }
  return llvm::Error::success();
}

static llvm::Expected<Layout> packedIn(Session &session, const Plan &plan,
                                       const PlanProducts &own) {
  const Problem &problem = session.request.problem;
  auto order = keptOrder(plan, *own.gpu, own.base->rows);
  if (!order)
    return order.takeError();
  const auto onGpu = [&](Workspace &w) {
    return findFormat(plan.format)->layoutOn(w, plan, problem, {.order = pointerTo(*order)});
  };
  auto packed = session.elseOnHost<Layout>(session.onGpu(onGpu), [&](const CsrView &a) {
    return pack(a, plan, problem, pointerTo(*order));
  });
  if (packed)
    if (llvm::Error error = checkSizes(*packed, own.base->layout, plan))
      return error;
  return packed;
}

// Takes the arrays and numbers of values from a layout that was packed.
static Recoded takenValues(Layout packed, const Plan &plan, Session &session) {
  Recoded out;
  out.layout.isOnHost = packed.isOnHost;
  for (const Field &field :
       codingOf(plan).fields(plan, elementOf(session.request.problem.type), 0)) {
    const std::string name = field.argument.layoutName();
    if (LayoutArray *array = packed.find(name)) {
      out.layout.arrays.push_back(std::move(*array));
      if (!packed.isOnHost)
        out.onGpu.emplace_back(name, session.take(name));
    } else {
      out.layout.integers.emplace_back(name, packed.integer(name));
    }
  }
  return out;
}

llvm::Expected<Recoded> recodedByPacking(const PlanProducts &own, const SourceMatrix &a,
                                         Machine &machine) {
  const Plan &plan = own.base->plan;
  Session session(a, requestOf(*own.base), machine);
  auto layout = packedIn(session, plan, own);
  if (!layout) {
    auto [status, sentence] = describe(layout.takeError());
    return status == Status::notApplicable ? llvm::Expected<Recoded>(Recoded{.whyNot = sentence})
                                           : failWith(status, sentence);
  }
  Recoded out = takenValues(std::move(*layout), plan, session);
  if (llvm::Error error = session.finish())
    return error;
  return out;
}

llvm::Expected<PlainValues> plainByPacking(const PlanProducts &own, const SourceMatrix &a,
                                           Machine &machine) {
  Plan plan = own.base->plan;
  plan.values.clear();
  Session session(a, requestOf(*own.base), machine);
  auto layout = packedIn(session, plan, own);
  if (!layout)
    return layout.takeError();
  PlainValues out{std::move(*layout), {}};
  if (out.layout.isOnHost) {
    const LayoutArray &val = *out.layout.find(out.layout.valueArray);
    if (llvm::Error error =
            machine.gpu->uploaded(val.bytes.data(), val.bytes.size()).moveInto(out.array))
      return error;
  } else {
    out.array = session.take(out.layout.valueArray);
  }
  if (llvm::Error error = session.finish())
    return error;
  return out;
}

// --- Become plain --------------------------------------------------------------------------------

// Makes a plan with coded values one with plain values. All parts of the new form are made beside
// the old one and then take its place at once, so that a failure leaves the plan as it was.

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
