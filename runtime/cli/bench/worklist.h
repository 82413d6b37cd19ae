// Lists the matrices that a verb measures, and walks them.
#pragma once

#include "runtime/cli/bench/log.h"
#include "runtime/cli/options.h"
#include "runtime/measure/stopwatch.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <future>

namespace specmv::cli {

// The arguments, or the matrices of a suite that have enough entries.
struct Worklist {
  std::vector<std::string> arguments;
  int64_t leastEntries = 0; // smaller files are skipped
};
llvm::Expected<Worklist> worklistOf(const Options &options);

// Returns "[3/60, 1:05] ", the prefix of the note about the current measurement.
std::string progressOf(const Stopwatch &clock, size_t done, size_t all);

// Selects when a matrix is read or made: in turn, or while the one before it is measured, which
// takes the memory of both and disturbs host times.
enum class Loading : uint8_t { inTurn, ahead };

// Returns matrices 0 .. count - 1 one after another.
class MatrixQueue {
public:
  using Load = std::function<llvm::Expected<CsrMatrix>(size_t i)>;
  MatrixQueue(size_t count, Loading loading, Load load);
  llvm::Expected<CsrMatrix> take(); // at most `count` times

private:
  void begin();
  size_t begun_ = 0, count_;
  std::launch how_;
  Load load_;
  std::future<llvm::Expected<CsrMatrix>> next_ = {};
};

using MeasureType = llvm::function_ref<llvm::Error(const CsrMatrix &matrix, ValueType type)>;

// Measures each matrix in each type of the options that the log does not have yet, with a note
// about progress. A matrix that cannot be measured does not stop the others: its error is printed
// as a warning, and the last such error is returned at the end.
llvm::Error measureAll(const Worklist &list, const Options &options, BenchLog &log, Loading loading,
                       MeasureType measure);

} // namespace specmv::cli
