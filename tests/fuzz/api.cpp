// Feeds the C API's calls that make matrices and plans, and compares products with their
// definition. Plans are on the host, and the compiler is the tests' own, so that a call takes a
// millisecond.
#include "runtime/api/arguments.h"
#include "tests/fuzz/matrix_input.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/vectors.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <random>

namespace specmv::fuzz {

using testing::MatrixEntry;

namespace {

// All numbers are whole, so that products are exact in float too.
struct Subject {
  const MatrixInput &matrix;
  std::vector<MatrixEntry> entries;
  std::vector<double> values;
  bool isTransposed;
  int64_t sizeOfX() const {
    return isTransposed ? matrix.description.rows : matrix.description.cols;
  }
  int64_t sizeOfY() const {
    return isTransposed ? matrix.description.cols : matrix.description.rows;
  }
};

} // namespace

// --- The promises of every call

// A failure must not be an internal error, must have a message, and must not make a handle.
static void requireTold(specmvStatus_t status) {
  require(status != SPECMV_STATUS_INTERNAL_ERROR && status != SPECMV_STATUS_OUT_OF_MEMORY);
  require(status == SPECMV_STATUS_SUCCESS || *specmvGetLastErrorDetail() != 0);
}

static bool isMade(specmvStatus_t status, const void *handle) {
  requireTold(status);
  require((status == SPECMV_STATUS_SUCCESS) == (handle != nullptr));
  return status == SPECMV_STATUS_SUCCESS;
}

// --- Products ------------------------------------------------------------------------------------

static std::vector<double> defined(const Subject &a, double alpha, const std::vector<double> &x,
                                   double beta, const std::vector<double> &y) {
  const auto &d = a.matrix.description;
  std::vector<double> out =
      testing::productOf(a.entries, a.values, d.rows, d.cols, a.isTransposed, x);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = alpha * out[i] + beta * y[i];
  return out;
}

static void multiplyOne(Input &in, specmvPlan_t plan, const Subject &a, bool isRefused) {
  const specmvDataType_t type = a.matrix.description.dataType;
  const std::vector<double> x = wholeNumbers(in, a.sizeOfX()), y = wholeNumbers(in, a.sizeOfY());
  const double alpha = in.ConsumeIntegralInRange(-3, 3), beta = in.ConsumeIntegralInRange(-1, 2);
  const std::vector<char> xBytes = typedValues(x, type), alphaBytes = typedValues({alpha}, type),
                          betaBytes = typedValues({beta}, type);
  std::vector<char> yBytes = typedValues(y, type);
  const specmvStatus_t status = specmvExecute(plan, alphaBytes.data(), xBytes.data(),
                                              betaBytes.data(), yBytes.data(), nullptr);
  requireTold(status);
  if (status == SPECMV_STATUS_SUCCESS)
    require(!isRefused && valuesIn(yBytes, type) == defined(a, alpha, x, beta, y));
  else
    require(valuesIn(yBytes, type) == y);
}

static void multiplySeveral(Input &in, specmvPlan_t plan, const Subject &a, bool isRefused) {
  const specmvDataType_t type = a.matrix.description.dataType;
  const auto order = static_cast<specmvOrder_t>(in.ConsumeIntegralInRange<int>(0, 1));
  const int64_t count = in.ConsumeIntegralInRange<int>(-1, 20);
  const auto leadingOf = [&](int64_t length) {
    return (order == SPECMV_ORDER_ROW ? count : length) + in.ConsumeIntegralInRange<int>(-1, 8);
  };
  const int64_t ldX = leadingOf(a.sizeOfX()), ldY = leadingOf(a.sizeOfY());
  const std::vector<double> x = wholeNumbers(in, valuesOfDense(order, ldX + 1, a.sizeOfX(), count)),
                            y = wholeNumbers(in, valuesOfDense(order, ldY + 1, a.sizeOfY(), count));
  const std::vector<char> xBytes = typedValues(x, type), two = typedValues({2}, type),
                          minusOne = typedValues({-1}, type);
  std::vector<char> yBytes = typedValues(y, type);
  const specmvStatus_t status =
      specmvExecuteMulti(plan, count, two.data(), xBytes.data(), ldX, minusOne.data(),
                         yBytes.data(), ldY, order, nullptr);
  requireTold(status);
  const std::vector<double> after = valuesIn(yBytes, type);
  if (status != SPECMV_STATUS_SUCCESS)
    return require(after == y);
  require(!isRefused && count >= 0);
  for (int64_t j = 0; j < count; ++j)
    require(takenOut(after, order, ldY, j, a.sizeOfY()) ==
            defined(a, 2, takenOut(x, order, ldX, j, a.sizeOfX()), -1,
                    takenOut(y, order, ldY, j, a.sizeOfY())));
}

// Returns true if the plan tells that it takes new values.
static bool askAbout(specmvPlan_t plan) {
  const char *text = nullptr;
  require(specmvGetPlanJson(plan, &text) == SPECMV_STATUS_SUCCESS);
  auto json = llvm::json::parse(text);
  require(bool(json));
  const bool isUpdatable = json->getAsObject()->getBoolean("updatable").value();
  require(specmvGetPlanText(plan, &text) == SPECMV_STATUS_SUCCESS && *text != 0);
  return isUpdatable;
}

static void usePlan(Input &in, specmvPlan_t plan, Subject a, bool isUpdatable) {
  const bool isStructure = !a.matrix.description.values && !a.values.empty();
  multiplyOne(in, plan, a, isStructure);
  multiplySeveral(in, plan, a, isStructure);
  const bool takesNewValues = askAbout(plan);
  require(takesNewValues || !(isUpdatable || isStructure));
  a.values = wholeNumbers(in, static_cast<int64_t>(a.values.size()));
  const std::vector<char> bytes = typedValues(a.values, a.matrix.description.dataType);
  const specmvStatus_t status = specmvUpdateValues(plan, bytes.data(), nullptr);
  requireTold(status);
  require((status == SPECMV_STATUS_SUCCESS) == takesNewValues);
  if (!takesNewValues)
    return;
  multiplyOne(in, plan, a, false);
  multiplySeveral(in, plan, a, false);
}

// --- Plans ---------------------------------------------------------------------------------------

static const char *anyFormats(Input &in, std::string &kept) {
  constexpr const char *kLists[] = {"ell",  "csr-vector,coo", "dia,bcsr", "qcsr",    "",
                                    "csr5", "hyb,jad,sell",   "x",        "ell,ell", "csr-merge"};
  switch (in.ConsumeIntegralInRange<int>(0, 3)) {
  case 0:
    return in.PickValueInArray(kLists);
  case 1:
    kept = in.ConsumeRandomLengthString(20);
    return in.ConsumeIntegralInRange<int>(0, 7) == 0 ? kept.c_str() : nullptr;
  default:
    return nullptr;
  }
}

static specmvPlanOptions_t anyOptions(Input &in, std::string &formats) {
  specmvPlanOptions_t o = SPECMV_PLAN_OPTIONS_INIT;
  o.target = SPECMV_TARGET_HOST;
  const int rigor = enumNumber(in, 0), start = enumNumber(in, 1), operation = enumNumber(in, 1);
  std::memcpy(&o.rigor, &rigor, sizeof rigor);
  std::memcpy(&o.start, &start, sizeof start);
  std::memcpy(&o.operation, &operation, sizeof operation);
  o.device = in.ConsumeIntegralInRange<int>(0, 31) == 31 ? in.ConsumeIntegral<int>() : 0;
  o.betaIsZero = in.ConsumeIntegralInRange<int>(0, 7) == 7;
  o.formats = anyFormats(in, formats);
  o.updatable = in.ConsumeBool();
  o.csrOutlivesPlan = in.ConsumeBool();
  o.vectorsOnGpu = in.ConsumeBool();
  o.expectedProducts = anySize(in, 1000);
  o.maxBytes = in.ConsumeBool() ? 0 : anySize(in, 100000);
  o.vectors = anySize(in, 20);
  o.compileOnHost = in.ConsumeBool();
  // Never so short that the target is left out, since the default is a GPU if there is one.
  if (in.ConsumeIntegralInRange<int>(0, 31) == 31)
    o.structSize = in.ConsumeIntegralInRange(offsetof(specmvPlanOptions_t, rigor), sizeof o + 8);
  return o;
}

// A set-up beside products checks the arrays later; its result is the status.
static specmvStatus_t createAndWait(specmvPlan_t &plan, specmvMatrix_t matrix,
                                    const specmvPlanOptions_t &options) {
  const specmvStatus_t status = specmvCreatePlan(&plan, matrix, &options);
  if (!isMade(status, plan))
    return status;
  const specmvStatus_t waited = specmvPlanWait(plan);
  requireTold(waited);
  return waited;
}

// Respects structSize: a caller of an older version cannot ask for new values or an operation.
static bool isUpdatable(const specmvPlanOptions_t &options) {
  return options.updatable != 0 &&
         options.structSize >= offsetof(specmvPlanOptions_t, expectedProducts);
}
static bool isOfTranspose(const specmvPlanOptions_t &options) {
  return options.operation == SPECMV_OPERATION_TRANSPOSE &&
         options.structSize >= offsetof(specmvPlanOptions_t, vectors);
}

static void makePlan(Input &in, specmvMatrix_t matrix, const MatrixInput &a,
                     const std::vector<double> &values) {
  std::string formats;
  specmvPlanOptions_t options = anyOptions(in, formats);
  const auto entries = entriesOf(a);
  specmvPlanEstimate_t estimate = SPECMV_PLAN_ESTIMATE_INIT;
  const specmvStatus_t estimated = specmvEstimatePlan(&estimate, matrix, &options);
  requireTold(estimated);
  require(estimated != SPECMV_STATUS_INVALID_MATRIX || !entries);
  for (specmvPlan_t earlier = nullptr, plan = nullptr;; earlier = plan) {
    const specmvStatus_t status = createAndWait(plan, matrix, options);
    require(status != SPECMV_STATUS_INVALID_MATRIX || !entries);
    require(status != SPECMV_STATUS_SUCCESS || entries);
    if (status == SPECMV_STATUS_SUCCESS)
      usePlan(in, plan, {a, *entries, values, isOfTranspose(options)}, isUpdatable(options));
    specmvDestroyPlan(earlier);
    if (status == SPECMV_STATUS_SUCCESS && !options.structureOf && in.ConsumeBool()) {
      options.structureOf = plan; // once more in the way of this one
      continue;
    }
    specmvDestroyPlan(plan);
    return;
  }
}

// --- The target ----------------------------------------------------------------------------------

static specmvStatus_t createMatrix(Input &in, specmvMatrix_t &matrix, MatrixInput &a) {
  auto &d = a.description;
  // An enum argument by value must not hold a number outside the enum.
  const int type = numberOf(d.indexType);
  const bool isPlain = numberOf(d.format) == SPECMV_FORMAT_CSR && type == numberOf(d.offsetType) &&
                       (type == SPECMV_INDEX_32I || type == SPECMV_INDEX_64I) && d.indexBase == 0 &&
                       d.structSize == sizeof d && !d.rowIndices;
  if (!isPlain || in.ConsumeBool())
    return specmvCreateMatrix(&matrix, &d);
  return specmvCreateCsr(&matrix, d.rows, d.cols, d.nnz, d.offsets, d.colIndices, d.values,
                         d.indexType, d.dataType);
}

static void feedApi(llvm::StringRef bytes) {
  Input in(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  MatrixInput a = matrixInput(in);
  const std::vector<double> values = wholeNumbers(in, a.isHeld ? a.description.nnz : 0);
  const std::vector<char> memory = typedValues(values, a.description.dataType);
  if (in.ConsumeIntegralInRange<int>(0, 7) != 7)
    a.description.values = memory.data();
  specmvMatrix_t matrix = nullptr;
  if (!isMade(createMatrix(in, matrix, a), matrix))
    return require(specmvDestroyMatrix(matrix) == SPECMV_STATUS_SUCCESS);
  if (a.isHeld)
    makePlan(in, matrix, a, values);
  require(specmvDestroyMatrix(matrix) == SPECMV_STATUS_SUCCESS);
}

static std::vector<std::string> apiSeeds() {
  setenv("SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT, 1);
  setenv("SPECMV_CACHE_DIR", "cache", 1);
  std::mt19937 random(1);
  std::vector<std::string> seeds(40);
  for (std::string &seed : seeds)
    for (size_t left = 100 + random() % 300; left > 0; --left)
      seed += static_cast<char>(random());
  return seeds;
}

llvm::ArrayRef<Target> apiTargets() {
  static constexpr Target table[] = {{"create", apiSeeds, feedApi}};
  return table;
}

} // namespace specmv::fuzz
