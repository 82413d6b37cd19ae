// Chooses the plans of each format and matrix: some of those offered, and one for each value of
// each parameter that may be fixed.
#include "tests/simt/cases.h"

#include "generator/rank.h"

#include "models/base/error.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>

namespace specmv::simt {
namespace {

// The number of plans of one request that are tried, spread over those offered.
constexpr size_t kMaxOffered = 3;

// Parameters that are fixed together, for plans that none of them leads to alone.
const std::vector<Fixed> &combinations() {
  static const std::vector<Fixed> sets = {
      {{"qcsr.slices", 1}, {"qcsr.stage", 0}, {"qcsr.d", 32}, {"qcsr.rows", 128}},
      {{"qcsr.slices", 1}, {"qcsr.stage", 1}, {"qcsr.d", 64}, {"qcsr.rows", 32}},
      {{"qcsr.slices", 1}, {"qcsr.stage", 1}, {"qcsr.d", 256}, {"qcsr.rows", 512}},
      {{"qcsr.slices", 0}, {"qcsr.stage", 1}, {"qcsr.d", 64}, {"qcsr.fill", 0.3}},
      {{"qcsr.halved", 1}, {"qcsr.stage", 0}, {"qcsr.d", 64}, {"qcsr.fill", 0.3}, {"qcsr.rows", 8}},
      {{"qcsr.halved", 1}, {"qcsr.stage", 1}, {"qcsr.d", 64}, {"qcsr.fill", 0.3}, {"qcsr.rows", 8}},
  };
  return sets;
}

// A format with one of the problems of a table.
std::string kindOf(const Format &format, ptrdiff_t problem) {
  return format.name + (" " + std::to_string(problem)) + " ";
}

// Plans of a format for a matrix.
struct Seen {
  const PlanRequest request;
  const Format &format;
  const std::string kind;
  Turns &turns;
  bool needsFirst = false; // whether the plan that is offered first is tried on every matrix
  std::set<std::string> texts = {};
  std::vector<TestPlan> plans = {};

  // At most `most` plans of this request, from first to last, as far as it is their turn.
  void add(const Fixed &fixed, size_t most) {
    const PlanRequest asked{request.profile, request.problem, request.gpu, fixed, request.values};
    const std::vector<Candidate> offered = priced(offerOf(format, asked), asked);
    const size_t taken = std::min(most, offered.size());
    for (size_t i = 0; i < taken; ++i) {
      const Plan &plan = offered[taken == 1 ? 0 : i * (offered.size() - 1) / (taken - 1)].plan;
      push(plan, fixed.empty(), i == 0 ? nameOf(fixed) : "other " + std::to_string(i));
      if (i == 0 && fixed.empty())
        push(widened(plan), false, "wide");
    }
  }

  static std::string nameOf(const Fixed &fixed) {
    std::string out;
    for (const auto &[name, value] : fixed)
      out += name + "=" + std::to_string(value) + " ";
    return out;
  }

