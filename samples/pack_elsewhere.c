/* A program for machines without NVRTC: it takes its kernels from a pack that was made elsewhere,
 * and compiles nothing. samples/pack_elsewhere.sh makes the pack and runs this program.
 *
 *   pack_elsewhere PACK [n]        (default 200: an n x n grid, for whose matrix the pack was made)
 */
#define _POSIX_C_SOURCE 199309L
#include "vectors.h"

#include <math.h>

enum { kProducts = 100 };

typedef struct {
  double *x, *y;
} Vectors;

static const double kOne = 1, kZero = 0;

static void multiply(specmvPlan_t plan, const Place *place, void *data) {
  const Vectors *v = data;
  for (int i = 0; i < kProducts; ++i)
    check(specmvExecute(plan, &kOne, v->x, &kZero, v->y, place->stream), "specmvExecute");
}

/* With x = 1, every row must give the sum of its entries. Returns the number of rows that do not.
 */
static int wrongRows(const Csr *a, const double *y) {
  int wrong = 0;
  for (int row = 0; row < a->rows; ++row) {
    double sum = 0;
    for (int e = a->rowPtr[row]; e < a->rowPtr[row + 1]; ++e)
      sum += a->val[e];
    wrong += y[row] != sum; /* exact, since these are small integers */
  }
  return wrong;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "error: no pack was named; usage: pack_elsewhere PACK [n]\n");
    return 2;
  }
  check(specmvAddPack(argv[1]), "specmvAddPack");
  const int n = sizeFrom(argc - 1, argv + 1, 200, 20000);
  Csr a = gridMatrix(n, 0);
  Place place = openPlace(0);
  double *ones = allocate((size_t)a.rows, sizeof *ones);
  for (int i = 0; i < a.rows; ++i)
    ones[i] = 1;
  Vectors vectors = {vectorOf(&place, a.rows, ones), vectorOf(&place, a.rows, NULL)};

  specmvMatrix_t matrix = matrixOf(&a);
  specmvPlanOptions_t options = optionsFor(&place);
  options.onlyPacks = 1; /* if the pack has no kernel, fail instead of looking for NVRTC */
  specmvPlan_t plan;
  check(specmvCreatePlan(&plan, matrix, &options), "specmvCreatePlan");
  describe(plan);
  const double ms = timeOf(multiply, plan, &place, &vectors);
  printf("multiply   %d products, %.3f ms\n", kProducts, ms);
  toHost(&place, a.rows, vectors.y, ones);
  const int wrong = wrongRows(&a, ones);
  printf("rows       %d wrong of %d\n", wrong, a.rows);
  compareWithCusparse(multiply, matrix, &place, &vectors, ms);

  check(specmvDestroyPlan(plan), "specmvDestroyPlan");
  check(specmvDestroyMatrix(matrix), "specmvDestroyMatrix");
  freeVector(&place, vectors.x);
  freeVector(&place, vectors.y);
  closePlace(&place);
  free(ones);
  freeCsr(&a);
  return fflush(stdout) == 0 && wrong == 0 ? 0 : 1;
}
