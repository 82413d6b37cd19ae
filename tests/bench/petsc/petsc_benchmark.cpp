// Times PETSc's solvers with its own matrix type and with specmv's operator, and what the operator
// costs the host beside specmvExecute(). One JSON line for each solve or for the products:
//
//   petsc_benchmark -problem poisson|elasticity -n POINTS -operator own|specmv [-trials 3] [KSP
//   options] petsc_benchmark -problem poisson -n 20 -products
//
// A solve begins with the assembled matrix, on the GPU if PETSc has CUDA (-type aijcusparse), and
// ends with the solution: set-up is all that KSPSetUp() and the first product do. A small solve
// beforehand loads NVIDIA's libraries.
#include "runtime/adapters/petsc/specmv_petsc.h"
#include "tests/bench/petsc/problems.h"

#include <petsctime.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace specmv::bench;

namespace {

constexpr auto kDone = static_cast<PetscErrorCode>(0);

struct Request {
  std::array<char, 32> problem = {"poisson"}, type = {MATAIJ}, oper = {"own"};
  PetscInt n = 30, trials = 3;
  PetscBool products = PETSC_FALSE;
  [[nodiscard]] bool isElasticity() const { return problem[0] == 'e'; }
  [[nodiscard]] bool isOurs() const { return oper[0] == 's'; }
};

PetscErrorCode read(Request &request) {
  PetscFunctionBegin;
  if (PetscDefined(HAVE_CUDA))
    request.type = {"aijcusparse"};
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-problem", request.problem.data(),
                                  request.problem.size(), nullptr));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-type", request.type.data(),
                                  request.type.size(), nullptr));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-operator", request.oper.data(),
                                  request.oper.size(), nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &request.n, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-trials", &request.trials, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-products", &request.products, nullptr));
  PetscFunctionReturn(kDone);
}

// The matrix in its type, with its values where products run.
PetscErrorCode place(const Request &request, PetscInt n, Mat host, Mat *a) {
  PetscFunctionBegin;
  PetscCall(MatConvert(host, request.type.data(), MAT_INITIAL_MATRIX, a));
  if (request.isElasticity())
    PetscCall(setRigidBody(n, *a));
#if PetscDefined(HAVE_CUDA)
  PetscBool cusparse = PETSC_FALSE;
  const PetscScalar *values = nullptr;
  PetscCall(
      PetscObjectTypeCompare(reinterpret_cast<PetscObject>(*a), MATSEQAIJCUSPARSE, &cusparse));
  if (cusparse) {
    PetscCall(MatSeqAIJCUSPARSEGetArrayRead(*a, &values));
    PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(*a, &values));
  }
#endif
  PetscFunctionReturn(kDone);
}

struct Solve {
  double setup = 0, solve = 0, residual = 0; // seconds; the last is relative
  PetscInt iterations = 0;
};

PetscErrorCode residualOf(Mat a, Vec x, Vec b, double *residual) {
  Vec r = nullptr;
  PetscReal norm = 0, size = 0;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(a, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, &norm));
  PetscCall(VecNorm(b, NORM_2, &size));
  PetscCall(VecDestroy(&r));
  *residual = norm / size;
  PetscFunctionReturn(kDone);
}

PetscErrorCode solve(const Request &request, Mat a, Solve &result) {
  PetscLogDouble begin = 0, ready = 0, end = 0;
  KSP ksp = nullptr;
  Vec x = nullptr, b = nullptr;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(a, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(VecSet(x, 0));
  PetscCall(PetscTime(&begin));
  if (request.isOurs())
    PetscCall(MatSpecmvAttach(a));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, a, a));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 10000));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetUp(ksp));
  PetscCall(PetscTime(&ready));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(PetscTime(&end));
  result.setup = ready - begin;
  result.solve = end - ready;
  PetscCall(KSPGetIterationNumber(ksp, &result.iterations));
  PetscCall(residualOf(a, x, b, &result.residual));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(kDone);
}

PetscErrorCode make(const Request &request, PetscInt n, Mat *host) {
  PetscFunctionBegin;
  PetscCall((request.isElasticity() ? makeElasticity : makePoisson)(n, host));
  PetscFunctionReturn(kDone);
}

