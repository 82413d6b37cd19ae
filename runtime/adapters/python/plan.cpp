// Makes plans, gives them new values and asks for their facts.
#include "runtime/adapters/python/plan.h"

#include "runtime/adapters/python/options.h"
#include "runtime/adapters/python/streams.h"

namespace specmv_python {

template <typename Call> void Plan::alone(Call call) {
  turns_.renewInChild();
  callWithoutGil([&] {
    const GpuCall counted(isOnGpu_);
    const auto turn = turns_.alone();
    return call();
  });
}

Plan::Plan(const Matrix &matrix, Context *context, Plan *structureOf, const nb::dict &given,
           nb::object keep)
    : kept_(std::move(keep)) {
  Options options(given);
  options.values.context = handleOf(context);
  if (structureOf)
    options.values.structureOf = structureOf->handle_;
  device_ = options.values.device;
  scalarsOnGpu_ = options.values.scalarsOnGpu;
  vectorsOnGpu_ = options.values.vectorsOnGpu;
  manyStreams_ = options.values.scratchPerStream;
  matrix.synchronize();
  const auto create = [&] {
    const GpuCall counted(options.values.target != SPECMV_TARGET_HOST);
    return specmvCreatePlan(&handle_, matrix.handle(), &options.values);
  };
  if (structureOf)
    structureOf->alone(create);
  else
    callWithoutGil(create);
  specmvTarget_t target = SPECMV_TARGET_HOST;
  (void)specmvGetPlanTarget(handle_, &target);
  (void)specmvGetPlanShape(handle_, &shape_);
  isOnGpu_ = target == SPECMV_TARGET_GPU;
}

// Waits for products that run, and for a set-up, whose messages need the GIL.
Plan::~Plan() {
  const WithoutGil released;
  const GpuCall counted(isOnGpu_);
  (void)specmvDestroyPlan(handle_);
}

void Plan::checkValues(const Array &values) const {
  const char *type = shape_.dataType == SPECMV_R_64F ? "float64" : "float32";
  if (values.type != type)
    refuseType(typeText(values, "values") + "; the matrix has " + type);
  if (values.size() != shape_.nnz)
    refuse("values has " + std::to_string(values.size()) + " elements; the matrix has " +
           std::to_string(shape_.nnz));
  checkContiguous(values, "values");
  checkPlace(values, "values");
}

void Plan::take(const Array &values, void *stream) {
  alone([&] { return specmvUpdateValues(handle_, values.data, stream); });
  newest_ = values;
}

nb::tuple Plan::update(nb::handle values, nb::handle stream, Plan *transpose, Matrix *kept) {
  void *asked = streamOf(stream);
  const Array array = arrayOf(values, "values", asked);
  checkValues(array);
  if (stream.is_none() && isOnGpu_)
    asked = currentStreamOf(array);
  Change own(&turns_), turned(transpose ? &transpose->turns_ : nullptr);
  take(array, asked);
  if (transpose)
    transpose->take(array, asked);
  const bool isTaken = !kept || kept->takeValues(array);
  own.succeeded();
  turned.succeeded();
  nb::object copy = isTaken || array.isOnGpu() ? nb::none() : copyOf(array);
  return nb::make_tuple(reinterpret_cast<intptr_t>(asked), isTaken, std::move(copy));
}

std::string Plan::textBy(specmvStatus_t (*get)(specmvPlan_t, const char **)) {
  std::string copy;
  alone([&] {
    const char *text = "";
    const specmvStatus_t status = get(handle_, &text);
    copy = text;
    return status;
  });
  return copy;
}

std::string Plan::text() { return textBy(specmvGetPlanText); }
std::string Plan::report() { return textBy(specmvGetPlanReport); }
std::string Plan::json() { return textBy(specmvGetPlanJson); }

double Plan::setupMs() {
  double milliseconds = 0;
  alone([&] { return specmvGetPlanSetup(handle_, &milliseconds, nullptr); });
  return milliseconds;
}

int64_t Plan::bytes() {
  int64_t bytes = 0;
  alone([&] { return specmvGetPlanSetup(handle_, nullptr, &bytes); });
  return bytes;
}

bool Plan::isReady() {
  int ready = 0;
  alone([&] { return specmvPlanReady(handle_, &ready); });
  return ready != 0;
}

void Plan::wait() {
  alone([&] { return specmvPlanWait(handle_); });
}

bool Plan::waitFor(int milliseconds) {
  int ready = 0;
  alone([&] { return specmvPlanWaitFor(handle_, milliseconds, &ready); });
  return ready != 0;
}

void Plan::cancel() {
  alone([&] { return specmvPlanCancel(handle_); });
}

// specmv/_plan.py makes the arrays.
void Plan::permutation(nb::handle rows, nb::handle columns) {
  const Array toRows = arrayOf(rows, "rows");
  const Array toColumns = arrayOf(columns, "columns");
  if (toRows.size() != shape_.rows || toColumns.size() != shape_.cols)
    refuse("the arrays for an order have another size than the plan");
  alone([&] {
    return specmvGetPermutation(handle_, static_cast<int64_t *>(toRows.data),
                                static_cast<int64_t *>(toColumns.data));
  });
}

} // namespace specmv_python
