// What a bench's file says to a bench that goes on with it: the records of the matrices that are
// done, and how far the file is whole.
#pragma once

#include "models/base/error.h"
#include "models/csr.h"

#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace specmv::cli {

// What the totals need of one matrix in one type: a summary line of interface.md's names.
struct BenchRecord {
  std::string matrix, type;
  int64_t rows = 0, cols = 0, nnz = 0;
  int64_t csrBytes = 0;
  double ratio = 0;     // cusparseBestUs / chosenUs; 0 where one of them is missing or wrong
  bool verified = true; // all products measured; files of 0.1.0 do not tell
};
BenchRecord recordOf(const llvm::json::Object &summary);
// Whether the record is of this matrix, as far as name and size can tell.
bool isOf(const BenchRecord &record, const CsrMatrix &matrix, ValueType type);

struct BenchText {
  std::vector<BenchRecord> records;         // without those of wrong products, which are not done
  std::vector<llvm::json::Object> sessions; // the lines of those that came to a summary
  size_t kept = 0;                          // bytes up to the end of the last summary line
};

// Reads the text of the file `path`. Behind its last summary stands the rest of an interrupted
// bench, whose last line may be torn; anything else that no bench writes is refused.
llvm::Expected<BenchText> parseBench(llvm::StringRef text, const std::string &path);

} // namespace specmv::cli
