// Writes matrices, plans and whole results as JSON.
#include "runtime/cli/json.h"

#include "runtime/cli/report.h"

namespace specmv::cli {

namespace json = llvm::json;

json::Object jsonOf(const CsrMatrix &matrix) {
  return json::Object{{"name", json::fixUTF8(matrix.name)},
                      {"rows", matrix.rows},
                      {"cols", matrix.cols},
                      {"nnz", matrix.nnz()}};
}

static json::Value joined(const Options &options, const std::vector<Result> &results) {
  if (options.types.size() == 1)
    return results.front().document;
  json::Array all;
  for (const Result &result : results)
    all.push_back(result.document);
  return all;
}

llvm::Error writeResults(const Options &options, const std::vector<Result> &results) {
  if (options.json)
    return writeResult(options.output, llvm::formatv("{0:2}\n", joined(options, results)).str());
  std::string texts;
  for (const Result &result : results)
    texts += result.text;
  return writeText(options.output, texts);
}

} // namespace specmv::cli
