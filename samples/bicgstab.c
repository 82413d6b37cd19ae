/* Solves a convection-diffusion problem on an n x n grid, whose matrix is not symmetric, by
 * BiCGSTAB (van der Vorst 1992): two products with the same plan in each iteration.
 *
 *   bicgstab [n]        (default 200) */
#define _POSIX_C_SOURCE 199309L
#include "vectors.h"

#include <math.h>

typedef struct {
  int n;
  double *b, *x, *r, *shadow, *p, *v, *t;
  int iterations;
} Solver;

static const double kOne = 1, kZero = 0;

static void multiply(specmvPlan_t plan, const Place *place, const double *x, double *y) {
  check(specmvExecute(plan, &kOne, x, &kZero, y, place->stream), "specmvExecute");
}

/* Starts from the current residual: at the beginning, and again when the method breaks down because
 * the residual has become orthogonal to its shadow. Returns rho, their product. */
static double begin(const Place *place, Solver *s) {
  copy(place, s->n, s->r, s->shadow);
  copy(place, s->n, s->r, s->p);
  return dot(place, s->n, s->r, s->r);
}

/* Returns true if a product of two vectors consists only of rounding errors or is not a number. */
static int isLost(double product, double squareOfOne, double squareOfOther) {
  return !(fabs(product) > 1e-12 * sqrt(squareOfOne * squareOfOther));
}

/* Iterates from x = 0 until |r| <= 1e-6 |b|. r is also used as s, the residual between the two half
 * steps. */
static void solve(specmvPlan_t plan, const Place *place, void *data) {
  Solver *s = data;
  const int n = s->n;
  scale(place, n, 0, s->x);
  copy(place, n, s->b, s->r);
  double rho = begin(place, s), square = rho, ofShadow = rho;
  const double goal = 1e-12 * rho;
  for (s->iterations = 0; square > goal && s->iterations < n; ++s->iterations) {
    multiply(plan, place, s->p, s->v);
    const double along = dot(place, n, s->shadow, s->v);
    if (isLost(along, ofShadow, dot(place, n, s->v, s->v))) {
      rho = ofShadow = begin(place, s);
      continue;
    }
    const double alpha = rho / along;
    axpy(place, n, alpha, s->p, s->x);
    axpy(place, n, -alpha, s->v, s->r);
    multiply(plan, place, s->r, s->t);
    const double omega = dot(place, n, s->t, s->r) / dot(place, n, s->t, s->t);
    axpy(place, n, omega, s->r, s->x);
    axpy(place, n, -omega, s->t, s->r);
    square = dot(place, n, s->r, s->r);
    const double next = dot(place, n, s->shadow, s->r);
    if (isLost(next, ofShadow, square)) {
      rho = ofShadow = begin(place, s);
      continue;
    }
    axpy(place, n, -omega, s->v, s->p); /* p = r + beta (p - omega v) */
    scale(place, n, next / rho * alpha / omega, s->p);
    axpy(place, n, 1, s->r, s->p);
    rho = next;
  }
}

int main(int argc, char **argv) {
  const int n = sizeFrom(argc, argv, 200, 20000);
  Csr a = gridMatrix(n, 0.4);
  Place place = openPlace(1);
  double *ones = allocate((size_t)a.rows, sizeof *ones);
  for (int i = 0; i < a.rows; ++i)
    ones[i] = 1;
  Solver solver = {.n = a.rows, .b = vectorOf(&place, a.rows, ones)};
  double **const work[] = {&solver.x, &solver.r, &solver.shadow, &solver.p, &solver.v, &solver.t};
  for (size_t i = 0; i < sizeof work / sizeof *work; ++i)
    *work[i] = vectorOf(&place, a.rows, NULL);

  specmvMatrix_t matrix = matrixOf(&a);
  specmvPlanOptions_t options = optionsFor(&place);
  specmvPlan_t plan;
  check(specmvCreatePlan(&plan, matrix, &options), "specmvCreatePlan");
  describe(plan);
  const double ms = timeOf(solve, plan, &place, &solver);
  printf("solve      %d iterations, %.2f ms\n", solver.iterations, ms);

  multiply(plan, &place, solver.x, solver.t); /* recomputes the residual b - A x */
  scale(&place, a.rows, -1, solver.t);
  axpy(&place, a.rows, 1, solver.b, solver.t);
  const double error = sqrt(dot(&place, a.rows, solver.t, solver.t) / a.rows);
  printf("residual   %.2e\n", error);
  compareWithCusparse(solve, matrix, &place, &solver, ms);

  check(specmvDestroyPlan(plan), "specmvDestroyPlan");
  check(specmvDestroyMatrix(matrix), "specmvDestroyMatrix");
  for (size_t i = 0; i < sizeof work / sizeof *work; ++i)
    freeVector(&place, *work[i]);
  freeVector(&place, solver.b);
  closePlace(&place);
  free(ones);
  freeCsr(&a);
  return fflush(stdout) == 0 && error <= 1e-5 ? 0 : 1;
}
