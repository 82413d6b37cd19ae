// Finds the plans of permuted matrices.
#include "tests/simt/ordered_cases.h"

#include "generator/order/order.h"
#include "generator/rank.h"
#include "models/lab/families/families.h"

namespace specmv::simt {

static constexpr Problem kOrderedProblems[] = {
    {ValueType::f64, true},
    {ValueType::f32, false},
    {.type = ValueType::f32, .scalarsAreOnGpu = true, .vectorsAreDouble = true}};

std::vector<TestMatrix> orderedMatrices() {
  std::vector<TestMatrix> out;
  for (TestMatrix &matrix : caseMatrices())
    if (matrix.rows == matrix.cols)
      out.push_back(std::move(matrix));
  CsrMatrix mesh = llvm::cantFail(generateFamily("fem2d:rows=1500,order=random"));
  out.push_back({"mesh", mesh.rows, mesh.cols, std::move(mesh.rowPtr), std::move(mesh.col)});
  return out;
}

static void addCase(std::vector<TestCase> &out, const Format &format, const TestMatrix &matrix,
                    const PlanRequest &request) {
  std::vector<Candidate> offered = priced(offerOf(format, request), request);
  if (offered.empty())
    return;
  Plan plan = std::move(offered.front().plan);
  plan.order = kBreadthFirst;
  for (const bool isGeneral : {false, true}) {
    if (isGeneral && !format.general)
      return;
    TestCase test{&format, &matrix, request.problem, {plan, true, isGeneral}, ""};
    test.source = format.sourceFor(test.kernelPlan(), test.problem).text;
    out.push_back(std::move(test));
  }
}

std::vector<TestCase> orderedCases(const std::vector<TestMatrix> &matrices) {
  const GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  std::vector<TestCase> out;
  for (const TestMatrix &matrix : matrices) {
    const CsrView a = matrix.view(ValueType::f64, nullptr);
    auto order = orderOf(a);
    if (!order) {
      llvm::consumeError(order.takeError());
      continue;
    }
    const SparsityProfile seen = profile(permuted(a, *order).view);
    for (const Problem &problem : kOrderedProblems)
      if (&problem == std::begin(kOrderedProblems) || matrix.name == "mesh")
        for (const Format &format : formats())
          if (!format.library)
            addCase(out, format, matrix, {seen, problem, gpu, {}});
  }
  return out;
}

} // namespace specmv::simt
