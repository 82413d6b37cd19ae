// The verb analyze: what the matrix looks like, what each plan would cost, which is chosen and why.
#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"

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
          pmfEstimate(pmf, machine.model, PmfVariant::corrected)};
}

json::Object jsonOf(const PmfTime &time) {
  return json::Object{{"ct", time.ct}, {"dtt", time.dtt}};
}

json::Object jsonOf(const PmfEstimate &e) {
  json::Object hyb = jsonOf(e.hyb);
  hyb["k"] = e.hyb.k;
  return json::Object{{"coo", jsonOf(e.coo)},
                      {"csr", jsonOf(e.csr)},
                      {"ell", jsonOf(e.ell)},
                      {"hyb", std::move(hyb)}};
}

json::Object profileJson(const Analysis &a) {
  json::Array pmf;
  for (const LengthCount &l : a.s.profile.lengths)
    pmf.push_back(json::Array{l.length, l.rows});
  return json::Object{{"mean", a.rows.mean},
                      {"std", a.rows.std},
                      {"variance", a.rows.variance},
                      {"skewness", a.rows.skewness},
                      {"max", a.rows.max},
                      {"min", a.rows.min},
                      {"mode", a.rows.mode},
                      {"emptyRows", a.rows.emptyRows},
                      {"bandwidth", a.s.profile.bandwidth},
                      {"diagonals", a.s.profile.occupiedDiagonals},
                      {"distavg", a.rows.distavg},
                      {"sampled", a.s.profile.sampled},
                      {"pmf", std::move(pmf)}};
}

// Entries over places, 0 where there are none.
double fillOf(const BlockFill &fill, Count places) {
  return places == 0 ? 0 : static_cast<double>(fill.sampledEntries) / static_cast<double>(places);
}

json::Array candidatesJson(const Specialized &s) {
  json::Array out;
  for (const Candidate &c : s.candidates) {
    json::Object o = cli::jsonOf(c.plan);
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

json::Object toJson(const Analysis &a) {
  json::Object out{{"matrix", cli::jsonOf(a.matrix)},
                   {"type", nameOf(a.type)},
                   {"profile", profileJson(a)},
                   {"signature", a.s.signature},
                   {"gpu", a.machine.model.name},
                   {"candidates", candidatesJson(a.s)},
                   {"pmf", json::Object{{"asPrinted", jsonOf(a.asPrinted)},
                                        {"corrected", jsonOf(a.corrected)}}}};
  out["chosen"] = a.s.candidates.empty() ? json::Value(nullptr)
                                         : json::Value(cli::jsonOf(a.s.candidates.front().plan));
  return out;
}

// How full aligned blocks are, and how many tiles of each size hold an entry.
void printBlocks(llvm::raw_ostream &out, const SparsityProfile &p) {
  out << "blocks    ";
  for (int side : {2, 3, 4, 8}) {
    const Count blocks = p.blockFill.blocks[side - 1][side - 1];
    out << llvm::formatv(" {0} x {0} full to {1:f2}{2}", side,
                         fillOf(p.blockFill, blocks * side * side), side == 8 ? "" : ",");
  }
  out << llvm::formatv(
      " ({0})\n", p.sampled
                      ? llvm::formatv("a sample of {0} entries", p.blockFill.sampledEntries).str()
                      : "all entries");
  out << "tiles     ";
  for (const TileCount &tiles : p.tiles)
    if (tiles.d == 16 || tiles.d == 256 || tiles.d == 4096 || tiles.d == 65536)
      out << llvm::formatv(" d = {0}: {1}{2}", tiles.d, tiles.tiles, tiles.d == 65536 ? "\n" : ",");
}

void printProfile(llvm::raw_ostream &out, const Analysis &a) {
  const SparsityProfile &p = a.s.profile;
  out << llvm::formatv("matrix     {0}: {1} x {2}, {3} entries\n", a.matrix.name, p.rows, p.cols,
                       p.nnz)
      << llvm::formatv("signature  {0}\n", a.s.signature)
      << llvm::formatv(
             "rows       {0:f2} entries on average (sigma {1:f2}, skewness {2:f2}), {3} to "
             "{4}, most often {5}, {6} empty\n",
             a.rows.mean, a.rows.std, a.rows.skewness, a.rows.min, a.rows.max, a.rows.mode,
             a.rows.emptyRows)
      << llvm::formatv("columns    bandwidth {0}, {1} diagonals, first to last {2:f1} on average\n",
                       p.bandwidth, p.occupiedDiagonals, a.rows.distavg);
  printBlocks(out, p);
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

} // namespace

llvm::Error analyzeVerb(const Options &options) {
  auto task = taskOf(options);
  if (!task)
    return task.takeError();
  auto s = analyze(task->matrix.view(), requestOf(options, task->type), task->machine);
  if (!s)
    return s.takeError();
  if (!options.signature.empty())
    if (llvm::Error error = writeFile(options.signature, serializeProfile(s->profile)))
      return error;
  const Analysis a = analysisOf(task->matrix, task->type, task->machine, *s);
  llvm::Error written = writeResult(options.output, [&](llvm::raw_ostream &out) {
    if (options.json) {
      out << llvm::formatv("{0:2}\n", json::Value(toJson(a)));
      return;
    }
    printProfile(out, a);
    printPmf(out, "as printed", a.asPrinted);
    printPmf(out, "corrected", a.corrected);
    printCandidates(out, a, options.why);
  });
  if (written || !s->candidates.empty())
    return written;
  return failWith(Status::notApplicable, whyNone(s->offers));
}

} // namespace specmv::cli
