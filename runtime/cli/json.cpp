// Writes matrices, plans and whole results as JSON.
#include "runtime/cli/json.h"

#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"

namespace specmv::cli {

namespace json = llvm::json;

json::Object jsonOf(const CsrMatrix &matrix) {
  return json::Object{{"name", json::fixUTF8(matrix.name)},
                      {"rows", matrix.rows},
                      {"cols", matrix.cols},
                      {"nnz", matrix.nnz()}};
}

json::Value orNull(double figure) {
  return figure == 0 ? json::Value(nullptr) : json::Value(figure);
}

json::Object stamped(const char *verb, json::Object object) {
  object.try_emplace("schema", findVerb(verb)->schema);
  object.try_emplace("specmv", SPECMV_VERSION_TEXT);
  return object;
}

std::string jsonDocument(const char *verb, json::Object object) {
  return llvm::formatv("{0:2}\n", json::Value(stamped(verb, std::move(object))));
}

std::string jsonLine(const char *verb, json::Object object) {
  return llvm::formatv("{0}\n", json::Value(stamped(verb, std::move(object))));
}

static json::Object joined(llvm::ArrayRef<Result> results) {
  json::Object first = results.front().document;
  json::Array further;
  for (const Result &result : results.drop_front())
    further.push_back(json::Object(result.document));
  first["further"] = std::move(further);
  return first;
}

llvm::Error writeResults(const Options &options, const std::vector<Result> &results) {
  if (options.json)
    return writeResult(options.output, jsonDocument(options.verb.c_str(), joined(results)));
  std::string texts;
  for (const Result &result : results)
    texts += result.text;
  return writeText(options.output, texts);
}

} // namespace specmv::cli
