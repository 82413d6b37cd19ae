// Describes the matrix and plan from which a source was made, and the launches of its kernels.
#include "runtime/cli/emit/emitted.h"

#include "generator/shared/several.h"
#include "models/base/text.h"
#include "models/predict/kept_in_l2.h"
#include "runtime/cli/json.h"
#include "runtime/cli/why.h"
#include "runtime/cuda/l2_turns.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

namespace json = llvm::json;

static std::string stepText(const Launch &launch) {
  return llvm::formatv("{0}: grid {1} x {2} x {3}, block {4}, {5} bytes of dynamic shared memory",
                       launch.kernel, launch.grid[0], launch.grid[1], launch.grid[2],
                       launch.blockThreads, launch.sharedBytes);
}

static std::string stepText(const HostDetour &detour) {
  return llvm::formatv("{0} on the host, which is not in this source: makes {1} of {2}",
                       detour.function, detour.to, detour.from);
}

static std::string stepText(const LibraryCall &call) { return "a call of " + call.routine; }

static std::string arrayText(const LayoutArray &array, const char *kind) {
  return llvm::formatv("{0}: {1} of {2}, {3}{4}", array.name, array.count(),
                       deviceNameOf(array.type), shortBytes(static_cast<double>(array.size())),
                       kind);
}

static std::vector<std::string> arrayLines(const Layout &layout) {
  std::vector<std::string> out;
  for (const LayoutArray &array : layout.arrays)
    out.push_back(arrayText(array, array.isSpare       ? ", for kernels of any plan only"
                                   : array.staysOnHost ? ", on the host"
                                   : layout.zeroCopy   ? ", read from the host's memory"
                                                       : ""));
  for (const LayoutArray &array : layout.scratch)
    out.push_back(arrayText(array, ", working memory, zero at first"));
  return out;
}

// The numbers that the kernels take, in a line.
static std::vector<std::string> numberLines(const Layout &layout) {
  std::vector<std::string> out;
  for (const auto &[name, value] : layout.integers)
    out.push_back(name + "=" + std::to_string(value));
  return out.empty() ? out : std::vector<std::string>{llvm::join(out, " ")};
}

// Labels the first line only. A name may hold any byte, and a line ending in a backslash would
// continue the comment on the next line.
static std::string commentLines(const char *label, const std::vector<std::string> &lines) {
  std::string out;
  for (const std::string &line : lines) {
    out += llvm::formatv("// {0,-10} {1}", label, shownOnOneLine(line));
    out += llvm::StringRef(out).ends_with("\\") ? ".\n" : "\n";
    label = "";
  }
  return out;
}

// Returns the steps for one vector, then for several: several vectors are first copied to rows,
// unless they are already stored that way.
static Steps allSteps(const Emitted &e) {
  Steps out = e.steps;
  if (e.problem.vectors == 1)
    return out;
  out.push_back({rowsOfXLaunch(e.problem, e.a.matrix.cols)});
  llvm::append_range(out, e.several);
  return out;
}

// Explains the argument that is neither an array nor a number of the matrix.
static std::string policyLines(const Steps &steps) {
  const auto hasPolicy = [](const Step &step) {
    const auto *launch = std::get_if<Launch>(&step.action);
    return launch && llvm::any_of(launch->arguments, [](const Argument &argument) {
             return argument.binding == Binding::l2Policy;
           });
  };
  if (llvm::none_of(steps, hasPolicy))
    return "";
  return commentLines(
      "policy",
      {llvm::formatv("{0:x} keeps the arrays in L2, {1:x} half of them, {2:x} none",
                     l2PolicyOf(kSixteenths), l2PolicyOf(kSixteenths / 2), l2PolicyOf(0))});
}

std::string headerOf(const Emitted &e) {
  const CsrMatrix &m = e.a.matrix;
  std::vector<std::string> steps;
  for (const Step &step : allSteps(e))
    steps.push_back(std::visit([](const auto &action) { return stepText(action); }, step.action));
  const std::string matrix = llvm::formatv("{0}: {1} x {2}, {3} entries, {4}", m.name, m.rows,
                                           m.cols, m.nnz(), nameOf(e.problem.type));
  return commentLines("matrix", {matrix}) + commentLines("signature", {e.signature}) +
         commentLines("made by", {"specmv " SPECMV_VERSION_TEXT, e.call}) +
         commentLines("plan", {e.plan.text() + ", chosen for " + e.arch}) +
         commentLines("launch", steps) + policyLines(allSteps(e)) +
         commentLines("arrays", arrayLines(e.layout)) +
         commentLines("numbers", numberLines(e.layout)) + "\n";
}

static json::Array launchesJson(const Steps &steps) {
  json::Array out;
  for (const Step &step : steps)
    if (const auto *launch = std::get_if<Launch>(&step.action))
      out.push_back(
          json::Object{{"kernel", launch->kernel},
                       {"grid", json::Array{launch->grid[0], launch->grid[1], launch->grid[2]}},
                       {"block", launch->blockThreads},
                       {"sharedBytes", launch->sharedBytes}});
  return out;
}

static json::Array arraysJson(const Layout &layout) {
  json::Array out;
  for (const auto *list : {&layout.arrays, &layout.scratch})
    for (const LayoutArray &array : *list)
      out.push_back(json::Object{{"name", array.name},
                                 {"type", nameOf(array.type)},
                                 {"count", array.count()},
                                 {"bytes", array.size()}});
  return out;
}

json::Object jsonOf(const Emitted &e) {
  json::Object out = specmv::jsonOf(e.plan);
  out["matrix"] = jsonOf(e.a.matrix);
  out["type"] = nameOf(e.problem.type);
  out["signature"] = e.signature;
  out["arch"] = e.arch;
  out["vectors"] = e.problem.vectors;
  out["launches"] = launchesJson(allSteps(e));
  out["arrays"] = arraysJson(e.layout);
  return out;
}

} // namespace specmv::cli
