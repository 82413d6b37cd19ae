// Chooses the fused steps that the host executor runs.
#include "tests/simt/fused_cases.h"

#include "generator/coding/coding.h"
#include "generator/fusion/step.h"
#include "models/base/error.h"
#include "tests/generator/fusion_texts.h"

#include <algorithm>
#include <numeric>

namespace specmv::simt {
namespace {

// A square matrix whose blocks are so many that their sums need two levels: rows of 0 to 4 entries
// and, in the middle, rows that lie in several blocks of one group, and in two groups.
TestMatrix manyBlocks() {
  TestMatrix out{"many blocks", 12000, 12000, {0}, {}};
  for (int64_t row = 0; row < out.rows; ++row) {
    const int64_t length = row == 1000 ? 300 : row == 1600 ? 4400 : row % 5;
    for (int64_t k = 0; k < length; ++k)
      out.col.push_back(static_cast<int32_t>((row * 7 + k * 11) % out.cols));
    std::sort(out.col.begin() + out.rowPtr.back(), out.col.end());
    out.rowPtr.push_back(static_cast<int32_t>(out.col.size()));
  }
  return out;
}

// Numbers of plans with small blocks, where the format has any.
std::vector<Fixed> fixedFor(const Format &format, bool hasManyBlocks) {
  if (!hasManyBlocks)
    return {{}};
  if (format.name == std::string("csr-merge"))
    return {{{"merge.items", 1}, {"merge.threads", 32}}};
  if (format.name == std::string("csr5"))
    return {{{"csr5.omega", 8}, {"csr5.sigma", 4}}};
  if (format.name == std::string("csr-vector"))
    return {{{"csr.lanes", 32}}};
  return {};
}

std::vector<std::shared_ptr<const TestMatrix>> fusedMatrices() {
  std::vector<std::shared_ptr<const TestMatrix>> out;
  for (const TestMatrix &a : adversarialMatrices())
    for (const char *name :
         {"no columns", "all rows empty", "1x1", "one dense row", "full 3 x 3 blocks",
          "diagonals with holes", "rows across many blocks", "odd sizes", "dense tiles"})
      if (a.name == name)
        out.push_back(std::make_shared<const TestMatrix>(a));
  out.push_back(std::make_shared<const TestMatrix>(manyBlocks()));
  return out;
}

bool canFuse(const Format &format, const Fusion &fusion) {
  return format.fuses == Fuses::rowsAndX ||
         (format.fuses == Fuses::rows && !fusion.hasExpression());
}

// Codings that small integers fit. One step is enough, since statements read no values.
std::vector<std::string> codingsFor(const TestMatrix &matrix, const Problem &problem) {
  const bool isCoded =
      matrix.name == "full 3 x 3 blocks" && problem.fusion == &specmv::testing::stepOfExpression();
  return isCoded ? std::vector<std::string>{"", "codes8", "f32", "blocks"}
                 : std::vector<std::string>{""};
}

void addPlan(FusedCase test, std::vector<FusedCase> &out) {
  for (std::string &values : codingsFor(*test.matrix, test.problem)) {
    test.plan.values = std::move(values);
    if (!whyNotCoding(codingOf(test.plan), test.plan, test.problem.type).empty())
      continue;
    test.source = test.format->source(test.plan, test.problem).text;
    out.push_back(test);
  }
}

void addPlans(const std::shared_ptr<const TestMatrix> &matrix, const SparsityProfile &seen,
              const Problem &problem, const GpuModel &gpu, std::vector<FusedCase> &out) {
  for (const Format &format : formats()) {
    if (!canFuse(format, *problem.fusion))
      continue;
    for (const Fixed &fixed : fixedFor(format, matrix->name == "many blocks")) {
      const Offer offer = offerOf(format, {seen, problem, gpu, fixed});
      if (!offer.plans.empty())
        addPlan({&format, matrix, offer.plans.front(), problem, ""}, out);
    }
  }
}

} // namespace

std::string FusedCase::name() const {
  return "\"" + fusion().statements + "\" of " + (format ? plan.text() : "no product") + ", " +
         nameOf(problem.type) + ", matrix \"" + matrix->name + "\"";
}

std::vector<FusedCase> fusedCases() {
  const GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  std::vector<FusedCase> out;
  for (const auto &matrix : fusedMatrices()) {
    const SparsityProfile seen = profile(matrix->view(ValueType::f64, nullptr));
    std::vector<const Fusion *> steps = specmv::testing::fusedSteps();
    if (matrix->name == "odd sizes") // the others would compile the same again
      for (const Fusion *unusual : specmv::testing::unusualSteps())
        steps.push_back(unusual);
    for (const Fusion *fusion : steps) {
      Problem problem{.type = ValueType::f64, .betaCanBeNonZero = false};
      problem.fusion = fusion;
      addPlans(matrix, seen, problem, gpu, out);
      out.push_back({nullptr, matrix, {}, problem, stepSource(problem).text});
    }
  }
  return out;
}

} // namespace specmv::simt
