// The verb run: specialize, multiply, verify, and compare with cuSPARSE where there is a GPU.
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/cli/run/report.h"
#include "runtime/cli/verbs.h"
#include "runtime/cli/why.h"

#include "models/base/stage.h"
#include "models/base/text.h"
#include "runtime/cusparse/cusparse.h"
#include "runtime/host_product.h"
#include "runtime/lab/bench/bench.h"
#include "runtime/lab/yardstick/yardstick.h"
#include "runtime/measure/stopwatch.h"
#include "runtime/plan/specialize.h"

#include <algorithm>

namespace specmv::cli {

// Returns the product that can start before the set-up ends; nullopt if it is not requested, or if
// there is none. On the host, plain CSR is the only product.
static llvm::Expected<std::optional<FirstLaunch>>
startOf(const Options &options, const CsrView &a, const Problem &problem, Machine &machine) {
  if (!options.startNow)
    return std::nullopt;
  if (!machine.gpu)
    return FirstLaunch{.plan = "csr"};
  double ms = 0;
  auto first = timed(ms, [&] { return firstProduct(a, problem, machine); });
  if (!first)
    return first.takeError();
  if (!*first)
    return std::nullopt;
  return FirstLaunch{(*first)->plan.text(), ms};
}

// Returns the profile; computes it if the set-up did not need it.
static llvm::Expected<SparsityProfile> profileAfter(const Specialized &s, const CsrView &a,
                                                    Machine &machine) {
  if (s.profile)
    return *s.profile;
  auto profiled = profileMatrix(a, machine);
  if (!profiled)
    return profiled.takeError();
  return std::move(profiled->profile);
}

// Adds the signature, which is reported, if the set-up did not need it.
static llvm::Error addSignature(Specialized &s, const CsrView &a, Machine &machine) {
  if (!s.signature.empty())
    return llvm::Error::success();
  auto profiled = profileMatrix(a, machine);
  if (!profiled)
    return profiled.takeError();
  s.signature = std::move(profiled->signature);
  return llvm::Error::success();
}

// Times the chosen product and all of cuSPARSE's, on the same vectors.
static llvm::Error timeOnGpu(const CsrView &a, const Request &request, Machine &machine,
                             const Specialized &s, RunOutcome &out) {
  const Problem &problem = request.problem;
  auto vectors = DeviceVectors::make(*machine.gpu, a.rows, a.cols, problem, request.vectors);
  if (!vectors)
    return vectors.takeError();
  auto time = measureProduct(*s.built.product, *vectors, csrBytes(a, request.vectors));
  if (!time)
    return time.takeError();
  out.us = time->us;
  out.replay = std::move(time->replay);
  auto profile = profileAfter(s, a, machine);
  if (!profile)
    return profile.takeError();
  auto cusparse = measureCusparse(a, *profile, problem, machine, *vectors);
  if (!cusparse)
    return cusparse.takeError();
  out.cusparse = std::move(*cusparse);
  if (out.cusparse.times.empty() && !out.cusparse.notes.empty())
    note("no comparison with cuSPARSE: " + out.cusparse.notes.front());
  return llvm::Error::success();
}

static double timeOnHost(const CsrView &a, int64_t vectors, int64_t products) {
  Values x(a.valueType, a.cols * vectors), y(a.valueType, a.rows * vectors);
  const HostVectors several{vectors, x.data(), vectors, 1, y.data(), vectors, 1};
  double ms = 0;
  Stage stage("timing products on the host", Stage::Counts::pieces, products);
  timed(ms, [&] {
    for (int64_t i = 0; i < products; ++i, stage.advance(1))
      vectors == 1 ? multiplyOnHost(a, 1, x.data(), 0, y.data()) : multiplyOnHost(a, 1, several, 0);
  });
  return ms * 1000 / static_cast<double>(products);
}

static llvm::Expected<RunOutcome> multiplyAndVerify(const CsrView &a, const Request &request,
                                                    int64_t hostProducts, Machine &machine,
                                                    Specialized &s) {
  RunOutcome out{.vectors = request.vectors};
  if (machine.gpu) {
    if (llvm::Error error = timeOnGpu(a, request, machine, s, out))
      return error;
  } else {
    out.us = timeOnHost(a, out.vectors, hostProducts);
  }
  auto verification = Verifier(a, request.problem.betaCanBeNonZero, valuesToCheck(request))
                          .check(checkedProduct(a, machine, s.built, out.vectors));
  if (!verification)
    return verification.takeError();
  out.verification = *verification;
  return out;
}

static llvm::Error wrongProduct(const Verification &v, int64_t vectors) {
  const CheckResult &bad = v.exact.passed ? v.rounded : v.exact;
  return fail(
      Status::badInput, "the product is wrong ({0} check): y[{1}]{2} is {3}, but must be {4}",
      v.exact.passed ? "rounded" : "exact", bad.row,
      vectors == 1 ? "" : llvm::formatv(" of vector {0} of {1}", bad.vector + 1, vectors).str(),
      decimalText(bad.got), decimalText(bad.want));
}

// Prints messages of SPECMV_LOG=debug: where kernels came from, and ptxas's messages about them.
static void detailRun(const Machine &machine, const Specialized &s) {
  debug("cache " + machine.cache.path());
  debug("object " + s.built.key.id + (s.built.hit ? ", found" : ", compiled"));
  for (const Candidate &c : s.ranked.candidates)
    debug(llvm::formatv("predicted {0:f2} us: {1}", c.predictedUs, c.plan.text()));
  if (s.built.object && !s.built.object->log.empty())
    debug(s.built.object->log);
}

// Runs for one type and reports the result; `wrong` receives the error of an incorrect product.
static llvm::Expected<Result> runType(const Options &options, Task &task, ValueType type,
                                      llvm::Error &wrong) {
  Machine &machine = task.machine;
  const TypedMatrix a(task.matrix, type);
  const Request request = weighingRequestOf(options, type);
  auto start = startOf(options, a.view, request.problem, machine);
  if (!start)
    return start.takeError();
  auto s = specialize(a.view, request, machine);
  if (!s) { // an unreadable pack may be the reason
    warnAll(machine.cache.takeWarnings());
    return s.takeError();
  }
  warnAll(s->warnings);
  warnAll(machine.cache.takeWarnings());
  detailRun(machine, *s);
  auto outcome = multiplyAndVerify(a.view, request, options.hostProducts, machine, *s);
  if (!outcome)
    return outcome.takeError();
  outcome->start = std::move(*start);
  if (llvm::Error error = addSignature(*s, a.view, machine))
    return error;
  if (!request.plan)
    outcome->why = explanationOf(a.view, request, machine, *s, machine.gpu ? outcome->us : 0,
                                 outcome->cusparse);
  if (s->profile && !request.plan)
    if (const std::string few =
            fewProductsText(sizeOf(*s->profile, request.problem.type), request, machine);
        !few.empty())
      note(llvm::formatv(
          "{0} expected: {1}",
          counted(static_cast<uint64_t>(request.expectedProducts), "product is", "products are"),
          few));
  if (!outcome->verification.passed())
    wrong =
        llvm::joinErrors(std::move(wrong), wrongProduct(outcome->verification, outcome->vectors));
  return options.json ? Result{runJson(a, machine, *s, *outcome, options.products)}
                      : Result{{}, runText(a, machine, *s, *outcome, options.products)};
}

llvm::Error runVerb(const Options &options) {
  auto task = taskOf(options);
  if (!task)
    return task.takeError();
  noteRates(task->machine.model, task->machine.gpu != nullptr);
  llvm::Error failed = llvm::Error::success();
  std::vector<Result> results;
  for (ValueType type : options.types) {
    auto result = runType(options, *task, type, failed);
    if (result)
      results.push_back(std::move(*result));
    else // the results of other types are still written
      failed = llvm::joinErrors(std::move(failed), result.takeError());
  }
  if (results.empty())
    return failed;
  if (!task->machine.gpu)
    note("multiplied on the host with plain CSR: " + task->machine.whyHost);
  return llvm::joinErrors(std::move(failed), writeResults(options, results));
}

} // namespace specmv::cli
