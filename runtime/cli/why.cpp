// Writes explanations as text and as JSON.
#include "runtime/cli/why.h"

#include "runtime/explain/sentence.h"
#include "runtime/worth.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

namespace json = llvm::json;

static int64_t productsOf(const Request &request) {
  return request.weighsSetup() ? request.expectedProducts : 0;
}

Explanation explanationOf(const Analyzed &seen, const Fit &fit, const Request &request,
                          const Machine &machine) {
  const SparsityProfile &profile = seen.profiled.profile;
  return explain({.candidates = llvm::ArrayRef(seen.ranked.candidates).drop_front(fit.index),
                  .choice = {},
                  .products = productsOf(request),
                  .size = sizeOf(profile, request.problem.type),
                  .problem = request.problem,
                  .gpu = machine.model,
                  .profile = &profile});
}

Explanation explanationOf(const CsrView &a, const Request &request, const Machine &machine,
                          const Specialized &s, double us, const Yardstick &cusparse) {
  ChoiceMade made{.candidates = s.ranked.candidates,
                  .choice = s.choice,
                  .products = productsOf(request),
                  .size = {.rows = a.rows,
                           .cols = a.cols,
                           .nnz = a.nnz,
                           .valueBytes = static_cast<int64_t>(sizeOf(a.valueType))},
                  .problem = request.problem,
                  .gpu = machine.model,
                  .profile = s.profile ? &*s.profile : nullptr,
                  .storedBytes = s.built.layout.storedBytes(),
                  .measuredUs = us};
  if (const YardstickTime *best = cusparse.best())
    made.cusparse = {best->format, best->us, CusparseTime::By::measurement};
  return explain(made);
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

std::string whyLines(const Explanation &e) {
  return llvm::formatv("why        {0}\ngain       {1}\nset-up     pays {2}\n", whySentence(e),
                       gainSentence(e), paysSentence(e));
}

std::string whyLine(const Explanation &e) {
  return llvm::formatv("why        {0}\n", shortSentence(e));
}

} // namespace specmv::cli
