// Writes the results of analyze as JSON.
#include "runtime/cli/analyze/analysis.h"

#include "runtime/cli/analyze/papers.h"
#include "runtime/cli/analyze/values.h"
#include "runtime/cli/json.h"
#include "runtime/cli/profile/report.h"
#include "runtime/cli/why.h"
#include "runtime/explain/sentence.h"
#include "runtime/plan/worth.h"

namespace specmv::cli {

namespace json = llvm::json;

// Adds a candidate's set-up time and its total with the expected products; null unless set-ups are
// weighed.
static void addTotal(json::Object &to, const Candidate &c, const Request &request) {
  to["setupUs"] = nullptr, to["totalUs"] = nullptr;
  if (!request.weighsSetup())
    return;
  to["setupUs"] = c.setup.totalUs();
  to["totalUs"] = worthOf(c).totalUs(request.expectedProducts);
}

static json::Value orNull(const std::optional<double> &us) {
  return us ? json::Value(*us) : json::Value(nullptr);
}

static json::Object predictedJson(const Analysis &a, const Candidate &c) {
  const StripsPrediction p =
      stripsPrediction(c.plan, a.strips, a.machine.model, a.request.problem.type);
  return json::Object{{"strips", orNull(p.strips)},
                      {"statistics", orNull(p.statistics)},
                      {"traffic", c.predictedUs}};
}

static json::Array candidatesJson(const Analysis &a) {
  const Ranked &ranked = a.seen.ranked;
  const Fit &fit = a.fit;
  json::Array out;
  for (size_t i = 0; i < ranked.candidates.size(); ++i) {
    const Candidate &c = ranked.candidates[i];
    json::Object o = jsonOf(c.plan);
    o["bytes"] = c.traffic.storedBytes;
    o["predictedUs"] = predictedJson(a, c);
    o["comparedUs"] = c.comparedUs;
    o["caution"] = c.traffic.caution;
    addTotal(o, c, a.request);
    const bool applies = i >= fit.index;
    o["applies"] = applies;
    o["why"] = applies ? "" : fit.whyNot[i];
    out.push_back(std::move(o));
  }
  for (const Offer &offer : ranked.offers)
    if (offer.plans.empty())
      out.push_back(json::Object{
          {"format", offer.format->name},
          {"params", json::Object{}},
          {"text", nullptr},
          {"bytes", nullptr},
          {"predictedUs",
           json::Object{{"strips", nullptr}, {"statistics", nullptr}, {"traffic", nullptr}}},
          {"comparedUs", nullptr},
          {"caution", nullptr},
          {"setupUs", nullptr},
          {"totalUs", nullptr},
          {"applies", false},
          {"why", offer.why}});
  return out;
}

static json::Value reasonJson(const Analysis &a) {
  if (a.seen.ranked.candidates.empty())
    return nullptr;
  const Explanation e = explanationOf(a.seen, a.fit, a.request, a.machine);
  return whyJson(e, whySentence(e));
}

json::Object analysisJson(const Analysis &a) {
  json::Object out{{"matrix", jsonOf(a.matrix)},
                   {"type", nameOf(a.request.problem.type)},
                   {"vectors", a.request.vectors},
                   {"profile", jsonOf(a.seen.profiled.profile, a.rows, a.diagonals)},
                   {"values", valuesJson(a.values)},
                   {"signature", a.seen.profiled.signature},
                   {"gpu", a.machine.model->name},
                   {"gpuRates", ratesJson(a.machine.model)},
                   {"candidates", candidatesJson(a)},
                   {"hybK", json::Object{{"pmf", a.pmfK}, {"rowShare", a.strips.hybK}}}};
  addPapers(out, a);
  const std::vector<Candidate> &candidates = a.seen.ranked.candidates;
  out["chosen"] =
      candidates.empty() ? json::Value(nullptr) : json::Value(jsonOf(candidates[a.fit.index].plan));
  out["why"] = reasonJson(a);
  return out;
}

} // namespace specmv::cli
