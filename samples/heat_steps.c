/* Heat spreads on an n x n plate whose conductivity changes with time: the pattern of the matrix
 * stays the same, and specmvUpdateValues() gives the plan new values in every time step.
 *
 *   heat_steps [n]        (default 200) */
#define _POSIX_C_SOURCE 199309L
#include "vectors.h"

#include <math.h>

enum { kSteps = 50 };

typedef struct {
  Csr *a;
  double *start, *u, *next;
} Plate;

static const double kOne = 1, kZero = 0;

/* The matrix of a time step, u' = A u: a share of the heat goes to each neighbour. Here the host
 * computes it. Values that your own kernel leaves in device memory are passed in the same way and
 * are not copied to the host. */
static void fill(Csr *a, int step) {
  const double share = 0.15 * (1 + 0.5 * sin(0.2 * step)); /* must be below 1/4 for stability */
  for (int row = 0; row < a->rows; ++row) {
    const int neighbours = a->rowPtr[row + 1] - a->rowPtr[row] - 1;
    for (int e = a->rowPtr[row]; e < a->rowPtr[row + 1]; ++e)
      a->val[e] = a->col[e] == row ? 1 - share * neighbours : share;
  }
}

static void spread(specmvPlan_t plan, const Place *place, void *data) {
  Plate *p = data;
  copy(place, p->a->rows, p->start, p->u);
  for (int step = 0; step < kSteps; ++step) {
    fill(p->a, step);
    check(specmvUpdateValues(plan, p->a->val, place->stream), "specmvUpdateValues");
    check(specmvExecute(plan, &kOne, p->u, &kZero, p->next, place->stream), "specmvExecute");
    double *swap = p->u;
    p->u = p->next;
    p->next = swap;
  }
}

int main(int argc, char **argv) {
  const int n = sizeFrom(argc, argv, 200, 20000);
  Csr a = gridMatrix(n, 0);
  Place place = openPlace(1);
  double *u = allocate((size_t)a.rows, sizeof *u);
  u[a.rows / 2] = 1; /* all heat in one point */
  Plate plate = {&a, vectorOf(&place, a.rows, u), vectorOf(&place, a.rows, NULL),
                 vectorOf(&place, a.rows, NULL)};

  specmvMatrix_t matrix = matrixOf(&a);
  specmvPlanOptions_t options = optionsFor(&place);
  options.updatable = 1; /* so that every format can take new values */
  specmvPlan_t plan;
  check(specmvCreatePlan(&plan, matrix, &options), "specmvCreatePlan");
  describe(plan);
  const double ms = timeOf(spread, plan, &place, &plate);
  printf("spread     %d steps, %.2f ms\n", kSteps, ms);

  toHost(&place, a.rows, plate.u, u);
  double sum = 0, hottest = 0, coldest = 0;
  for (int i = 0; i < a.rows; ++i) {
    sum += u[i];
    hottest = fmax(hottest, u[i]);
    coldest = fmin(coldest, u[i]);
  }
  printf("heat       in all %.12f, in the hottest point %.3e\n", sum, hottest);
  compareWithCusparse(spread, matrix, &place, &plate, ms);

  check(specmvDestroyPlan(plan), "specmvDestroyPlan");
  check(specmvDestroyMatrix(matrix), "specmvDestroyMatrix");
  freeVector(&place, plate.start);
  freeVector(&place, plate.u);
  freeVector(&place, plate.next);
  closePlace(&place);
  free(u);
  freeCsr(&a);
  /* The total heat must be conserved, and no point may have negative heat. */
  return fflush(stdout) == 0 && fabs(sum - 1) < 1e-9 && coldest >= 0 && hottest < 1 ? 0 : 1;
}
