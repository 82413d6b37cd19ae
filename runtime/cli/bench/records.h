// Reads what a bench needs from the file that it continues: the records of finished matrices, and
// the length up to the last complete one.
#pragma once

#include "models/base/error.h"
#include "models/csr.h"
#include "runtime/lab/bench/setup_time.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace specmv::cli {

// The values of one summary line, for one matrix in one type, that the totals need.
struct BenchRecord {
  std::string matrix, type;
  int64_t rows = 0, cols = 0, nnz = 0;
  int64_t csrBytes = 0;
  double ratio = 0;       // cusparseBestUs / chosenUs; 0 where one of them is missing or wrong
  double replayRatio = 0; // the same of replays of a graph; 0 where one was not timed
  double firstRatio = 0;  // the same of the first plan of a program
  double firstReplayRatio = 0;
  bool verified = true;                // true for all measured products; files of 0.1.0 lack it
  std::vector<SetupFigure> setup = {}; // figures of bench --setup
};
BenchRecord recordOf(const llvm::json::Object &summary);
// Returns true if the record is of this matrix, as far as name and size can tell.
bool isOf(const BenchRecord &record, const CsrMatrix &matrix, ValueType type);

struct BenchText {
  std::vector<BenchRecord> records;         // without wrong products, which count as not done
  std::vector<llvm::json::Object> sessions; // lines of sessions with a summary
  // The last line with calibrate's measurements of the GPU itself; not yet checked.
  std::optional<llvm::json::Value> curves;
  size_t kept = 0; // bytes up to the end of the last summary line, or line of curves
};

// Parses the text of the file `path`. The lines after its last summary come from an interrupted
// matrix, and the last of them may be incomplete. A line that bench does not write is refused.
llvm::Expected<BenchText> parseBench(llvm::StringRef text, const std::string &path);

// Calls `take` with each line of a text that parseBench() took, up to BenchText::kept.
llvm::Error forEachLine(llvm::StringRef kept,
                        llvm::function_ref<llvm::Error(const llvm::json::Object &line)> take);

// Refuses a file whose sessions were measured on different GPUs.
llvm::Error checkOneGpu(llvm::ArrayRef<llvm::json::Object> sessions, const std::string &path);

// The GPU that a session was measured on.
std::string machineOf(const llvm::json::Object &session);

} // namespace specmv::cli
