/* Computes the PageRank of a made-up web of n pages by power iteration, y = 0.85 A x + 0.15 / n.
 * The links of each page are a column of A, so CSC is the natural format of the matrix.
 *
 *   power_iteration [n]        (default 100000 pages) */
#define _POSIX_C_SOURCE 199309L
#include "vectors.h"
#include "web.h"

#include <math.h>

enum { kIterations = 100 };

typedef struct {
  int n;
  double *start, *x, *y;
} Ranks;

static const double kDamping = 0.85, kOne = 1;

/* Each iteration multiplies the distance of the ranks to the result by at most 0.85. */
static void iterate(specmvPlan_t plan, const Place *place, void *data) {
  Ranks *r = data;
  copy(place, r->n, r->start, r->x);
  for (int i = 0; i < kIterations; ++i) {
    copy(place, r->n, r->start, r->y);
    scale(place, r->n, 1 - kDamping, r->y);
    check(specmvExecute(plan, &kDamping, r->x, &kOne, r->y, place->stream), "specmvExecute");
    double *swap = r->x;
    r->x = r->y;
    r->y = swap;
  }
}

int main(int argc, char **argv) {
  const int n = sizeFrom(argc, argv, 100000, 100000000);
  Csr web = makeWeb(n, 0);
  Place place = openPlace(1);
  double *values = allocate((size_t)n, sizeof *values);
  for (int i = 0; i < n; ++i)
    values[i] = 1.0 / n;
  Ranks ranks = {n, vectorOf(&place, n, values), vectorOf(&place, n, NULL),
                 vectorOf(&place, n, NULL)};

  specmvMatrix_t matrix = matrixOfColumns(&web);
  specmvPlanOptions_t options = optionsFor(&place);
  specmvPlan_t plan;
  check(specmvCreatePlan(&plan, matrix, &options), "specmvCreatePlan");
  describe(plan);
  const double ms = timeOf(iterate, plan, &place, &ranks);
  printf("iterate    %d iterations, %.2f ms\n", kIterations, ms);

  /* The ranks of all pages add up to 1, and another iteration would change nothing. */
  toHost(&place, n, ranks.x, values);
  axpy(&place, n, -1, ranks.x, ranks.y);
  const double change = sqrt(dot(&place, n, ranks.y, ranks.y));
  double sum = 0, highest = 0;
  for (int i = 0; i < n; ++i) {
    sum += values[i];
    highest = fmax(highest, values[i]);
  }
  printf("ranks      sum %.12f, last change %.1e, highest %.3e\n", sum, change, highest);
  compareWithCusparse(iterate, matrix, &place, &ranks, ms);

  check(specmvDestroyPlan(plan), "specmvDestroyPlan");
  check(specmvDestroyMatrix(matrix), "specmvDestroyMatrix");
  freeVector(&place, ranks.start);
  freeVector(&place, ranks.x);
  freeVector(&place, ranks.y);
  closePlace(&place);
  free(values);
  freeCsr(&web);
  return fflush(stdout) == 0 && fabs(sum - 1) < 1e-9 && change < 1e-6 ? 0 : 1;
}
