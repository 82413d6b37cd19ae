// Implements the shared pieces of JSON.
#include "runtime/cli/json.h"

namespace specmv::cli {

namespace json = llvm::json;

json::Object jsonOf(const CsrMatrix &matrix) {
  return json::Object{{"name", json::fixUTF8(matrix.name)},
                      {"rows", matrix.rows},
                      {"cols", matrix.cols},
                      {"nnz", matrix.nnz()}};
}

json::Object paramsOf(const Plan &plan) {
  json::Object out;
  for (const auto &[name, value] : plan.integers)
    out[name] = value;
  for (const auto &[name, value] : plan.reals)
    out[name] = value;
  return out;
}

json::Object jsonOf(const Plan &plan) {
  return json::Object{{"format", plan.format}, {"params", paramsOf(plan)}};
}

} // namespace specmv::cli
