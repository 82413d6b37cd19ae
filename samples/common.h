/* Utilities that the samples share and your program already has: a way to stop at errors, a clock,
 * a matrix, and the printed description of a plan. */
#ifndef SPECMV_SAMPLES_COMMON_H
#define SPECMV_SAMPLES_COMMON_H
/* NOLINTBEGIN(modernize-*): it is C, which C++ may include too */

#include "specmv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- Errors, memory, time */

/* Prints the error and ends the program, which is enough for a sample. */
static inline void check(specmvStatus_t status, const char *call) {
  if (status == SPECMV_STATUS_SUCCESS)
    return;
  fprintf(stderr, "error: %s: %s: %s\n", call, specmvStatusName(status),
          specmvGetLastErrorDetail());
  exit(1);
}

static inline void *allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory) {
    fprintf(stderr, "error: not enough memory for %zu elements\n", count);
    exit(3);
  }
  return memory;
}

static inline double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* The number in argv[1], or the default. */
static inline int sizeFrom(int argc, char **argv, int otherwise, int most) {
  if (argc < 2)
    return otherwise;
  if (argc == 2 && strcmp(argv[1], "--help") == 0) {
    printf("usage: %s [n]        (n is a whole number in 1..%d, default %d)\n", argv[0], most,
           otherwise);
    exit(0);
  }
  if (argc > 2) {
    fprintf(stderr, "error: '%s' is one argument too many; give n alone\n", argv[2]);
    exit(2);
  }
  char *end = NULL;
  const long n = strtol(argv[1], &end, 10); /* LONG_MAX if it does not fit */
  if (*end || n < 1 || n > most) {
    fprintf(stderr, "error: n = '%s' is no whole number in 1..%d\n", argv[1], most);
    exit(2);
  }
  return (int)n;
}

/* --- A matrix in CSR */

typedef struct {
  int rows, nnz;
  int *rowPtr, *col;
  double *val;
} Csr;

/* The five-point stencil on an n x n grid: 4 on the diagonal, and -1 for each neighbour inside the
 * grid, changed to -1 - wind for the left neighbour and -1 + wind for the right one. */
static inline Csr gridMatrix(int n, double wind) {
  static const int dx[] = {0, -1, 0, 1, 0}, dy[] = {-1, 0, 0, 0, 1};
  const double values[] = {-1, -1 - wind, 4, -1 + wind, -1};
  Csr a = {n * n, 0, NULL, NULL, NULL};
  a.rowPtr = (int *)allocate((size_t)a.rows + 1, sizeof *a.rowPtr);
  a.col = (int *)allocate(5 * (size_t)a.rows, sizeof *a.col);
  a.val = (double *)allocate(5 * (size_t)a.rows, sizeof *a.val);
  for (int row = 0; row < a.rows; ++row) {
    for (int k = 0; k < 5; ++k) {
      const int x = row % n + dx[k], y = row / n + dy[k];
      if (x < 0 || x >= n || y < 0 || y >= n)
        continue;
      a.col[a.nnz] = y * n + x;
      a.val[a.nnz++] = values[k];
    }
    a.rowPtr[row + 1] = a.nnz;
  }
  return a;
}

static inline specmvMatrix_t matrixOf(const Csr *a) {
  specmvMatrix_t matrix;
  check(specmvCreateCsr(&matrix, a->rows, a->rows, a->nnz, a->rowPtr, a->col, a->val,
                        SPECMV_INDEX_32I, SPECMV_R_64F),
        "specmvCreateCsr");
  return matrix;
}

static inline void freeCsr(Csr *a) {
  free(a->rowPtr);
  free(a->col);
  free(a->val);
}

/* Prints the chosen plan, where it runs and the time of the set-up. */
static inline void describe(specmvPlan_t plan) {
  const char *text;
  specmvTarget_t target;
  double setupMs;
  check(specmvGetPlanText(plan, &text), "specmvGetPlanText");
  check(specmvGetPlanTarget(plan, &target), "specmvGetPlanTarget");
  check(specmvGetPlanSetup(plan, &setupMs, NULL), "specmvGetPlanSetup");
  printf("plan       %s, on the %s\n", text, target == SPECMV_TARGET_GPU ? "GPU" : "host");
  printf("set-up     %.2f ms\n", setupMs);
}

/* NOLINTEND(modernize-*) */
#endif
