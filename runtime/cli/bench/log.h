// Where the bench's lines go: standard output or a file that keeps what was measured when the bench
// is interrupted, and that a later call goes on with.
#pragma once

#include "runtime/cli/bench/records.h"

namespace specmv::cli {

class BenchLog {
public:
  // Lines go to standard output where `path` is empty or "-".
  static llvm::Expected<BenchLog> create(const std::string &path);
  // Goes on with the file, which need not be there yet. What stands behind its last summary line is
  // the rest of an interrupted bench and is dropped. Refuses a file that is no bench's, or that of
  // another kind of session (bench_session.h), and leaves it as it is.
  static llvm::Expected<BenchLog> resume(const std::string &path,
                                         const llvm::json::Object &session);

  BenchLog(BenchLog &&other) noexcept;
  BenchLog &operator=(BenchLog &&) = delete;
  ~BenchLog();

  const std::vector<BenchRecord> &records() const { return records_; }
  // Whether the file had this matrix when it was gone on with. Each of its records answers for one
  // matrix only: another of the same name and size is another matrix.
  bool takeDone(const CsrMatrix &matrix, ValueType type);

  // Appends lines in one go; they are in the file when this returns.
  llvm::Error append(const std::string &lines);
  void add(BenchRecord record) { records_.push_back(std::move(record)); }

private:
  BenchLog() = default;
  int fd_ = -1;
  std::string path_;
  std::vector<BenchRecord> records_;
  std::vector<BenchRecord> done_; // read from the file and not yet asked for
};

} // namespace specmv::cli
