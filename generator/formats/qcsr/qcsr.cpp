// QCSR on the host (Zhang et al. 2013): its source and launches. plans.cpp says what is offered,
// layout.cpp packs the paper's layout, slices/ is ours.
#include "generator/formats/qcsr/qcsr.h"

#include "generator/emit.h"
#include "generator/formats.h"
#include "models/base/error.h"

namespace specmv {

ElementType qcsrLocalType(int64_t d) {
  return d <= 256 ? ElementType::u8 : d <= 65536 ? ElementType::u16 : ElementType::i32;
}

ElementType qcsrSliceLocalType(int64_t d) { return qcsrLocalType(d + 1); }

ElementType qcsrRowType(int64_t rows) { return rows <= 256 ? ElementType::u8 : ElementType::u16; }

ElementType qcsrRowWordType(int64_t rows) {
  return rows == 32 ? ElementType::u8 : rows == 64 ? ElementType::u16 : ElementType::i32;
}

int64_t qcsrColumnBound(const Plan &plan, int64_t cols) {
  const int64_t words = (cols / plan.get("qcsr.d") + 1) << kQcsrTileBit;
  return qcsrHasSlices(plan) ? std::max(cols, words) : cols;
}

int64_t qcsrWindowBytes(const Plan &plan, ValueType type) {
  const int64_t window = plan.get("window");
  return window > 0 ? (window + 1) * static_cast<int64_t>(sizeOf(type)) : 0; // a 0 for padding
}

int64_t qcsrSharedBytes(const Plan &plan, ValueType type) {
  const int64_t sums = qcsrChunksPerBlock(plan) * plan.get("qcsr.rows");
  const int64_t tile = qcsrStages(plan) && !qcsrHasSlices(plan) ? plan.get("qcsr.d") : 0;
  return (sums + tile) * static_cast<int64_t>(sizeOf(type)) + qcsrWindowBytes(plan, type);
}

llvm::Error checkQcsrShared(const Plan &plan, ValueType type) {
  const int64_t window = qcsrWindowBytes(plan, type);
  const int64_t fixed = qcsrSharedBytes(plan, type) - window;
  if (fixed > kQcsrSharedBytes || fixed + window > kQcsrMostDynamicBytes)
    return fail(Status::notApplicable, "plan needs {0} bytes of shared memory, more than {1}",
                fixed + window,
                fixed > kQcsrSharedBytes ? kQcsrSharedBytes : kQcsrMostDynamicBytes);
  return llvm::Error::success();
}

using Arguments = std::vector<Argument>;

// What all kernels of the format end with.
static Arguments withCommon(Arguments first, const Plan &plan, const Problem &problem) {
  const ElementType value = elementOf(problem.type);
  const auto [offset, column] = indexTypesOf(plan);
  if (qcsrStages(plan))
    first.insert(first.end(),
                 {{"tileFirst", Binding::array, column}, {"tileEnd", Binding::array, column}});
  first.insert(first.end(), {{"x", Binding::x, value},
                             {"y", Binding::y, value},
                             {"alpha", Binding::alpha, value},
                             {"beta", Binding::beta, value},
                             {"rows", Binding::integer, offset}});
  return first;
}

static Kernel paperKernel(const Plan &plan, const Problem &problem) {
  const ElementType value = elementOf(problem.type), local = qcsrLocalType(plan.get("qcsr.d"));
  const auto [offset, column] = indexTypesOf(plan);
  return {.name = kKernelName,
          .function = "qcsr",
          .plan = kPlanName,
          .args = "QcsrArgs",
          .types = {value, offset, column, local},
          .blockThreads = plan.get("block"),
          .arguments = withCommon({{"chunkTiles", Binding::array, offset},
                                   {"tileColumn", Binding::array, column},
                                   {"tileSegments", Binding::array, offset},
                                   {"tileFull", Binding::array, offset},
                                   {"segmentRow", Binding::array, ElementType::u16},
                                   {"segmentStart", Binding::array, offset},
                                   {"segmentLength", Binding::array, ElementType::i32},
                                   {"local", Binding::array, local},
                                   {"val", Binding::array, value},
                                   {"fullBits", Binding::array, ElementType::u8},
                                   {"fullBegin", Binding::integer, offset}},
                                  plan, problem)};
}

static Kernel slicesKernel(const Plan &plan, const Problem &problem) {
  const ElementType value = elementOf(problem.type), local = qcsrSliceLocalType(plan.get("qcsr.d"));
  const int64_t rows = plan.get("qcsr.rows");
  const ElementType word = qcsrRowWordType(rows);
  const auto [offset, column] = indexTypesOf(plan);
  Arguments own = {{"streamBatch", Binding::array, offset}, {"streamLine", Binding::array, offset},
                   {"streamRows", Binding::array, offset},  {"batch", Binding::array, column},
                   {"sliceRows", Binding::array, word},     {"local", Binding::array, local},
                   {"val", Binding::array, value}};
  if (qcsrStages(plan))
    own.push_back({"chunkTiles", Binding::array, offset});
  // Where x is staged, 1,024 threads an SM shall have room: so must the registers, which do not
  // suffice for 64-bit indices.
  const bool isFull = qcsrStages(plan) && offset == ElementType::i32 && column == ElementType::i32;
  return {.name = kKernelName,
          .function = "qcsrSlices",
          .plan = kPlanName,
          .args = "QcsrSlicesArgs",
          .types = {value, offset, column, local, qcsrRowType(rows), word},
          .blockThreads = plan.get("block"),
          .arguments = withCommon(std::move(own), plan, problem),
          .blocksPerSm = isFull ? kQcsrThreadsPerSm / plan.get("block") : 0,
          .sharedBytes = qcsrStages(plan) ? qcsrWindowBytes(plan, problem.type) : 0};
}

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  return qcsrHasSlices(plan) ? slicesKernel(plan, problem) : paperKernel(plan, problem);
}

