// Writes plans and explanations as JSON.
#include "runtime/explain/json.h"

namespace specmv {

namespace json = llvm::json;

json::Object paramsOf(const Plan &plan) {
  json::Object out;
  for (const auto &[name, value] : plan.integers)
    out[name] = value;
  for (const auto &[name, value] : plan.reals)
    out[name] = value;
  for (const auto &[name, list] : plan.lists)
    out[name] = json::Array(list);
  return out;
}

json::Object jsonOf(const Plan &plan) {
  return json::Object{{"format", plan.format}, {"params", paramsOf(plan)}};
}

json::Value ratesJson(const GpuModel &gpu) {
  if (gpu.ratesFrom.empty())
    return nullptr;
  return json::Object{{"from", gpu.ratesFrom}, {"scaled", gpu.isScaled}};
}

static json::Value termsJson(const Explanation &e) {
  if (!e.time)
    return nullptr;
  return json::Object{{"launchUs", e.time->launchUs},
                      {"streamUs", e.time->streamUs},
                      {"gatherUs", e.time->gatherUs},
                      {"waitUs", e.time->waitUs},
                      {"hostUs", e.time->hostUs}};
}

static json::Value runnerUpJson(const Explanation &e) {
  if (!e.runnerUp)
    return nullptr;
  const Candidate &c = e.runnerUp->candidate;
  return json::Object{{"format", c.plan.format}, {"predictedUs", c.predictedUs}};
}

static json::Value cusparseJson(const Explanation &e) {
  if (!e.cusparse)
    return nullptr;
  const bool isMeasured = e.cusparse->by == CusparseTime::By::measurement;
  const json::Value us = e.cusparse->us;
  return json::Object{{"format", e.cusparse->format},
                      {"predictedUs", isMeasured ? json::Value(nullptr) : us},
                      {"measuredUs", isMeasured ? us : json::Value(nullptr)}};
}

static json::Value productsJson(int64_t products) {
  return products == kNever ? json::Value(nullptr) : json::Value(products);
}

json::Object whyJson(const Explanation &e, const std::string &sentence) {
  return json::Object{{"sentence", sentence},
                      {"ofCsrBytes", e.ofCsrBytes},
                      {"terms", termsJson(e)},
                      {"runnerUp", runnerUpJson(e)},
                      {"cusparse", cusparseJson(e)},
                      {"paysAfter", productsJson(e.paysAfter)},
                      {"paysAfterCompiling", productsJson(e.paysAfterCompiling)}};
}

} // namespace specmv