  void push(const Plan &plan, bool isOffered, const std::string &what) {
    const bool isTelling = request.profile.nnz >= kTelling && what != "wide";
    if (texts.contains(plan.text()) ||
        !((needsFirst && what.empty()) || turns.has(kind + what, isTelling)))
      return;
    texts.insert(plan.text());
    plans.push_back({plan, isOffered});
  }
};

std::vector<TestPlan> plansOf(const PlanRequest &request, const Format &format,
                              const std::string &kind, Turns &turns) {
  Seen seen{request, format, kind, turns, request.problem.betaCanBeNonZero};
  seen.add({}, kMaxOffered);
  if (!request.problem.betaCanBeNonZero)
    return std::move(seen.plans); // of which plansTried() takes one
  for (const Parameter &parameter : format.parameters)
    for (double value : parameter.tried)
      seen.add({{parameter.name, value}}, 1);
  for (const Fixed &fixed : combinations())
    if (formatsWith(fixed) == std::vector<std::string>{format.name})
      seen.add(fixed, 1);
  return std::move(seen.plans);
}

// Returns the first and the last plan that is offered for several vectors, and the first with wide
// indices.
std::vector<TestPlan> severalPlansOf(const PlanRequest &request, const Format &format,
                                     const std::string &kind, Turns &turns) {
  Seen seen{request, format, kind, turns};
  if (format.several)
    seen.add({}, 2);
  return std::move(seen.plans);
}

// For several vectors: teams of one thread and of several, the widest ones, and y not read.
constexpr Problem kSeveralProblems[] = {
    {ValueType::f64, true, 8},
    {ValueType::f32, true, 4, true},
    {ValueType::f64, false, 2},
    {ValueType::f32, true, 16},
    {ValueType::f64, true, 16},
    {.type = ValueType::f32, .vectors = 4, .resultIsApart = false, .vectorsAreDouble = true}};

constexpr Problem kProblems[] = {{ValueType::f32, true},
                                 {ValueType::f64, true},
                                 {ValueType::f64, false},
                                 {ValueType::f64, true, 1, true},
                                 {.type = ValueType::f32, .vectorsAreDouble = true},
                                 {.type = ValueType::f64, .resultIsApart = false}};

// Adds plans with the format's general kernel, if there is one: the first, and others in turn.
std::vector<TestPlan> withGeneral(std::vector<TestPlan> plans, const Format &format,
                                  const std::string &kind, Turns &turns) {
  if (!format.general)
    return plans;
  const size_t count = plans.size();
  for (size_t i = 0; i < count; ++i)
    if (i == 0 || turns.has(kind + "general"))
      plans.push_back({plans[i].plan, false, true});
  return plans;
}

// Selects the plans of a format to try: in double all of them, in float every third; only one if y
// is not read, if alpha and beta come from elsewhere or if the result goes elsewhere, which changes
// only the last line of a kernel.
std::vector<TestPlan> plansTried(std::vector<TestPlan> plans, const Problem &problem) {
  const bool isOrdinary = problem.betaCanBeNonZero && !problem.scalarsAreOnGpu &&
                          problem.resultIsApart && !problem.vectorsAreDouble;
  const size_t each = !isOrdinary ? plans.size() : problem.type == ValueType::f32 ? 3 : 1;
  std::vector<TestPlan> out;
  for (size_t i = 0; i < plans.size(); i += each)
    out.push_back(std::move(plans[i]));
  return out;
}

// Selects the matrices on which products with several vectors, with alpha and beta on the GPU, or
// with other types or results, are tried: these variants depend less on the shape, and each needs
// its own kernels.
bool isOneOf(const TestMatrix &a, std::initializer_list<const char *> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string &name) { return a.name == name; });
}
bool isTriedWithSeveral(const TestMatrix &a) {
  return isOneOf(a, {"0x0", "no columns", "one dense row", "a row of many blocks",
                     "full 3 x 3 blocks", "diagonals with holes", "unsorted with repeated columns",
                     "rows across many blocks", "odd sizes"});
}
bool isTriedWith(const Problem &problem, const TestMatrix &a) {
  const bool isOrdinary = isOneOf(a, {"dense tiles", "a few long rows"});
  if (problem.vectorsAreDouble)
    return isOrdinary || isOneOf(a, {"a row of many blocks", "full 3 x 3 blocks",
                                     "diagonals with holes", "unsorted with repeated columns"});
  return isOrdinary || !(problem.scalarsAreOnGpu || !problem.resultIsApart);
}

TestCase testCaseOf(const Format &format, const TestMatrix &matrix, const Problem &problem,
                    TestPlan plan) {
  TestCase out{&format, &matrix, problem, std::move(plan), ""};
  out.source = format.source(out.kernelPlan(), problem).text;
  return out;
}

// The tables are made for all formats, so that others have the same cases without some.
bool isLeftOut(const TestCase &test) { return !isListed("SPECMV_SIMT_FORMATS", test.format->name); }

} // namespace

bool isListed(const char *variable, const char *format) {
  const char *names = std::getenv(variable);
  return !names || ("," + std::string(names) + ",").find("," + std::string(format) + ",") !=
                       std::string::npos;
}

Plan widened(Plan plan) {
  for (auto &[name, value] : plan.integers)
    if (name == "offset" || name == "column")
      value = 64;
  return plan;
}

std::string TestCase::name() const {
  return plan.plan.text() + (plan.isGeneral ? ", general" : "") +
         (problem.vectors == 1 ? "" : ", " + std::to_string(problem.vectors) + " vectors") +
         (problem.betaCanBeNonZero ? "" : ", beta = 0") +
         (problem.scalarsAreOnGpu ? ", alpha and beta on the GPU" : "") +
         (problem.resultIsApart ? "" : ", into y") + ", " + nameOfTypes(problem) + ", matrix \"" +
         matrix->name + "\"";
}

