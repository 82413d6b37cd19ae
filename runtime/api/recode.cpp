// Codes new values on the GPU if they are there, else on the host, and tells the plan's products.
#include "runtime/api/recode.h"

#include "generator/coding/encode.h"
#include "generator/setup/value_facts.h"
#include "models/base/in_turn.h"
#include "models/base/parallel.h"
#include "runtime/api/fused.h"
#include "runtime/cuda/graph.h"
#include "runtime/cuda/memory_place.h"
#include "runtime/kernels/setup_kernels.h"

namespace specmv {

bool isCoded(const PlanProducts &products) {
  return products.base && codingOf(products.base->plan).whyNot;
}

// No plan whose entries keep their order has diagonals, so that these need not be compared.
constexpr int64_t kNoDiagonals = kMostComparedDiagonals + 1;

namespace {
// What the new values are stored as: why they do not fit the coding, or their codes.
struct Recoded {
  std::string whyNot = {};
  Layout layout = {}; // of the values alone
  std::vector<std::pair<std::string, DeviceBuffer>> onGpu =
      {}; // its arrays, if it is not on the host
};

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

static Recoded recodedOnHost(const NewValues &values, const void *val) {
  CsrView view;
  view.nnz = values.nnz;
  view.valueType = values.type;
  view.val = val;
  const ValueFacts facts = valueFacts(view, kNoDiagonals);
  Recoded out{.whyNot = codingOf(values.plan).whyNot(facts)};
  if (!out.whyNot.empty())
    return out;
  out.layout = values.alone(true);
  storeValues(out.layout, view);
  storeCoded(out.layout, values.plan, facts);
  return out;
}

static llvm::Expected<Recoded> recodedIn(GpuWorkspace &w, const NewValues &values) {
  auto facts = valueFactsOn(w, kNoDiagonals);
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

// Values on a GPU are read there. If kernels for that are not available, and for values on the
// host, the host does it.
static llvm::Expected<Recoded> recodedWhere(const NewValues &values, const void *val,
                                            StreamHandle stream, Machine &machine) {
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

// Puts the arrays in the place of those that the products read, in the order of the stream.
static llvm::Error storeArrays(const GpuProduct &product, Recoded &coded, StreamHandle stream) {
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
  }
  for (auto &[name, buffer] : coded.onGpu)
    buffer.freeOn(stream);
  return coded.layout.isOnHost ? gpu.synchronize(stream) : llvm::Error::success();
}

namespace {
// What of the plan has the numbers of its values.
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
  PlanProducts &own = plan.own;
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
  Numbered form = withNumbers(plan.own, coded.layout.integers);
  if (llvm::Error error = storeArrays(*plan.own.gpu, coded, stream))
    return error;
  storeNumbers(plan, std::move(form), coded.layout.integers);
  return llvm::Error::success();
}

static llvm::Error store(ApiPlan &plan, Recoded coded, const void *val, StreamHandle stream,
                         Machine &machine) {
  if (coded.whyNot.empty())
    return storeCodes(plan, std::move(coded), stream);
  const std::string before = plan.own.text;
  if (llvm::Error error = becomePlain(plan, val, stream, machine)) {
    auto [status, sentence] = describe(std::move(error));
    return failWith(status, sentence + "; the plan '" + before +
                                "' keeps its values, since the new ones do not fit their coding "
                                "and need kernels for plain ones");
  }
  plan.context->log(SPECMV_LOG_INFO, "new values do not fit the coding of the plan '" + before +
                                         "', which stores them as they are from now on");
  return llvm::Error::success();
}

llvm::Error recode(ApiPlan &plan, const void *val, StreamHandle stream) {
  PlanProducts &own = plan.own;
  if (plan.nnz == 0)
    return llvm::Error::success();
  if (isCaptured(own.gpu->gpu(), stream))
    return fail(Status::badCall,
                "the plan '{0}' must look at new values before it stores them, which it cannot "
                "while the stream is being captured; update it outside of the capture, or make it "
                "with the option updatable or plainValues",
                own.text);
  const ThreadLimit limit(plan.context->threads());
  auto machine = Machine::find(own.facts->where);
  if (!machine)
    return machine.takeError();
  auto coded = recodedWhere(newValuesOf(own, plan.nnz), val, stream, *machine);
  if (!coded)
    return coded.takeError();
  llvm::Error error = store(plan, std::move(*coded), val, stream, *machine);
  for (const std::string &warning : machine->cache.takeWarnings())
    plan.context->log(SPECMV_LOG_WARNING, warning);
  return error;
}

llvm::Error recodeOnHost(PlanProducts &own, const void *val) {
  const CsrView &view = own.host->view;
  CsrView given = view;
  given.val = val;
  if (view.nnz == 0 || codingOf(own.base->plan).whyNot(valueFacts(given, kNoDiagonals)).empty())
    return llvm::Error::success();
  auto base = std::make_shared<FusedBase>(*own.base);
  base->layout = withPlainValues(std::move(base->layout), base->plan, view.valueType, view.nnz);
  base->plan.values.clear();
  own.formerText = base->plan.text();
  own.text.swap(own.formerText);
  own.base = std::move(base);
  return llvm::Error::success();
}

} // namespace specmv
