// Finds the matrices to measure, and loads and measures one after another.
#include "runtime/cli/bench/worklist.h"

#include "runtime/cli/bench/suite.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"

namespace specmv::cli {

llvm::Expected<Worklist> worklistOf(const Options &options) {
  Worklist list{options.arguments};
  if (!options.suite.empty()) {
    auto suite = findSuite(options.suite);
    if (!suite)
      return suite.takeError();
    if (suite->hasFiles && suite->files.empty())
      warn(llvm::formatv("the suite runs without real matrices, because there are none in {0}; set "
                         "SPECMV_MATRICES to their folder",
                         matrixFolder()));
    list.leastEntries = suite->leastEntries;
    for (const auto *part : {&suite->files, &suite->specs})
      list.arguments.insert(list.arguments.end(), part->begin(), part->end());
  }
  if (list.arguments.empty())
    return fail(Status::badCall, "{0} needs matrices, or --suite full, quick or unseen",
                options.verb);
  return list;
}

// A matrix must be read to know if the file has it: an argument can name one matrix in several
// ways, and two folders can have files of the same name.
static llvm::Error measureArgument(const std::string &argument, llvm::Expected<CsrMatrix> matrix,
                                   int64_t leastEntries, const Options &options, BenchLog &log,
                                   const std::string &progress, MeasureType measure) {
  if (!matrix)
    return matrix.takeError();
  if (isFile(argument) && matrix->nnz() < leastEntries)
    return llvm::Error::success();
  llvm::Error failure = llvm::Error::success();
  for (ValueType type : options.types) {
    if (log.takeDone(*matrix, type))
      continue;
    note(progress + matrix->name + " " + nameOf(type));
    failure = llvm::joinErrors(std::move(failure), measure(*matrix, type));
  }
  return failure;
}

std::string progressOf(const Stopwatch &clock, size_t done, size_t all) {
  const auto seconds = static_cast<int64_t>(clock.milliseconds() / 1000);
  return llvm::formatv("[{0}/{1}, {2}:{3,0+2}] ", done + 1, all, seconds / 60, seconds % 60);
}

MatrixQueue::MatrixQueue(size_t count, Loading loading, Load load)
    : count_(count), how_(loading == Loading::ahead ? std::launch::async : std::launch::deferred),
      load_(std::move(load)) {
  begin();
}

void MatrixQueue::begin() {
  if (begun_ < count_)
    next_ = std::async(how_, load_, begun_++);
}

llvm::Expected<CsrMatrix> MatrixQueue::take() {
  llvm::Expected<CsrMatrix> matrix = next_.get();
  begin();
  return matrix;
}

llvm::Error measureAll(const Worklist &list, const Options &options, BenchLog &log, Loading loading,
                       MeasureType measure) {
  const Stopwatch clock;
  MatrixQueue matrices(list.arguments.size(), loading,
                       [&](size_t i) { return loadMatrix(list.arguments[i]); });
  llvm::Error failure = llvm::Error::success();
  for (size_t i = 0; i < list.arguments.size(); ++i) {
    const std::string progress = progressOf(clock, i, list.arguments.size());
    llvm::Error error = measureArgument(list.arguments[i], matrices.take(), list.leastEntries,
                                        options, log, progress, measure);
    if (!error)
      continue;
    auto [status, sentence] = describe(std::move(error));
    warn(list.arguments[i] + ": " + sentence);
    llvm::consumeError(std::move(failure));
    failure = failWith(status, list.arguments[i] + ": " + sentence);
  }
  return failure;
}

} // namespace specmv::cli