static PlanConstant constantOf(const Plan &plan, const Problem &problem) {
  PlanConstant constant{kPlanName,
                        qcsrHasSlices(plan) ? "QcsrSlicesPlan" : "QcsrPlan",
                        {{"blockThreads", plan.get("block")},
                         {"d", plan.get("qcsr.d")},
                         {"rows", plan.get("qcsr.rows")}}};
  if (qcsrHasSlices(plan))
    constant.fields.insert(
        constant.fields.end(),
        {{"batch", kQcsrBatch}, {"stage", plan.get("qcsr.stage")}, {"window", plan.get("window")}});
  else
    constant.fields.insert(constant.fields.end(), {{"lanes", plan.get("qcsr.lanes")},
                                                   {"align", plan.get("qcsr.align")},
                                                   {"fullLeaves", plan.get("full")},
                                                   {"stage", plan.get("qcsr.stage")}});
  constant.fields.emplace_back("readsY", problem.betaCanBeNonZero);
  return constant;
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  return emit(plan, problem, {qcsrHasSlices(plan) ? "qcsr_slices.cuh" : "qcsr.cuh"},
              {constantOf(plan, problem)}, {kernelOf(plan, problem)});
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  const int64_t blocks = layout.integer("blocks");
  return blocks == 0 ? Steps{} : Steps{launchOf(kernelOf(plan, problem), blocks)};
}

static llvm::Expected<Layout> layout(const CsrView &a, const Plan &plan, const Problem &problem) {
  if (qcsrZeroCopy(plan) && a.nnz > kQcsrZeroCopyBytes) // before anything is packed
    return fail(Status::notApplicable,
                "plan keeps up to {0} bytes on the host, the matrix has {1} entries",
                kQcsrZeroCopyBytes, a.nnz);
  auto out =
      qcsrHasSlices(plan) ? qcsrSlicesLayout(a, plan, problem) : qcsrLayout(a, plan, problem);
  if (!out)
    return out;
  out->zeroCopy = qcsrZeroCopy(plan);
  if (out->zeroCopy && out->storedBytes() > kQcsrZeroCopyBytes)
    return fail(Status::notApplicable,
                "plan keeps up to {0} bytes on the host, the matrix takes {1}", kQcsrZeroCopyBytes,
                out->storedBytes());
  return out;
}

static constexpr FormatParameter kParameters[] = {{"qcsr.d"},      {"qcsr.fill", /*isReal=*/true},
                                                  {"qcsr.lanes"},  {"qcsr.align"},
                                                  {"qcsr.slices"}, {"qcsr.stage"},
                                                  {"qcsr.rows"},   {"qcsr.zerocopy"}};
const Format kQcsr{"qcsr", kParameters, qcsrPlans, layout, source, steps};

} // namespace specmv
