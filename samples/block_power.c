/* Computes the largest eigenvalues of the five-point stencil on an n x n grid by block power
 * iteration: eight vectors, stored one after another, are multiplied at once and made orthonormal.
 *
 *   block_power [n]        (default 300: a matrix of 90,000 rows) */
#define _POSIX_C_SOURCE 199309L
#include "vectors.h"

#include <math.h>

enum { kVectors = 8, kIterations = 200 };

typedef struct {
  int rows, together; /* true if the plan multiplies all vectors in one call */
  double *start, *x, *y;
  double values[kVectors]; /* the factor by which A lengthened each vector in the last iteration */
} Block;

static void multiply(specmvPlan_t plan, const Place *place, Block *b) {
  const double one = 1, zero = 0;
  if (b->together) {
    check(specmvExecuteMulti(plan, kVectors, &one, b->x, b->rows, &zero, b->y, b->rows,
                             SPECMV_ORDER_COLUMN, place->stream),
          "specmvExecuteMulti");
    return;
  }
  for (size_t j = 0; j < kVectors; ++j)
    check(specmvExecute(plan, &one, b->x + j * (size_t)b->rows, &zero, b->y + j * (size_t)b->rows,
                        place->stream),
          "specmvExecute");
}

/* Gram and Schmidt: subtracts from each vector its components along the earlier ones, and scales it
 * to length 1. */
static void orthonormalize(const Place *place, Block *b) {
  for (size_t j = 0; j < kVectors; ++j) {
    double *v = b->y + j * (size_t)b->rows;
    for (size_t i = 0; i < j; ++i) {
      const double *before = b->y + i * (size_t)b->rows;
      axpy(place, b->rows, -dot(place, b->rows, before, v), before, v);
    }
    b->values[j] = sqrt(dot(place, b->rows, v, v));
    scale(place, b->rows, 1 / b->values[j], v);
  }
}

static void iterate(specmvPlan_t plan, const Place *place, void *data) {
  Block *b = data;
  copy(place, kVectors * b->rows, b->start, b->x);
  for (int i = 0; i < kIterations; ++i) {
    multiply(plan, place, b);
    orthonormalize(place, b);
    double *swap = b->x;
    b->x = b->y;
    b->y = swap;
  }
}

/* Irregular numbers, so that each vector has a component along every eigenvector. */
static double *startValues(int count) {
  double *values = allocate((size_t)count, sizeof *values);
  unsigned state = 1;
  for (int i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    values[i] = state / 4294967296.0 - 0.5;
  }
  return values;
}

int main(int argc, char **argv) {
  const int n = sizeFrom(argc, argv, 300, 8000);
  Csr a = gridMatrix(n, 0);
  Place place = openPlace(1);
  double *values = startValues(kVectors * a.rows);
  Block block = {a.rows,
                 1,
                 vectorOf(&place, kVectors * a.rows, values),
                 vectorOf(&place, kVectors * a.rows, NULL),
                 vectorOf(&place, kVectors * a.rows, NULL),
                 {0}};

  specmvMatrix_t matrix = matrixOf(&a);
  specmvPlanOptions_t options = optionsFor(&place);
  options.vectors = kVectors;
  specmvPlan_t plan;
  check(specmvCreatePlan(&plan, matrix, &options), "specmvCreatePlan");
  describe(plan);
  const double ms = timeOf(iterate, plan, &place, &block);
  printf("iterate    %d iterations of %d vectors, %.2f ms\n", kIterations, kVectors, ms);

  /* The largest eigenvalue of the stencil. The vectors' values approach the largest eigenvalues. */
  const double angle = 3.14159265358979323846 / (n + 1), largest = 4 + 4 * cos(angle);
  printf("values     %.6f .. %.6f; the largest one is %.6f\n", block.values[kVectors - 1],
         block.values[0], largest);
  block.together = 0;
  compareWithCusparse(iterate, matrix, &place, &block, ms);

  const int isRight = block.values[0] <= largest + 1e-9 && block.values[0] > largest - 0.1;
  check(specmvDestroyPlan(plan), "specmvDestroyPlan");
  check(specmvDestroyMatrix(matrix), "specmvDestroyMatrix");
  freeVector(&place, block.start);
  freeVector(&place, block.x);
  freeVector(&place, block.y);
  closePlace(&place);
  free(values);
  freeCsr(&a);
  return fflush(stdout) == 0 && isRight ? 0 : 1;
}
