/* Solves the Poisson problem on an n x n grid by conjugate gradients, in plain C with the C API of
 * specmv, and prints the time of the set-up and of an iteration.
 *
 *   poisson_cg [n]        (default 300; -laplace u = f with zero boundary) */
#define _POSIX_C_SOURCE 199309L
#include "vectors.h"

#include <math.h>

typedef struct {
  int n; /* unknowns */
  const double *b;
  double *x, *r, *p, *q; /* the solution, the residual, the direction, A times the direction */
  int iterations;
} Solver;

static const double kOne = 1, kZero = 0, kMinusOne = -1;

/* Conjugate gradients from x = 0 until |r| <= 1e-8 |b|. */
static void solve(specmvPlan_t plan, const Place *place, void *data) {
  Solver *s = data;
  scale(place, s->n, 0, s->x);
  copy(place, s->n, s->b, s->r);
  copy(place, s->n, s->b, s->p);
  double rr = dot(place, s->n, s->r, s->r);
  const double goal = 1e-16 * rr;
  for (s->iterations = 0; rr > goal && s->iterations < s->n; ++s->iterations) {
    check(specmvExecute(plan, &kOne, s->p, &kZero, s->q, place->stream), "specmvExecute");
    const double alpha = rr / dot(place, s->n, s->p, s->q);
    axpy(place, s->n, alpha, s->p, s->x);
    axpy(place, s->n, -alpha, s->q, s->r);
    const double next = dot(place, s->n, s->r, s->r);
    scale(place, s->n, next / rr, s->p);
    axpy(place, s->n, 1, s->r, s->p); /* p = r + (next / rr) p */
    rr = next;
  }
}

/* The relative residual |b - A x| / |b|, with A applied once more: r = -A x + b. */
static double residual(specmvPlan_t plan, const Place *place, const Solver *s) {
  copy(place, s->n, s->b, s->r);
  check(specmvExecute(plan, &kMinusOne, s->x, &kOne, s->r, place->stream), "specmvExecute");
  return sqrt(dot(place, s->n, s->r, s->r) / dot(place, s->n, s->b, s->b));
}

int main(int argc, char **argv) {
  const int n = sizeFrom(argc, argv, 300, 20000);
  Csr a = gridMatrix(n, 0);
  Place place = openPlace(1);
  double *f = allocate((size_t)a.rows, sizeof *f);
  for (int i = 0; i < a.rows; ++i)
    f[i] = 1.0 / ((double)(n + 1) * (n + 1));
  double *b = vectorOf(&place, a.rows, f);
  Solver solver = {a.rows,
                   b,
                   vectorOf(&place, a.rows, NULL),
                   vectorOf(&place, a.rows, NULL),
                   vectorOf(&place, a.rows, NULL),
                   vectorOf(&place, a.rows, NULL),
                   0};

  specmvMatrix_t matrix = matrixOf(&a);
  specmvPlanOptions_t options = optionsFor(&place);
  specmvPlan_t plan;
  check(specmvCreatePlan(&plan, matrix, &options), "specmvCreatePlan");

  printf("grid       %d x %d, %d unknowns, %d entries\n", n, n, a.rows, a.nnz);
  describe(plan);
  const double ms = timeOf(solve, plan, &place, &solver);
  printf("solve      %d iterations, %.2f ms, %.4f ms an iteration\n", solver.iterations, ms,
         solver.iterations ? ms / solver.iterations : 0);
  const double error = residual(plan, &place, &solver);
  toHost(&place, a.rows, solver.x, f);
  printf("residual   %.2e, u in the middle %.6f\n", error,
         f[(size_t)(n / 2) * (size_t)n + (size_t)(n / 2)]);
  compareWithCusparse(solve, matrix, &place, &solver, ms);

  check(specmvDestroyPlan(plan), "specmvDestroyPlan");
  check(specmvDestroyMatrix(matrix), "specmvDestroyMatrix");
  double *vectors[] = {b, solver.x, solver.r, solver.p, solver.q};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i)
    freeVector(&place, vectors[i]);
  closePlace(&place);
  free(f);
  freeCsr(&a);
  return fflush(stdout) == 0 && error <= 1e-7 ? 0 : 1;
}
