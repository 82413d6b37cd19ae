// The verb profile: shows time and hardware counters of each format's best predicted plan beside
// the matrix's features, as the HCGHYB paper compares formats (sections 2.1 and 2.2).
#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"
#include "runtime/cli/why.h"

#include "runtime/lab/cupti/kernel_profile.h"
#include "runtime/plan/specialize.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace specmv::cli {

namespace json = llvm::json;

namespace {
// A matrix in one type, and the findings about it.
struct Study {
  TypedMatrix a;
  Request request;
  std::string signature = {};
  RowStatistics rows = {};
  std::vector<KernelProfile> kernels = {};

  Study(const CsrMatrix &matrix, const Options &options, ValueType type)
      : a(matrix, type), request(requestOf(options, type)) {}
};
} // namespace

static llvm::Error timeAll(Study &study, Machine &machine) {
  auto s = analyze(study.a.view, study.request, machine);
  if (!s)
    return s.takeError();
  if (s->ranked.candidates.empty())
    return noPlan(s->ranked.offers);
  study.signature = s->profiled.signature;
  study.rows = rowStatistics(s->profiled.profile);
  study.kernels = bestPlans(s->ranked);
  return timeKernels(study.a.view, study.request.problem, machine, study.kernels);
}

// Prints messages of SPECMV_LOG=debug: the library that read the counters, and each counter's
// value.
static void detailKernel(const KernelProfile &kernel) {
  if (kernel.counted.passes == 0)
    return;
  debug(llvm::formatv("{0}: counted on {1} in {2} passes by {3}", kernel.format,
                      kernel.counted.chip, kernel.counted.passes, kernel.counted.library));
  for (size_t i = 0; i < kernel.counted.values.size(); ++i)
    debug(llvm::formatv("{0}: {1} = {2}", kernel.format, kernelCounters()[i].name,
                        kernel.counted.values[i]));
}

static llvm::Error countAll(Study &study, Machine &machine) {
  llvm::Error error = countKernels(study.a.view, study.request.problem, machine, study.kernels);
  for (const KernelProfile &kernel : study.kernels)
    detailKernel(kernel);
  return error;
}

static json::Object featuresJson(const Study &study) {
  return json::Object{{"nnz", study.a.matrix.nnz()}, {"variance", study.rows.variance},
                      {"std", study.rows.std},       {"anpr", study.rows.mean},
                      {"maxnpr", study.rows.max},    {"distavg", study.rows.distavg}};
}

static json::Object kernelJson(const KernelProfile &kernel) {
  json::Object out{{"format", kernel.format},
                   {"params", paramsOf(kernel.plan)},
                   {"applies", kernel.why.empty()},
                   {"why", kernel.why}};
  for (const MetricColumn &column : metricColumns()) {
    const double value = kernel.metrics.*column.value;
    out[column.key] = std::isfinite(value) ? json::Value(value) : json::Value(nullptr);
  }
  return out;
}

static json::Object studyJson(const Study &study, const Machine &machine) {
  json::Array formats;
  for (const KernelProfile &kernel : study.kernels)
    formats.push_back(kernelJson(kernel));
  return json::Object{{"matrix", jsonOf(study.a.matrix)},
                      {"type", nameOf(study.a.view.valueType)},
                      {"signature", study.signature},
                      {"device", machine.gpu->info().name},
                      {"arch", machine.arch},
                      {"features", featuresJson(study)},
                      {"formats", std::move(formats)}};
}

// The least width of a column; columns are as wide as their titles.
constexpr size_t kLeastWidth = 9;

static std::string padded(const std::string &text, const MetricColumn &column) {
  const size_t width = std::max(kLeastWidth, llvm::StringRef(column.title).size());
  return "  " + std::string(width - std::min(width, text.size()), ' ') + text;
}

static void printKernel(llvm::raw_ostream &out, const KernelProfile &kernel) {
  out << llvm::formatv("{0,-14}", kernel.format);
  if (!kernel.why.empty()) {
    out << "  " << kernel.why << "\n";
    return;
  }
  for (const MetricColumn &column : metricColumns())
    out << padded(cellOf(column, kernel.metrics), column);
  out << "  " << planText(kernel.plan) << "\n";
}

static std::string studyText(const Study &study, const Machine &machine) {
  std::string text;
  llvm::raw_string_ostream out(text);
  const CsrMatrix &m = study.a.matrix;
  out << llvm::formatv("matrix     {0}: {1} x {2}, {3} entries, {4}\n", m.name, m.rows, m.cols,
                       m.nnz(), nameOf(study.a.view.valueType))
      << llvm::formatv("features   nnz {0}, npr variance {1:f2} (root {2:f2}), anpr {3:f2}, maxnpr "
                       "{4}, distavg {5:f1}\n",
                       m.nnz(), study.rows.variance, study.rows.std, study.rows.mean,
                       study.rows.max, study.rows.distavg)
      << llvm::formatv("GPU        {0}; of one product, all its kernels together, caches warm\n",
                       machine.gpu->info().name)
      << llvm::formatv("{0,-14}", "format");
  for (const MetricColumn &column : metricColumns())
    out << padded(column.title, column);
  out << "  plan\n";
  for (const KernelProfile &kernel : study.kernels)
    printKernel(out, kernel);
  return text;
}

llvm::Error profileVerb(const Options &options) {
  if (options.machine.target == Target::host)
    return fail(Status::badCall,
                "profile reads the counters of a GPU; it cannot run with --target host");
  Options onGpu = options;
  onGpu.machine.target = Target::gpu;
  auto task = taskOf(onGpu);
  if (!task)
    return task.takeError();
  // Check the counters before spending time on measurements.
  if (llvm::Error error = checkCupti())
    return error;

  // A deque does not move its elements; a study's view refers to its values. All are timed before
  // any is counted.
  std::deque<Study> studies;
  for (ValueType type : options.types)
    if (llvm::Error error =
            timeAll(studies.emplace_back(task->matrix, options, type), task->machine))
      return error;
  std::vector<Result> results;
  for (Study &study : studies) {
    if (llvm::Error error = countAll(study, task->machine))
      return error;
    results.push_back(options.json ? Result{studyJson(study, task->machine)}
                                   : Result{{}, studyText(study, task->machine)});
  }
  warnAll(task->machine.cache.takeWarnings());
  return writeResults(options, results);
}

} // namespace specmv::cli