PetscErrorCode print(const Request &request, Mat a, PetscInt trial, const Solve &result) {
  MatInfo info;
  std::array<char, 32> pc = {"default"};
  PetscInt rows = 0;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-pc_type", pc.data(), pc.size(), nullptr));
  PetscCall(MatGetInfo(a, MAT_LOCAL, &info));
  PetscCall(MatGetSize(a, &rows, nullptr));
  PetscCall(PetscPrintf(
      PETSC_COMM_SELF,
      "{\"problem\":\"%s\",\"rows\":%d,\"nnz\":%.0f,\"type\":\"%s\",\"pc\":\"%s\",\"operator\":\"%"
      "s\",\"trial\":%d,"
      "\"setupMs\":%.3f,\"solveMs\":%.3f,\"totalMs\":%.3f,\"iterations\":%d,\"residual\":%.3e}\n",
      request.problem.data(), static_cast<int>(rows), info.nz_used, request.type.data(), pc.data(),
      request.oper.data(), static_cast<int>(trial), 1e3 * result.setup, 1e3 * result.solve,
      1e3 * (result.setup + result.solve), static_cast<int>(result.iterations), result.residual));
  PetscFunctionReturn(kDone);
}

// Each trial has a matrix of its own. The first one is of a pattern that is new to this process.
PetscErrorCode solveAll(const Request &request, PetscInt n, PetscInt trials, bool warmUp) {
  Mat host = nullptr;

  PetscFunctionBegin;
  PetscCall(make(request, n, &host));
  for (PetscInt trial = 1; trial <= trials; ++trial) {
    Mat a = nullptr;
    Solve result;
    PetscCall(place(request, n, host, &a));
    PetscCall(solve(request, a, result));
    if (!warmUp)
      PetscCall(print(request, a, trial, result));
    PetscCall(MatDestroy(&a));
  }
  PetscCall(MatDestroy(&host));
  PetscFunctionReturn(kDone);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// Microseconds of the host for each of 200 products, which a GPU takes into its queue without a
// wait. A norm waits for them.
template <class Call> PetscErrorCode timeProducts(Vec y, Call call, double *us) {
  constexpr int kRounds = 51, kCalls = 200;
  std::vector<double> times;
  PetscScalar square = 0;

  PetscFunctionBegin;
  for (int round = 0; round < kRounds; ++round) {
    PetscLogDouble begin = 0, end = 0;
    PetscCall(PetscTime(&begin));
    for (int i = 0; i < kCalls; ++i)
      PetscCall(call());
    PetscCall(PetscTime(&end));
    times.push_back(1e6 * (end - begin) / kCalls);
    PetscCall(VecDot(y, y, &square));
  }
  *us = median(times);
  PetscFunctionReturn(kDone);
}

PetscErrorCode execute(specmvPlan_t plan, const PetscScalar *x, PetscScalar *y) {
  const PetscScalar one = 1, zero = 0;
  PetscFunctionBegin;
  PetscCheck(specmvExecute(plan, &one, x, &zero, y, nullptr) == SPECMV_STATUS_SUCCESS,
             PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", specmvGetLastErrorDetail());
  PetscFunctionReturn(kDone);
}

PetscErrorCode timeAll(const Request &request) {
  Mat host = nullptr, a = nullptr;
  Vec x = nullptr, y = nullptr;
  const PetscScalar *from = nullptr;
  PetscScalar *to = nullptr;
  specmvPlan_t plan = nullptr;
  double own = 0, ours = 0, plain = 0;

  PetscFunctionBegin;
  PetscCall(make(request, request.n, &host));
  PetscCall(place(request, request.n, host, &a));
  PetscCall(MatCreateVecs(a, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(timeProducts(
      y, [&] { return MatMult(a, x, y); }, &own));
  PetscCall(MatSpecmvAttach(a));
  PetscCall(timeProducts(
      y, [&] { return MatMult(a, x, y); }, &ours));
  PetscCall(MatSpecmvGetPlan(a, &plan));
  PetscCall(VecGetArrayReadAndMemType(x, &from, nullptr));
  PetscCall(VecGetArrayAndMemType(y, &to, nullptr));
  PetscCall(VecRestoreArrayAndMemType(y, nullptr));
  PetscCall(timeProducts(
      y, [&] { return execute(plan, from, to); }, &plain));
  PetscCall(VecRestoreArrayReadAndMemType(x, &from));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "{\"problem\":\"%s\",\"n\":%d,\"type\":\"%s\",\"ownMatMultHostUs\":%.3f,"
                        "\"matMultHostUs\":%.3f,"
                        "\"executeHostUs\":%.3f,\"aboveUs\":%.3f}\n",
                        request.problem.data(), static_cast<int>(request.n), request.type.data(),
                        own, ours, plain, ours - plain));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&a));
  PetscCall(MatDestroy(&host));
  PetscFunctionReturn(kDone);
}

} // namespace

int main(int count, char **arguments) {
  Request request;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&count, &arguments, nullptr, nullptr));
  PetscCall(MatSpecmvInitializePackage());
  PetscCall(read(request));
  if (request.products) {
    PetscCall(timeAll(request));
  } else {
    PetscCall(solveAll(request, 12, 1, true));
    PetscCall(solveAll(request, request.n, request.trials, false));
  }
  PetscCall(PetscFinalize());
  return 0;
}
