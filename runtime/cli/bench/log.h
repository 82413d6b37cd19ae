// The output of a bench: its lines, and the file or the terminal to which they go.
#pragma once

#include "runtime/cli/bench/records.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/lab/bench/bench.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// --- Lines ---------------------------------------------------------------------------------------

// The output of the bench for one matrix in one type: JSON lines or a table.

// Returns name, size and type: the head of each line.
llvm::json::Object headOf(const TypedMatrix &a);
llvm::json::Object jsonOf(const SetupTimes &times);

// Names the first plan whose product is wrong; "" if all products are right.
std::string wrongOf(const MatrixBench &b);

// Returns a line per format, without the summary.
std::string linesOf(const TypedMatrix &a, const MatrixBench &b);
// Returns the summary, without the choice's figures if its product is wrong.
llvm::json::Object summaryOf(const TypedMatrix &a, const MatrixBench &b);
std::string tableOf(const TypedMatrix &a, const MatrixBench &b);

// --- Log -----------------------------------------------------------------------------------------

// Writes the bench's output to standard output or a file. If the bench is interrupted, the file
// keeps the measurements, and a later call can continue it.

class BenchLog {
public:
  // Writes lines to standard output if `path` is empty or "-".
  static llvm::Expected<BenchLog> create(const std::string &path);
  // Continues the file, which need not exist. Removes the lines after its last summary line, which
  // come from an interrupted matrix. A file that bench did not write, or one of another kind of
  // session (session.h), is refused and not changed.
  static llvm::Expected<BenchLog> resume(const std::string &path,
                                         const llvm::json::Object &session);

  BenchLog(BenchLog &&other) noexcept;
  BenchLog &operator=(BenchLog &&) = delete;
  ~BenchLog();

  const std::vector<BenchRecord> &records() const { return records_; }
  // Returns what the file already has about the GPU itself, if anything.
  const std::optional<llvm::json::Value> &curves() const { return curves_; }
  // Returns true if the file already had this matrix when it was opened. Each record of the file
  // counts for one call only: a second matrix of the same name and size is another matrix.
  bool takeDone(const CsrMatrix &matrix, ValueType type);

  // Appends the lines; they are in the file when this returns.
  llvm::Error append(const std::string &lines);
  void add(BenchRecord record) { records_.push_back(std::move(record)); }

private:
  BenchLog() = default;
  int fd_ = -1;
  std::string path_;
  std::vector<BenchRecord> records_;
  std::optional<llvm::json::Value> curves_;
  std::vector<BenchRecord> done_; // read from the file and not yet taken
};

} // namespace specmv::cli
