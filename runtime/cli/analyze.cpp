// The verb analyze: what the matrix looks like, what each plan would cost, which is chosen and why.
#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/profile_report.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"

#include "generator/hyb_thresholds.h"
#include "models/pmf.h"
#include "models/signature.h"
#include "runtime/choose.h"

#include <algorithm>

namespace specmv::cli {

namespace json = llvm::json;

namespace {

// What the verb reports about one matrix and type.
struct Analysis {
  const CsrMatrix &matrix;
  ValueType type;
  const Machine &machine;
  const Specialized &s;
  RowStatistics rows;
  PmfEstimate asPrinted, corrected;
  struct {
    int64_t pmf, rowShare;
  } k; // thresholds of HYB
};

Analysis analysisOf(const CsrMatrix &matrix, ValueType type, const Machine &machine,
                    const Specialized &s) {
  const PmfInput pmf{s.profile.lengths, s.profile.rows, s.profile.cols, type};
  return {matrix,
          type,
          machine,
          s,
          rowStatistics(s.profile),
          pmfEstimate(pmf, machine.model, PmfVariant::asPrinted),
          pmfEstimate(pmf, machine.model, PmfVariant::corrected),
          {pmfHybKOnDevice(pmf, machine.model), hybThresholdOfRowShare(s.profile)}};
}

json::Object pmfTimeJson(const PmfTime &time) {
  return json::Object{{"ct", time.ct}, {"dtt", time.dtt}};
}

json::Object pmfEstimateJson(const PmfEstimate &e) {
  json::Object hyb = pmfTimeJson(e.hyb);
  hyb["k"] = e.hyb.k;
  return json::Object{{"coo", pmfTimeJson(e.coo)},
                      {"csr", pmfTimeJson(e.csr)},
                      {"ell", pmfTimeJson(e.ell)},
                      {"hyb", std::move(hyb)}};
}

json::Array candidatesJson(const Specialized &s) {
  json::Array out;
  for (const Candidate &c : s.candidates) {
    json::Object o = jsonOf(c.plan);
    o["bytes"] = c.plan.traffic.storedBytes;
    // The strips and statistics papers' models price benchmark matrices, which are not measured.
    o["predictedUs"] =
        json::Object{{"strips", nullptr}, {"statistics", nullptr}, {"traffic", c.predictedUs}};
    o["applies"] = true;
    o["why"] = "";
    out.push_back(std::move(o));
  }
  for (const Offer &offer : s.offers)
    if (offer.plans.empty())
      out.push_back(json::Object{
          {"format", offer.format->name},
          {"params", json::Object{}},
          {"bytes", nullptr},
          {"predictedUs",
           json::Object{{"strips", nullptr}, {"statistics", nullptr}, {"traffic", nullptr}}},
          {"applies", false},
          {"why", offer.why}});
  return out;
}

json::Value analysisJson(const Analysis &a) {
  json::Object out{{"matrix", jsonOf(a.matrix)},
                   {"type", nameOf(a.type)},
                   {"profile", jsonOf(a.s.profile, a.rows)},
                   {"signature", a.s.signature},
                   {"gpu", a.machine.model.name},
                   {"candidates", candidatesJson(a.s)},
                   {"hybK", json::Object{{"pmf", a.k.pmf}, {"rowShare", a.k.rowShare}}},
                   {"pmf", json::Object{{"asPrinted", pmfEstimateJson(a.asPrinted)},
                                        {"corrected", pmfEstimateJson(a.corrected)}}}};
  out["chosen"] = a.s.candidates.empty() ? json::Value(nullptr)
                                         : json::Value(jsonOf(a.s.candidates.front().plan));
  return out;
}

void printPmf(llvm::raw_ostream &out, const char *name, const PmfEstimate &e) {
  out << llvm::formatv("PMF model  {0}, us on the device: COO {1:f3}, CSR {2:f3}, ELL {3:f3}, HYB "
                       "{4:f3} at K = {5}\n",
                       name, e.coo.ct, e.csr.ct, e.ell.ct, e.hyb.ct, e.hyb.k);
}

// What separates a candidate from the chosen one, in the terms of the traffic model.
std::string whyNotChosen(const Candidate &c, const Candidate &best) {
  return llvm::formatv("moves {0:f2} times the bytes of the choice, its slowest thread passes {1} "
                       "times (choice: {2})",
                       static_cast<double>(c.plan.traffic.streamBytes) /
                           static_cast<double>(std::max<int64_t>(1, best.plan.traffic.streamBytes)),
                       c.plan.traffic.longestChain, best.plan.traffic.longestChain);
}

void printCandidates(llvm::raw_ostream &out, const Analysis &a, bool why) {
  out << llvm::formatv("{0,10}  {1,13}  plan (predicted for {2})\n", "us", "bytes",
                       a.machine.model.name);
  for (const Candidate &c : a.s.candidates) {
    out << llvm::formatv("{0,10:f2}  {1,13}  {2}\n", c.predictedUs, c.plan.traffic.storedBytes,
                         c.plan.text());
    if (why && &c != &a.s.candidates.front())
      out << llvm::formatv("{0,27}{1}\n", "", whyNotChosen(c, a.s.candidates.front()));
  }
  for (const Offer &offer : a.s.offers)
    if (offer.plans.empty())
      out << llvm::formatv("{0,10}  {1,13}  {2}\n", "-", "-", offer.why);
  if (!a.s.candidates.empty())
    out << "chosen     " << a.s.candidates.front().plan.text() << "\n";
}

std::string analysisText(const Analysis &a, bool why) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << llvm::formatv("matrix     {0}: {1} x {2}, {3} entries, {4}\n", a.matrix.name,
                       a.matrix.rows, a.matrix.cols, a.matrix.nnz(), nameOf(a.type))
      << llvm::formatv("signature  {0}\n", a.s.signature);
  printProfile(out, a.s.profile, a.rows);
  printPmf(out, "as printed", a.asPrinted);
  printPmf(out, "corrected", a.corrected);
  out << llvm::formatv(
      "HYB's K    {0} by the PMF model on the device, {1} as the largest that max(4096, "
      "N / 3) rows reach\n",
      a.k.pmf, a.k.rowShare);
  printCandidates(out, a, why);
  return text;
}

} // namespace

llvm::Error analyzeVerb(const Options &options) {
  if (llvm::Error error = checkApart("--signature", options.signature, options.output))
    return error;
  auto task = taskOf(options);
  if (!task)
    return task.takeError();
  llvm::Error none = llvm::Error::success();
  std::vector<Result> results;
  for (ValueType type : options.types) {
    auto s = analyze(task->matrix.view(), requestOf(options, type), task->machine);
    if (!s)
      return llvm::joinErrors(std::move(none), s.takeError());
    if (s->candidates.empty())
      none = llvm::joinErrors(std::move(none), noPlan(s->offers));
    // The signature is of the pattern: every type has the same.
    if (!options.signature.empty() && type == options.types.front())
      if (llvm::Error error = writeResult(options.signature, serializeProfile(s->profile)))
        return llvm::joinErrors(std::move(none), std::move(error));
    const Analysis a = analysisOf(task->matrix, type, task->machine, *s);
    results.push_back(options.json ? Result{analysisJson(a)}
                                   : Result{nullptr, analysisText(a, options.why)});
  }
  return llvm::joinErrors(writeResults(options, results), std::move(none));
}

} // namespace specmv::cli
