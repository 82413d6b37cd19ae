// Reads measurements from JSON lines, and matches their plans with those that formats offer.
#include "runtime/cli/evaluate/records.h"

#include "generator/coding/coding.h"
#include "models/base/text.h"
#include "models/gpus/fields.h"
#include "models/lab/matrix_market/text.h"
#include "models/signature/signature.h"
#include "runtime/cli/bench/records.h"
#include "runtime/cli/bench/suite.h"
#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/machine.h"
#include "runtime/plan/planning_model.h"

#include "llvm/Support/FileSystem.h"

#include <map>

namespace specmv::cli {

namespace json = llvm::json;

std::string ReadMeasured::machine() const { return machineOf(session); }

bool ReadMeasured::isOf(const GpuModel &gpu) const {
  return llvm::StringRef(machine()).contains_insensitive(gpu.name) ||
         modelNameOf(machine()) == gpu.name;
}

namespace {
// A plan read from a file, not yet matched.
struct Line {
  std::string matrix, type, format;
  json::Object params;
  double us, usReplay, usMean;
};
} // namespace

constexpr double kLeastUs = 1e-3, kMostUs = 1e9; // times outside are not plausible

static bool isPlausible(double us) { return us >= kLeastUs && us <= kMostUs; }

// The time by replays; 0 if there is none. A line of bench has it for its fastest plan.
static double replayIn(const json::Object &line, const json::Object &plan) {
  const bool isOfLine =
      line.getObject("params") && *line.getObject("params") == *plan.getObject("params");
  const double us =
      plan.getNumber("usReplay").value_or(isOfLine ? line.getNumber("usReplay").value_or(0) : 0);
  return isPlausible(us) ? us : 0;
}

// Adds the plans of a format's line that have a time. Returns the number of wrong products, which
// are left out.
static int64_t collectPlans(const json::Object &line, std::vector<Line> &out) {
  int64_t wrong = 0;
  const std::string format = line.getString("format").value_or("").str();
  const json::Array *plans = line.getArray("plans");
  for (const json::Value &each : plans ? *plans : json::Array()) {
    const json::Object *plan = each.getAsObject();
    const json::Object *params = plan ? plan->getObject("params") : nullptr;
    const double us = plan ? plan->getNumber("us").value_or(0) : 0;
    const bool isRight = !plan || plan->getBoolean("verified").value_or(true);
    wrong += isRight || llvm::StringRef(format).starts_with("cusparse") ? 0 : 1;
    if (params && isPlausible(us) && isRight)
      out.push_back({line.getString("matrix").value_or("").str(),
                     line.getString("type").value_or("").str(), format, *params, us,
                     replayIn(line, *plan), plan->getNumber("usMean").value_or(0)});
  }
  return wrong;
}

// Finds the offered plan that has these numbers; null if there is none.
static const Plan *match(const std::vector<Offer> &offers, const Line &line) {
  for (const Offer &offer : offers)
    if (offer.format->name == line.format)
      for (const Plan &plan : offer.plans)
        if (paramsOf(plan) == line.params)
          return &plan;
  return nullptr;
}

static llvm::Error matchAll(const std::vector<Line> &lines, const GpuModel &gpu, Measured &m,
                            int64_t &unknown) {
  std::map<std::string, std::vector<Offer>> offered; // by the coding of values
  for (const Line &line : lines) {
    const std::string values = line.params.getString("values").value_or("").str();
    const auto [at, isNew] = offered.try_emplace(values);
    if (isNew && findCoding(values))
      if (llvm::Error error =
              offers({m.profile, {.type = m.type}, gpu, {}, values}, {}).moveInto(at->second))
        return error;
    // The profile says nothing of the permuted matrix of a plan with an order.
    const bool isOfMatrix =
        line.matrix == m.matrix && line.type == nameOf(m.type) && !line.params.getString("order");
    if (const Plan *plan = isOfMatrix ? match(at->second, line) : nullptr)
      m.plans.push_back({*plan, line.us, line.usReplay, line.usMean});
    else
      ++unknown;
  }
  return llvm::Error::success();
}

// A name without folder and extension is looked up in the folder of real matrices.
static llvm::Expected<CsrMatrix> matrixNamed(const std::string &name) {
  for (const char *ending : {".mtx", ".mtx.gz"})
    if (const std::string path = matrixFolder() + "/" + name + ending; llvm::sys::fs::exists(path))
      return loadMatrix(path);
  return loadMatrix(name);
}

static llvm::Expected<SparsityProfile> profileNamed(const std::string &matrix,
                                                    const std::string &path) {
  note("profile of " + matrix);
  auto loaded = matrixNamed(matrix);
  if (loaded)
    return profile(loaded->view());
  return fail(Status::badInput,
              "{0} has no profile of the matrix {1}, which cannot be loaded here: {2}; if it is a "
              "file, set SPECMV_MATRICES to its folder",
              path, matrix, describe(loaded.takeError()).second);
}

static bool hasSizeOf(const SparsityProfile &p, const json::Object &summary) {
  const std::pair<const char *, int64_t> sizes[] = {
      {"rows", p.rows}, {"cols", p.cols}, {"nnz", p.nnz}};
  return llvm::all_of(sizes, [&](const auto &size) {
    return summary.getInteger(size.first).value_or(size.second) == size.second;
  });
}

// Reuses the profile of a matrix that was measured in another type.
static llvm::Expected<SparsityProfile> profileIn(const json::Object &summary,
                                                 const std::string &matrix, const std::string &path,
                                                 const std::vector<Measured> &before) {
  const bool isAgain = !before.empty() && before.back().matrix == matrix &&
                       hasSizeOf(before.back().profile, summary);
  auto found = summary.getString("profile")
                   ? parseProfile(*summary.getString("profile"), path + ": profile of " + matrix)
               : isAgain ? llvm::Expected<SparsityProfile>(before.back().profile)
                         : profileNamed(matrix, path);
  if (!found || hasSizeOf(*found, summary))
    return found;
  return fail(Status::badInput,
              "{0}: the matrix {1} is {2} x {3} with {4} entries, unlike the measured one; another "
              "matrix has this name",
              path, matrix, found->rows, found->cols, found->nnz);
}

static llvm::Error addMatrix(const json::Object &summary, const std::vector<Line> &lines,
                             const GpuModel &gpu, const std::string &path, ReadMeasured &out) {
  Measured m{.matrix = summary.getString("matrix").value_or("").str(),
             .type = summary.getString("type") == "f32" ? ValueType::f32 : ValueType::f64,
             .profileUs = summary.getNumber("profileUs").value_or(0),
             .decisionUs = summary.getNumber("decisionUs").value_or(0)};
  if (summary.getString("type") != nameOf(m.type))
    return fail(Status::badInput, "{0}: the type of {1} is neither f32 nor f64", path, m.matrix);
  auto profiled = profileIn(summary, m.matrix, path, out.all);
  if (!profiled)
    return profiled.takeError();
  m.profile = std::move(*profiled);
  if (llvm::Error error = matchAll(lines, gpu, m, out.unknownPlans))
    return error;
  out.all.push_back(std::move(m));
  return llvm::Error::success();
}

llvm::Error checkMeasured(const ReadMeasured &read, const std::string &path, const GpuModel &gpu) {
  if (read.unknownPlans > 0)
    warn(llvm::formatv("{0}: {1} plans are left out, because this version does not offer them for "
                       "their matrix and {2}",
                       path, read.unknownPlans, gpu.name));
  if (llvm::all_of(read.all, [](const Measured &each) { return each.plans.empty(); }))
    return fail(Status::badInput, "{0} has no matrix with measured plans", path);
  return llvm::Error::success();
}

llvm::Expected<json::Object> sessionIn(const std::string &path) {
  auto bytes = matrixmarket::readText(path);
  if (!bytes)
    return bytes.takeError();
  auto bench = parseBench(bytes->text(), path);
  if (!bench)
    return bench.takeError();
  return bench->sessions.empty() ? json::Object() : std::move(bench->sessions.back());
}

// Checks that joined files come from one GPU and have products with one vector, which is all that
// the models cover; older files do not record the number of vectors.
static llvm::Error checkSessions(llvm::ArrayRef<json::Object> sessions, const std::string &path) {
  for (const json::Object &session : sessions) {
    const json::Object *request = session.getObject("request");
    if (const int64_t vectors = request ? request->getInteger("vectors").value_or(1) : 1;
        vectors > 1)
      return fail(Status::badInput, "{0} has {1} vectors at once, but models cover one", path,
                  vectors);
  }
  return checkOneGpu(sessions, path);
}

llvm::Expected<ReadMeasured> readMeasured(const std::string &path, const GpuModel &gpu) {
  auto bytes = matrixmarket::readText(path);
  if (!bytes)
    return bytes.takeError();
  const llvm::StringRef text = bytes->text();
  auto bench = parseBench(text, path); // refuses a file of another kind
  if (!bench)
    return bench.takeError();
  if (llvm::Error error = checkSessions(bench->sessions, path))
    return error;
  ReadMeasured out;
  if (!bench->sessions.empty())
    out.session = std::move(bench->sessions.back());
  if (bench->curves) {
    auto curves = readCurves(*bench->curves, path);
    if (!curves)
      return curves.takeError();
    out.curves = std::move(*curves);
  }
  std::vector<Line> lines;
  int64_t wrong = 0, matricesOfWrong = 0;
  const auto take = [&](const json::Object &line) -> llvm::Error {
    wrong += collectPlans(line, lines);
    if (!line.getBoolean("summary").value_or(false))
      return llvm::Error::success();
    const std::vector<Line> own = std::exchange(lines, {});
    if (line.getBoolean("verified").value_or(true))
      return addMatrix(line, own, gpu, path, out);
    ++matricesOfWrong;
    return llvm::Error::success();
  };
  if (llvm::Error error = forEachLine(text.take_front(bench->kept), take))
    return error;
  if (wrong > 0 || matricesOfWrong > 0)
    warn(llvm::formatv("{0}: wrong products of specmv are left out: {1}, and all times of {2}; "
                       "measure these matrices again",
                       path, counted(wrong, "product", "products"),
                       counted(matricesOfWrong, "matrix in a type", "matrices in a type")));
  return out;
}

} // namespace specmv::cli
