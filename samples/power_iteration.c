/* Computes the PageRank of a made-up web of n pages by power iteration, y = 0.85 A x + 0.15 / n.
 * The links of each page are a column of A, so CSC is the natural format of the matrix.
 *
 *   power_iteration [n]        (default 100000 pages) */
#define _POSIX_C_SOURCE 199309L
#include "vectors.h"

#include <math.h>

enum { kLinks = 4, kIterations = 100 };

typedef struct {
  int n;
  double *start, *x, *y;
} Ranks;

static const double kDamping = 0.85, kOne = 1;

/* Page j links to four others, each with a quarter of its rank. */
static Csr makeWeb(int n) {
  Csr web = {n, kLinks * n, NULL, NULL, NULL};
  web.rowPtr = allocate((size_t)n + 1, sizeof *web.rowPtr);
  web.col = allocate((size_t)web.nnz, sizeof *web.col);
  web.val = allocate((size_t)web.nnz, sizeof *web.val);
  for (int j = 0; j < n; ++j) {
    const int64_t targets[kLinks] = {j / 2, 2 * (int64_t)j + 1, 3 * (int64_t)j + 2, 5 * (int64_t)j};
    for (int k = 0; k < kLinks; ++k) {
      web.col[kLinks * j + k] = (int)(targets[k] % n);
      web.val[kLinks * j + k] = 1.0 / kLinks;
    }
    web.rowPtr[j + 1] = kLinks * (j + 1);
  }
  return web;
}

static specmvMatrix_t matrixOfColumns(const Csr *web) {
  specmvMatrixDescription_t description = SPECMV_MATRIX_DESCRIPTION_INIT;
  description.format = SPECMV_FORMAT_CSC;
  description.rows = description.cols = web->rows;
  description.nnz = web->nnz;
  description.offsets = web->rowPtr; /* of columns */
  description.rowIndices = web->col;
  description.values = web->val;
  specmvMatrix_t matrix;
  check(specmvCreateMatrix(&matrix, &description), "specmvCreateMatrix");
  return matrix;
}

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
  Csr web = makeWeb(n);
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
