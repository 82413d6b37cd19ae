// Codes new values of plans whose entries keep their order, so that neither their slots nor the
// structure of the matrix is needed.
#include "runtime/api/recoded.h"

#include "generator/coding/encode.h"
#include "generator/setup/value_facts.h"
#include "models/base/in_turn.h"
#include "runtime/cuda/memory_place.h"
#include "runtime/kernels/setup_kernels.h"

namespace specmv {

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

} // namespace specmv
