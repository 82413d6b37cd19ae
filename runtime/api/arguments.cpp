// Checks the options of plans and the vectors of products, and whether two vectors have a common
// element.
#include "runtime/api/arguments.h"

#include "models/base/error.h"
#include "models/base/numbers.h"
#include "models/base/text.h"
#include "runtime/api/staged_product.h"
#include "runtime/cuda/memory_pool.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace specmv {

// --- Options -------------------------------------------------------------------------------------

// Checks the options of plans.

static llvm::Error wantOrder(const specmvPlanOptions_t &options) {
  if (options.order && !*options.order)
    return fail(Status::badCall, "order = \"\" is no order of rows and columns; set it to NULL, "
                                 "\"none\" or \"bfs\"");
  if (options.order && options.planText)
    return fail(Status::badCall,
                "planText has the order of its plan, which order = '{0}' contradicts; set one of "
                "them to NULL",
                options.order);
  if (options.vectorsInPlanOrder == 0)
    return llvm::Error::success();
  if (!options.order && !options.planText)
    return fail(Status::badCall, "vectorsInPlanOrder needs an order that is known before the plan; "
                                 "set order = \"bfs\", or planText");
  if (options.start == SPECMV_START_NOW)
    return fail(Status::badCall, "with SPECMV_START_NOW the first products take vectors in the "
                                 "order of the matrix; leave out start or vectorsInPlanOrder");
  return llvm::Error::success();
}

static llvm::Error wantEnums(const specmvPlanOptions_t &options) {
  return inTurn(
      [&] { return wantEnum(options.target, SPECMV_TARGET_HOST, "target"); },
      [&] { return wantEnum(options.rigor, SPECMV_RIGOR_ONLINE, "rigor"); },
      [&] { return wantEnum(options.start, SPECMV_START_NOW, "start"); },
      [&] { return wantEnum(options.operation, SPECMV_OPERATION_TRANSPOSE, "operation"); },
      [&] { return wantEnum(options.kernels, SPECMV_KERNELS_GENERAL, "kernels"); });
}

static llvm::Error wantNotNegative(const specmvPlanOptions_t &options) {
  const struct {
    const char *name;
    int64_t value;
    const char *note; // what 0 means, or where the numbers begin
  } numbers[] = {{"device", options.device, "GPUs are numbered from 0"},
                 {"maxBytes", options.maxBytes, "0 is no limit"},
                 {"vectors", options.vectors, "0 is one at a time"},
                 {"expectedProducts", options.expectedProducts, "0 is unknown"}};
  for (const auto &[name, value, note] : numbers)
    if (value < 0)
      return fail(Status::badCall, "{0} = {1} must not be negative; {2}", name, value, note);
  return llvm::Error::success();
}

llvm::Expected<specmvPlanOptions_t> completeOptions(const specmvPlanOptions_t *given) {
  // Callers built against an older version pass a shorter structure, which ends where a later field
  // begins. `start` lies in what was padding of the structure before it, and callers of that
  // version set the padding to 0. vectorsOnGpu was added together with csrOutlivesPlan.
  static_assert(offsetof(specmvPlanOptions_t, start) + sizeof(specmvStart_t) ==
                offsetof(specmvPlanOptions_t, expectedProducts));
  constexpr size_t kEnds[] = {offsetof(specmvPlanOptions_t, device),
                              offsetof(specmvPlanOptions_t, formats),
                              offsetof(specmvPlanOptions_t, onlyPacks),
                              offsetof(specmvPlanOptions_t, structureOf),
                              offsetof(specmvPlanOptions_t, updatable),
                              offsetof(specmvPlanOptions_t, expectedProducts),
                              offsetof(specmvPlanOptions_t, csrOutlivesPlan),
                              offsetof(specmvPlanOptions_t, context),
                              offsetof(specmvPlanOptions_t, vectors),
                              offsetof(specmvPlanOptions_t, scratchPerStream),
                              offsetof(specmvPlanOptions_t, doubleVectors),
                              offsetof(specmvPlanOptions_t, compileOnHost),
                              offsetof(specmvPlanOptions_t, kernels),
                              offsetof(specmvPlanOptions_t, planText),
                              offsetof(specmvPlanOptions_t, fused),
                              offsetof(specmvPlanOptions_t, vectorsInPlanOrder),
                              offsetof(specmvPlanOptions_t, improves),
                              sizeof(specmvPlanOptions_t)};
  auto found = completed(given, kEnds, "specmvPlanOptions_t");
  if (!found)
    return found;
  specmvPlanOptions_t &options = *found;
  if (llvm::Error error = wantEnums(options))
    return error;
  if (options.planText && options.formats)
    return fail(Status::badCall,
                "planText gives a format with all of its numbers, which formats = '{0}' "
                "contradicts; set one of them to NULL",
                options.formats);
  if (llvm::Error error = wantOrder(options))
    return error;
  if (llvm::Error error = wantNotNegative(options))
    return error;
  return found;
}