std::vector<TestMatrix> caseMatrices() {
  std::vector<TestMatrix> out = adversarialMatrices();
  const TestMatrix &last = out[out.size() - 2];
  std::vector<int64_t> backwards(static_cast<size_t>(last.rows));
  std::iota(backwards.rbegin(), backwards.rend(), 0);
  out.push_back(permuted(last, backwards));
  return out;
}

std::vector<TestCase> testCases(const std::vector<TestMatrix> &matrices, size_t step) {
  const GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  Turns turns(step);
  std::vector<TestCase> out;
  for (const TestMatrix &matrix : matrices) {
    const SparsityProfile seen = profile(matrix.view(ValueType::f64, nullptr));
    for (const Problem &problem : kProblems)
      for (const Format &format : formats()) {
        if (!isTriedWith(problem, matrix))
          continue;
        const std::string kind = kindOf(format, &problem - kProblems);
        const PlanRequest request{seen, problem, gpu, {}};
        for (TestPlan &plan : withGeneral(
                 plansTried(plansOf(request, format, kind, turns), problem), format, kind, turns))
          out.push_back(testCaseOf(format, matrix, problem, std::move(plan)));
      }
  }
  std::erase_if(out, isLeftOut);
  return out;
}

std::vector<TestCase> severalCases(const std::vector<TestMatrix> &matrices) {
  const GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  Turns turns;
  std::vector<TestCase> out;
  for (const TestMatrix &matrix : matrices) {
    if (!isTriedWithSeveral(matrix))
      continue;
    const SparsityProfile seen = profile(matrix.view(ValueType::f64, nullptr));
    for (const Problem &problem : kSeveralProblems)
      for (const Format &format : formats()) {
        const std::string kind = kindOf(format, &problem - kSeveralProblems);
        const PlanRequest request{seen, problem, gpu, {}};
        for (TestPlan &plan :
             withGeneral(severalPlansOf(request, format, kind, turns), format, kind, turns))
          out.push_back(testCaseOf(format, matrix, problem, std::move(plan)));
      }
  }
  std::erase_if(out, isLeftOut);
  return out;
}

constexpr Problem kCodedProblems[] = {{ValueType::f64, true},
                                      {ValueType::f32, true},
                                      {.type = ValueType::f32, .vectorsAreDouble = true},
                                      {ValueType::f64, true, 8}};

// The matrices on which problems other than the first are tried with codings.
static bool isTriedCodedWithAll(const TestMatrix &a) {
  return isOneOf(a, {"dense tiles", "diagonals with holes", "rows across many blocks"});
}

std::vector<CodedCase> codedCases(const std::vector<TestMatrix> &matrices) {
  const GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  Turns turns(kSampleStep == 1 ? 1 : 2 * kSampleStep); // a coding changes little of a kernel
  std::vector<CodedCase> out;
  for (const TestMatrix &matrix : matrices) {
    if (!isTriedWithSeveral(matrix) && !isOneOf(matrix, {"dense tiles", "a few long rows"}))
      continue;
    const SparsityProfile seen = profile(matrix.view(ValueType::f64, nullptr));
    for (const Problem &problem : kCodedProblems)
      for (const Format &format : formats()) {
        if (&problem != std::begin(kCodedProblems) && !isTriedCodedWithAll(matrix))
          continue;
        for (const Coding *coding : codings().drop_front()) {
          const std::string kind = kindOf(format, &problem - kCodedProblems) + coding->name;
          Seen offered{{seen, problem, gpu, {}, coding->name}, format, kind, turns};
          offered.add({}, 1);
          for (const TestPlan &plan : withGeneral(std::move(offered.plans), format, kind, turns)) {
            TestPlan plain = plan;
            plain.plan.values.clear();
            out.push_back({coding, testCaseOf(format, matrix, problem, plan),
                           testCaseOf(format, matrix, problem, plain)});
          }
        }
      }
  }
  std::erase_if(out, [](const CodedCase &test) { return isLeftOut(test.coded); });
  return out;
}

} // namespace specmv::simt
