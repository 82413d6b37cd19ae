// Finds the matrix that an argument names: a file, or a SPEC of a family.
#include "runtime/cli/matrix_argument.h"

#include "generator/rate_table.h"
#include "generator/shared/several.h"
#include "models/lab/families/families.h"
#include "models/lab/matrix_market/matrix_market.h"
#include "runtime/cli/option_values.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"
#include "runtime/cuda/places.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace specmv::cli {

// Warns of values of the file that f32 cannot hold.
static void warnOfLost(const CsrMatrix &matrix, const Values &values) {
  int64_t above = 0, below = 0;
  for (int64_t i = 0; i < values.count(); ++i) {
    above += std::isfinite(matrix.val[i]) && std::isinf(values.get(i));
    below += matrix.val[i] != 0 && values.get(i) == 0;
  }
  for (const auto &[count, where] :
       {std::pair(above, "beyond the range of f32 and become infinite"),
        std::pair(below, "below the range of f32 and become 0")})
    if (count > 0)
      warn(llvm::formatv("{0} values of {1} are {2}; use --type f64", count, matrix.name, where));
}

TypedMatrix::TypedMatrix(const CsrMatrix &given, ValueType type)
    : matrix(given), values(converted(given.view(), type)), view(given.view()) {
  view.valueType = type;
  view.val = values.data();
  if (type == ValueType::f32)
    warnOfLost(matrix, values);
}

// Returns true if the argument looks like a file and cannot be a SPEC: names of families have no
// dot.
static bool looksLikeFile(llvm::StringRef argument) {
  return argument.contains('/') || argument.ends_with(".mtx") || argument.ends_with(".gz") ||
         argument.split(':').first.contains('.');
}

bool isFile(const std::string &argument) {
  return llvm::sys::fs::exists(argument) || looksLikeFile(argument);
}

llvm::Expected<CsrMatrix> loadMatrix(const std::string &argument) {
  if (isFile(argument))
    return readMatrixMarket(argument);
  auto matrix = generateFamily(argument);
  if (matrix || llvm::StringRef(argument).contains(':'))
    return matrix;
  auto [status, sentence] = describe(matrix.takeError());
  return fail(status, "there is no file '{0}'; read as a SPEC: {1}", argument, sentence);
}

// Adds what works without a GPU, if there is none.
static llvm::Error withWayOut(llvm::Error error, const std::string &verb) {
  auto [status, sentence] = describe(std::move(error));
  const char *way = findVerb(verb)->withoutGpu;
  std::string why;
  auto count = gpuCount(why);
  const bool isNone = count && *count == 0;
  llvm::consumeError(count.takeError());
  if (status == Status::noGpu && isNone && *way)
    return fail(status, "{0} needs a GPU, and none is here: {1}; {2}", verb, sentence, way);
  return failWith(status, sentence);
}

llvm::Expected<Machine> machineOf(const MachineRequest &request, const std::string &verb) {
  if (const std::string why = whyNotCudaHome(); !why.empty())
    warn(why);
  auto machine = Machine::find(request);
  if (!machine)
    return withWayOut(machine.takeError(), verb);
  return machine;
}

llvm::Expected<Task> taskOf(const Options &options) {
  if (options.arguments.size() != 1)
    return fail(Status::badCall, "{0} takes one matrix, but {1} were given", options.verb,
                options.arguments.size());
  auto machine = machineOf(options.machine, options.verb);
  if (!machine)
    return machine.takeError();
  auto matrix = loadMatrix(options.arguments.front());
  if (!matrix)
    return matrix.takeError();
  return Task{std::move(*machine), std::move(*matrix)};
}

void noteRates(const GpuModel &gpu, bool isHere) {
  if (const std::string whose = foreignRatesText(gpu); !whose.empty())
    note(whose + (isHere ? "; --rigor measure times the best plans, and 'specmv calibrate "
                           "--keep' measures the rates"
                         : "; --gpu names another model, or a file of yours"));
}

Request requestOf(const Options &options, ValueType type) {
  const bool named = !options.formats.empty() || options.fixed.empty();
  const int64_t vectors = options.vectors.front();
  const std::string values = options.values.value_or(choosesAsLibrary(options) ? kAnyCoding : "");
  // As in the library, a search for an order needs a number of products to weigh it by.
  const std::string order =
      options.order.value_or(choosesAsLibrary(options) && options.products > 0 ? kAnyOrder : "");
  const bool mayCode = values == kAnyCoding, mayOrder = order == kAnyOrder;
  return {.problem = {type, !options.betaIsZero, vectorsOfPass(vectors)},
          .rigor = options.rigor.value_or(Rigor::estimate),
          .formats = named ? options.formats : formatsWith(options.fixed),
          .fixed = options.fixed,
          .values = mayCode ? "" : values,
          .mayCode = mayCode,
          .order = mayOrder ? "" : order,
          .mayOrder = mayOrder,
          .vectors = vectors,
          .plan = options.plan};
}

Request weighingRequestOf(const Options &options, ValueType type) {
  Request request = requestOf(options, type);
  request.expectedProducts = options.products;
  return request;
}

} // namespace specmv::cli
