// Writes plans and explanations as JSON.
#include "runtime/explain/json.h"

#include "generator/rate_table.h"

namespace specmv {

JsonMembers paramsOf(const Plan &plan) {
  JsonMembers out;
  for (const auto &[name, value] : plan.integers)
    out[std::string(std::string_view(name))] = value;
  for (const auto &[name, value] : plan.reals)
    out[name] = value;
  for (const auto &[name, list] : plan.lists)
    out[name] = list;
  if (!plan.values.empty())
    out["values"] = plan.values;
  if (!plan.order.empty())
    out["order"] = plan.order;
  return out;
}

JsonMembers jsonOf(const Plan &plan) {
  return JsonMembers{{"format", plan.format}, {"params", paramsOf(plan)}, {"text", plan.text()}};
}

JsonText ratesJson(const GpuModel &gpu) {
  std::vector<std::string> lacking;
  for (const Rate &rate : lackingRates(gpu))
    lacking.emplace_back(rate.name);
  const bool isOwn = gpu.ratesFrom.empty();
  if (isOwn && lacking.empty())
    return nullptr;
  return JsonMembers{{"from", isOwn ? JsonText(nullptr) : gpu.ratesFrom},
                     {"lacking", lacking},
                     {"scaled", gpu.isScaled}};
}

static JsonText termsJson(const Explanation &e) {
  if (!e.time)
    return nullptr;
  return JsonMembers{{"launchUs", e.time->launchUs},
                     {"streamUs", e.time->streamUs},
                     {"gatherUs", e.time->gatherUs},
                     {"waitUs", e.time->waitUs},
                     {"hostUs", e.time->hostUs}};
}

static JsonText runnerUpJson(const Explanation &e) {
  if (!e.runnerUp)
    return nullptr;
  const Candidate &c = e.runnerUp->candidate;
  return JsonMembers{{"format", c.plan.format}, {"predictedUs", c.predictedUs}};
}

static JsonText betterJson(const Choice &choice) {
  const auto plan = choice.better ? parsePlan(choice.better->plan) : std::nullopt;
  if (!plan)
    return nullptr;
  JsonMembers out = jsonOf(*plan);
  out["predictedUs"] = choice.better->predictedUs;
  return out;
}

static JsonText cusparseJson(const Explanation &e) {
  if (!e.cusparse)
    return nullptr;
  const bool isMeasured = e.cusparse->by == CusparseTime::By::measurement;
  const JsonText us = e.cusparse->us;
  return JsonMembers{{"format", e.cusparse->format},
                     {"predictedUs", isMeasured ? JsonText(nullptr) : us},
                     {"measuredUs", isMeasured ? us : JsonText(nullptr)}};
}

static JsonText productsJson(int64_t products) {
  return products == kNever ? JsonText(nullptr) : JsonText(products);
}

JsonMembers whyJson(const Explanation &e, const std::string &sentence) {
  return JsonMembers{{"sentence", sentence},
                     {"ofCsrBytes", e.ofCsrBytes},
                     {"terms", termsJson(e)},
                     {"runnerUp", runnerUpJson(e)},
                     {"better", betterJson(e.choice)},
                     {"cusparse", cusparseJson(e)},
                     {"paysAfter", productsJson(e.paysAfter)},
                     {"paysAfterKnown", productsJson(e.paysAfterKnown)},
                     {"paysAfterCompiling", productsJson(e.paysAfterCompiling)}};
}

} // namespace specmv
