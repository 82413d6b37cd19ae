// Where the bench's lines go: standard output or a file that keeps what was measured when the bench
// is interrupted, and that a later call goes on with.
#pragma once

#include "models/error.h"

#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace specmv::cli {

// What the totals need of one matrix in one type: a summary line of interface.md's names.
struct BenchRecord {
  std::string matrix, type;
  int64_t csrBytes = 0;
  double ratio = 0; // cusparseBestUs / chosenUs; 0 where one of them is missing
};
BenchRecord recordOf(const llvm::json::Object &summary);

class BenchLog {
public:
  // Lines go to standard output where `path` is empty or "-".
  static llvm::Expected<BenchLog> create(const std::string &path);
  // Goes on with the file, which need not be there yet. What stands behind its last summary line is
  // the rest of an interrupted bench and is dropped. Refuses a file that is no bench's.
  static llvm::Expected<BenchLog> resume(const std::string &path);

  BenchLog(BenchLog &&other) noexcept;
  BenchLog &operator=(BenchLog &&) = delete;
  ~BenchLog();

  const std::vector<BenchRecord> &records() const { return records_; }
  bool has(const std::string &matrix, const std::string &type) const;
  bool isEmpty() const { return isEmpty_; }

  // Appends lines in one go; they are in the file when this returns.
  llvm::Error append(const std::string &lines);
  void add(BenchRecord record) { records_.push_back(std::move(record)); }

private:
  BenchLog() = default;
  int fd_ = -1;
  bool isEmpty_ = true;
  std::string path_;
  std::vector<BenchRecord> records_;
};

} // namespace specmv::cli