std::vector<std::string> namesOf(const char *list) {
  if (!list)
    return {};
  llvm::SmallVector<llvm::StringRef, 8> parts;
  llvm::StringRef(list).split(parts, ',');
  std::vector<std::string> names;
  for (const llvm::StringRef part : parts)
    names.push_back(part.trim(" \t").str());
  return names;
}

// --- Common element ------------------------------------------------------------------------------

// Decides if two sets of lines of memory, each with its own distance between lines, meet. This is a
// question about the multiples of one distance that lie in windows at multiples of the other.

static uint64_t triangle(uint64_t n) { // 0 + 1 + ... + (n - 1)
  return n % 2 == 0 ? n / 2 * (n - 1) : n * ((n - 1) / 2);
}

// Returns the sum of floor((factor i + offset) / divisor) for i = 0 .. count - 1, modulo 2^64, in
// as many steps as Euclid's algorithm: the lattice points below a line are counted, with x and y
// exchanged in each step.
static uint64_t sumOfFloors(uint64_t count, uint64_t divisor, uint64_t factor, uint64_t offset) {
  uint64_t sum = 0;
  while (count > 0) {
    sum += triangle(count) * (factor / divisor) + count * (offset / divisor);
    factor %= divisor;
    offset %= divisor;
    const uint64_t end = factor * count + offset;
    count = end / divisor;
    offset = end % divisor;
    std::swap(divisor, factor);
  }
  return sum;
}

static int64_t floorDiv(int64_t a, int64_t b) { return a >= 0 ? a / b : -ceilDiv(-a, b); }

// Lines of `a` begin at p * a.leading, those of `b` at distance + q * b.leading. Two of them meet
// if p * a.leading lies in a window at q * b.leading.
static bool meet(const CallerVectors::Lines &a, const CallerVectors::Lines &b, int64_t distance) {
  const int64_t least = distance - (a.width - 1), most = distance + (b.width - 1);
  // The windows that do not lie before the first line of `a`, or behind its last one. In these, any
  // multiple of a.leading means that there is one of a line.
  const int64_t lastOfA = (a.count - 1) * a.leading;
  const int64_t first = std::max<int64_t>(0, -floorDiv(most, b.leading)),
                last = std::min(b.count - 1, floorDiv(lastOfA - least, b.leading));
  if (first > last)
    return false;
  // The sums count the multiples up to the end of each window, and those before its begin. Moving
  // the windows by a multiple of a.leading makes all numbers positive.
  const int64_t begin = least + first * b.leading - 1,
                moved = begin < 0 ? ceilDiv(-begin, a.leading) * a.leading : 0;
  const auto count = static_cast<uint64_t>(last - first + 1),
             divisor = static_cast<uint64_t>(a.leading), factor = static_cast<uint64_t>(b.leading),
             before = static_cast<uint64_t>(begin + moved);
  const auto width = static_cast<uint64_t>(most - least + 1);
  return sumOfFloors(count, divisor, factor, before + width) !=
         sumOfFloors(count, divisor, factor, before);
}

