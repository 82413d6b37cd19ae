// Implements the finding of matrices.
#include "runtime/cli/matrix_argument.h"

#include "models/families.h"
#include "models/matrix_market.h"

#include "llvm/Support/FileSystem.h"

namespace specmv::cli {

TypedMatrix::TypedMatrix(CsrMatrix given, ValueType type)
    : matrix(std::move(given)), values(converted(matrix.view(), type)), view(matrix.view()) {
  view.valueType = type;
  view.val = values.data();
}

// What nobody would give to a SPEC: then a file was meant.
static bool looksLikeFile(llvm::StringRef argument) {
  return argument.contains('/') || argument.ends_with(".mtx") || argument.ends_with(".gz");
}

llvm::Expected<CsrMatrix> loadMatrix(const std::string &argument) {
  if (llvm::sys::fs::exists(argument) || looksLikeFile(argument))
    return readMatrixMarket(argument);
  auto matrix = generateFamily(argument);
  if (matrix || llvm::StringRef(argument).contains(':'))
    return matrix;
  auto [status, sentence] = describe(matrix.takeError());
  return fail(status, "{0}; and there is no file of that name", sentence);
}

llvm::Expected<Task> taskOf(const Options &options) {
  if (options.types.size() != 1)
    return fail(Status::badCall, "{0} takes one --type, not {1}", options.verb,
                options.types.size());
  if (options.arguments.size() != 1)
    return fail(Status::badCall, "{0} takes one matrix, not {1}", options.verb,
                options.arguments.size());
  auto machine = Machine::find(options.machine);
  if (!machine)
    return machine.takeError();
  auto matrix = loadMatrix(options.arguments.front());
  if (!matrix)
    return matrix.takeError();
  return Task{options.types.front(), std::move(*machine), std::move(*matrix)};
}

Request requestOf(const Options &options, ValueType type) {
  const bool named = !options.formats.empty() || options.fixed.empty();
  return {{type, !options.betaIsZero},
          options.rigor,
          named ? options.formats : formatsWith(options.fixed),
          options.fixed};
}

} // namespace specmv::cli
