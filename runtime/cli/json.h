// Writes the JSON that several verbs share: parts, and whole results.
#pragma once

#include "models/csr.h"
#include "runtime/cli/options.h"
#include "runtime/explain/sentence.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// {"name": ..., "rows": ..., "cols": ..., "nnz": ...}
llvm::json::Object jsonOf(const CsrMatrix &matrix);
// Returns null for 0, which says that a figure was not measured.
llvm::json::Value orNull(double figure);
// Adds the verb's schema number and specmv's version, with which every document and every line
// begins. Existing fields stay, as in a line of an earlier version.
llvm::json::Object stamped(const char *verb, llvm::json::Object object);
std::string jsonDocument(const char *verb, llvm::json::Object object);
std::string jsonLine(const char *verb, llvm::json::Object object);

// A verb's result for one value type: its document with --json, otherwise its text.
struct Result {
  llvm::json::Object document = {};
  std::string text = {};
};
// Writes the results, at least one, to the place that the options name. Texts follow one another.
// JSON is one document: that of the first type, with the documents of the other types in the array
// "further".
llvm::Error writeResults(const Options &options, const std::vector<Result> &results);

} // namespace specmv::cli