bool haveCommonElement(const CallerVectors &a, const CallerVectors &b, size_t bytesOfValue) {
  if (!overlap(a.pointer, static_cast<size_t>(a.extent()) * bytesOfValue, b.pointer,
               static_cast<size_t>(b.extent()) * bytesOfValue))
    return false;
  const auto bytes = reinterpret_cast<intptr_t>(b.pointer) - reinterpret_cast<intptr_t>(a.pointer);
  return meet(a.lines(), b.lines(), bytes / static_cast<intptr_t>(bytesOfValue));
}

// --- Check product -------------------------------------------------------------------------------

// Checks the scalars and vectors of products.

template <class Value> static double readAt(const void *value) {
  Value read; // the address need not be aligned
  std::memcpy(&read, value, sizeof read);
  return read;
}

double valueAt(const void *value, ValueType type) {
  return type == ValueType::f32 ? readAt<float>(value) : readAt<double>(value);
}

// Checks the scalars of a plan whose kernels read them on the GPU.
static llvm::Error checkScalars(const specmvPlan &plan, const void *alpha, const void *beta) {
  for (const auto &[pointer, name] : {std::pair(alpha, "alpha"), std::pair(beta, "beta")}) {
    if (llvm::Error error = wantAligned(pointer, sizeOf(plan.vectorType), name))
      return error;
    if (!plan.vectorsAreOnGpu && !isDevicePointer(pointer))
      return fail(Status::badCall,
                  "{0} is in host memory, but the plan was made with scalarsOnGpu; pass a device "
                  "pointer",
                  name);
  }
  return llvm::Error::success();
}

// Checks where vectors of at least one value begin.
static llvm::Error checkAddress(const specmvPlan &plan, const CallerVectors &v) {
  if (v.extent() == 0)
    return llvm::Error::success();
  if (llvm::Error error = wantPointer(v.pointer, v.name))
    return error;
  return wantAligned(v.pointer, sizeOf(plan.vectorType), v.name);
}

llvm::Error checkProduct(const specmvPlan &plan, const void *alpha, const CallerVectors &x,
                         const void *beta, const CallerVectors &y) {
  for (const auto &[pointer, name] : {std::pair(alpha, "alpha"), std::pair(beta, "beta")})
    if (llvm::Error error = wantPointer(pointer, name))
      return error;
  for (const CallerVectors *v : {&x, &y})
    if (llvm::Error error = checkAddress(plan, *v))
      return error;
  if (haveCommonElement(x, y, sizeOf(plan.vectorType)))
    return fail(Status::badCall,
                "{0} and {1} overlap in memory; they must have no element in common", x.name,
                y.name);
  if (plan.scalarsAreOnGpu)
    return checkScalars(plan, alpha, beta);
  if (!plan.betaCanBeNonZero && valueAt(beta, plan.vectorType) != 0)
    return fail(Status::badCall,
                "beta = {0}, but the plan was made with betaIsZero and allows only beta = 0",
                decimalText(valueAt(beta, plan.vectorType)));
  return llvm::Error::success();
}

llvm::Error checkAdded(const specmvPlan &plan, const CallerVectors &y, const CallerVectors &z) {
  if (llvm::Error error = checkAddress(plan, y))
    return error;
  const size_t bytes = static_cast<size_t>(plan.rows) * sizeOf(plan.vectorType);
  if (overlap(y.pointer, bytes, z.pointer, bytes))
    return fail(Status::badCall,
                "z begins {0} bytes from y and overlaps it; z must be y itself or "
                "a separate array",
                static_cast<const char *>(z.pointer) - static_cast<const char *>(y.pointer));
  return llvm::Error::success();
}

llvm::Error checkOnHost(const CallerVectors &v, const void *stream) {
  if (stream)
    return fail(Status::badCall, "the plan runs on the host, so stream must be NULL");
  if (isDevicePointer(v.pointer))
    return fail(Status::badCall,
                "{0} is in GPU memory, but the plan runs on the host; pass a host pointer", v.name);
  return llvm::Error::success();
}

} // namespace specmv
