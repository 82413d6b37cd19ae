// Turns the numbers of an explanation into words and into JSON.
#include "runtime/explain/sentence.h"

#include "generator/coding/coding.h"
#include "generator/order/order.h"
#include "generator/rate_table.h"
#include "models/base/text.h"
#include "runtime/explain/explain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

// --- Sentence ------------------------------------------------------------------------------------

// Turns the numbers of an explanation into words.

static std::string openingText(const Explanation &e) {
  const std::string &format = e.chosen.plan.format;
  switch (e.choice.by) {
  case ChosenBy::measurement:
    return llvm::formatv("{0} was measured to be the fastest, {1}: ", format,
                         shortTime(e.choice.measuredUs));
  case ChosenBy::trial:
  case ChosenBy::learning:
    return llvm::formatv("{0} was the fastest of the plans that were tried, {1}: ", format,
                         shortTime(e.choice.measuredUs));
  case ChosenBy::wisdom:
    return format + " is an earlier choice" + (e.choice.better ? ", " + atHandText(e) : ": ");
  case ChosenBy::fallback:
    return format + " replaces " + (e.choice.better ? replacedText(*e.choice.better) : "a plan") +
           " whose kernel is not available: ";
  case ChosenBy::prediction:
  case ChosenBy::structure: // no ranking explains these
  case ChosenBy::size:
  case ChosenBy::text:
    if (e.choice.better)
      return format + " is " + atHandText(e);
    break;
  }
  if (e.isAlone)
    return format + " is the only format to choose from: ";
  return e.products > 0
             ? llvm::formatv("{0} wins for {1}: ", format,
                             counted(static_cast<uint64_t>(e.products), "product", "products"))
                   .str()
             : format + " wins: ";
}

// Says nothing of the values of a matrix that has none.
static std::string gistOf(const Explanation &e) {
  const Plan &plan = e.chosen.plan;
  const char *ofValues = e.isEmpty ? "" : codingOf(plan).gist;
  return gistOfOrder(plan) + (*ofValues ? ofValues + std::string(", and ") : "") +
         findFormat(plan.format)->gist(plan);
}

static std::string bytesText(const Explanation &e) {
  return llvm::formatv("{0:f2} of CSR's bytes{1}", e.ofCsrBytes, paddingText(e.valuesPerEntry));
}

// Names the time between launches if the product leaves more than a twentieth of it.
static std::string timeText(const Explanation &e) {
  std::string text = "predicted " + shortTime(e.chosen.predictedUs);
  if (!e.time)
    return text;
  const ProductTime &t = *e.time;
  const std::pair<double, const char *> parts[] = {{t.launchUs - t.periodUs, "for launching"},
                                                   {t.streamUs, "for streaming bytes"},
                                                   {t.gatherUs, "for gathering x"},
                                                   {t.waitUs, "for waiting for loads and passes"},
                                                   {t.hostUs, "for work of the host"}};
  const auto &most = *llvm::max_element(
      parts, [](const auto &one, const auto &other) { return one.first < other.first; });
  if (t.periodUs > t.totalUs / 20)
    text += llvm::formatv(" because launches are {0} apart; its work takes {1}",
                          shortTime(e.periodUs), shortTime(t.totalUs - t.periodUs));
  return llvm::formatv("{0}, of which {1} {2}", text, shortTime(most.first), most.second);
}

static std::string balanceText(const Explanation &e) {
  return e.csrVectorPasses ? ", and " + passesText(e.chosen.traffic.longestChain,
                                                   *e.csrVectorPasses, "csr-vector's ")
                           : "";
}

static std::string codingText(const std::string &coding) {
  const char *text = "; values={0} would save less than the {1:f0} percent that a coding must save";
  return coding.empty() ? "" : llvm::formatv(text, coding, 100 * (1 - kWorthCoding)).str();
}

std::string whySentence(const Explanation &e) {
  return llvm::formatv("{0}{1}; it stores {2}{3}; {4}{5}{6}", openingText(e), gistOf(e),
                       bytesText(e), balanceText(e), timeText(e), runnerUpText(e),
                       codingText(e.codingOfLittleUse));
}

// --- cuSPARSE and the set-up

static const char *basisOf(const CusparseTime &time) {
  switch (time.by) {
  case CusparseTime::By::rates:
    return "predicted, from the lowest rate at which cuSPARSE was measured";
  case CusparseTime::By::estimate:
    return "predicted from estimated rates";
  case CusparseTime::By::measurement:
    break;
  }
  return "measured";
}

std::string gainSentence(const Explanation &e) {
  if (isLibraryCall(e.chosen.plan))
    return "none: the choice is a call of cuSPARSE";
  if (!e.cusparse)
    return e.choice.by == ChosenBy::wisdom
               ? "not known: without a profile cuSPARSE is not predicted"
               : "not known: none of cuSPARSE's formats has a plan that was priced";
  const bool isFaster = e.productUs <= e.cusparse->us;
  const double times = isFaster ? e.cusparse->us / e.productUs : e.productUs / e.cusparse->us;
  return llvm::formatv("{0:f2} times as {1} as the best of cuSPARSE, {2}: {3} ({4})", times,
                       isFaster ? "fast" : "slow", e.cusparse->format, shortTime(e.cusparse->us),
                       basisOf(*e.cusparse));
}

static std::string afterText(int64_t products) {
  if (products == kNever)
    return "never";
  return products == 1 ? "after 1 product" : llvm::formatv("after {0} products", products).str();
}

std::string paysSentence(const Explanation &e) {
  if (e.paysAfter == kNever)
    return e.cusparse ? "never: it is not faster than cuSPARSE"
                      : "after an unknown number of products";
  return llvm::formatv("{0} ({1} of set-up, kernels loaded), {2} once the choice is known ({3}), "
                       "{4} if all kernels must be compiled ({5}); predicted, against cuSPARSE's "
                       "fastest without a set-up",
                       afterText(e.paysAfter), shortTime(e.setupUs), afterText(e.paysAfterKnown),
                       shortTime(e.knownSetupUs), afterText(e.paysAfterCompiling),
                       shortTime(e.compiledSetupUs));
}

std::string shortSentence(const Explanation &e) {
  std::string out = llvm::formatv("{0}{1}; {2}; predicted {3}", openingText(e), gistOf(e),
                                  bytesText(e), shortTime(e.chosen.predictedUs));
  if (!e.cusparse || isLibraryCall(e.chosen.plan))
    return out;
  const bool isMeasured = e.cusparse->by == CusparseTime::By::measurement;
  out = llvm::formatv("{0}; {1}{2:f2} times as fast as {3}; set-up pays {4}", out,
                      isMeasured ? "" : "as predicted, ", e.cusparse->us / e.productUs,
                      e.cusparse->format, afterText(e.paysAfter));
  if (e.paysAfter == kNever)
    return out;
  return llvm::formatv("{0}, {1} once the choice is known", out, afterText(e.paysAfterKnown));
}

// --- Json ----------------------------------------------------------------------------------------

// Writes plans and explanations as JSON.

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
