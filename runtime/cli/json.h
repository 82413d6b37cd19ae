// JSON that several verbs write: pieces of it, and whole results.
#pragma once

#include "models/csr.h"
#include "runtime/cli/options.h"
#include "runtime/explain/json.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// {"name": ..., "rows": ..., "cols": ..., "nnz": ...}
llvm::json::Object jsonOf(const CsrMatrix &matrix);
// What a verb found for one value type: its document where --json was given, else its text.
struct Result {
  llvm::json::Value document = nullptr;
  std::string text = {};
};
// Writes the results, at least one, where the options say: texts one after another; one document,
// or an array where several types were asked for, also if only one of them has a result.
llvm::Error writeResults(const Options &options, const std::vector<Result> &results);

} // namespace specmv::cli
