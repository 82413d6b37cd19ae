/* Solves the Poisson problem on an n x n grid by conjugate gradients, in plain C with the C API of
 * specmv, and prints the time of the set-up and of an iteration.
 *
 *   poisson_cg [n]        (default 300; -laplace u = f with zero boundary)
 *
 * The products run on the GPU if there is one, otherwise on the host. To keep the sample short, the
 * vectors are on the host, so each product copies two of them. A solver that keeps its vectors on
 * the GPU passes device pointers and changes nothing else. */
#define _POSIX_C_SOURCE 199309L
#include "specmv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
  int n, rows, nnz;
  int *rowPtr, *col;
  double *val;
} Laplacian;

/* Prints what went wrong and ends the program, which is enough for a sample. */
static void check(specmvStatus_t status, const char *call) {
  if (status == SPECMV_STATUS_SUCCESS)
    return;
  fprintf(stderr, "error: %s: %s: %s\n", call, specmvStatusName(status),
          specmvGetLastErrorDetail());
  exit(1);
}

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory) {
    fprintf(stderr, "error: not enough memory for %zu elements\n", count);
    exit(3);
  }
  return memory;
}

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* The five-point stencil: 4 on the diagonal and -1 for each neighbour inside the grid. */
static Laplacian makeLaplacian(int n) {
  static const int dx[] = {0, -1, 0, 1, 0}, dy[] = {-1, 0, 0, 0, 1};
  Laplacian a = {n, n * n, 0, NULL, NULL, NULL};
  a.rowPtr = allocate((size_t)a.rows + 1, sizeof *a.rowPtr);
  a.col = allocate(5 * (size_t)a.rows, sizeof *a.col);
  a.val = allocate(5 * (size_t)a.rows, sizeof *a.val);
  for (int row = 0; row < a.rows; ++row) {
    for (int k = 0; k < 5; ++k) {
      const int x = row % n + dx[k], y = row / n + dy[k];
      if (x < 0 || x >= n || y < 0 || y >= n)
        continue;
      a.col[a.nnz] = y * n + x;
      a.val[a.nnz++] = k == 2 ? 4 : -1;
    }
    a.rowPtr[row + 1] = a.nnz;
  }
  return a;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

/* Conjugate gradients from x = 0 until |r| <= tolerance |b|; returns the number of iterations. */
static int solve(specmvPlan_t plan, int n, const double *b, double *x, double tolerance) {
  double *r = allocate((size_t)n, sizeof *r), *p = allocate((size_t)n, sizeof *p);
  double *q = allocate((size_t)n, sizeof *q);
  const double one = 1, zero = 0;
  for (int i = 0; i < n; ++i)
    r[i] = p[i] = b[i];
  double rr = dot(n, r, r);
  const double goal = tolerance * tolerance * rr;
  int iterations = 0;
  for (; rr > goal && iterations < 10 * n; ++iterations) {
    check(specmvExecute(plan, &one, p, &zero, q, NULL), "specmvExecute");
    const double alpha = rr / dot(n, p, q);
    for (int i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const double next = dot(n, r, r);
    for (int i = 0; i < n; ++i)
      p[i] = r[i] + next / rr * p[i];
    rr = next;
  }
  free(r);
  free(p);
  free(q);
  return iterations;
}

/* The relative residual |b - A x| / |b|, with A applied once more: y = -A x + y. */
static double residual(specmvPlan_t plan, int n, const double *b, const double *x) {
  double *r = allocate((size_t)n, sizeof *r);
  const double minusOne = -1, one = 1;
  for (int i = 0; i < n; ++i)
    r[i] = b[i];
  check(specmvExecute(plan, &minusOne, x, &one, r, NULL), "specmvExecute");
  const double result = sqrt(dot(n, r, r) / dot(n, b, b));
  free(r);
  return result;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 300;
  if (n < 1 || n > 20000) {
    fprintf(stderr, "error: n = %d is not a valid value (1..20000)\n", n);
    return 2;
  }
  Laplacian a = makeLaplacian(n);

  specmvMatrix_t matrix;
  specmvPlan_t plan;
  check(specmvCreateCsr(&matrix, a.rows, a.rows, a.nnz, a.rowPtr, a.col, a.val, SPECMV_INDEX_32I,
                        SPECMV_R_64F),
        "specmvCreateCsr");
  check(specmvCreatePlan(&plan, matrix, NULL), "specmvCreatePlan");
  check(specmvDestroyMatrix(matrix), "specmvDestroyMatrix");

  const char *text;
  specmvTarget_t target;
  double setupMs;
  check(specmvGetPlanText(plan, &text), "specmvGetPlanText");
  check(specmvGetPlanTarget(plan, &target), "specmvGetPlanTarget");
  check(specmvGetPlanSetup(plan, &setupMs, NULL), "specmvGetPlanSetup");

  double *b = allocate((size_t)a.rows, sizeof *b), *x = allocate((size_t)a.rows, sizeof *x);
  for (int i = 0; i < a.rows; ++i)
    b[i] = 1.0 / ((double)(n + 1) * (n + 1));
  const double begin = milliseconds();
  const int iterations = solve(plan, a.rows, b, x, 1e-8);
  const double solveMs = milliseconds() - begin;

  printf("grid       %d x %d, %d unknowns, %d entries\n", n, n, a.rows, a.nnz);
  printf("plan       %s, on the %s\n", text, target == SPECMV_TARGET_GPU ? "GPU" : "host");
  printf("set-up     %.2f ms\n", setupMs);
  printf("solve      %d iterations, %.2f ms, %.4f ms an iteration\n", iterations, solveMs,
         iterations ? solveMs / iterations : 0);
  const double error = residual(plan, a.rows, b, x);
  printf("residual   %.2e, u in the middle %.6f\n", error,
         x[(size_t)(n / 2) * (size_t)n + (size_t)(n / 2)]);

  check(specmvDestroyPlan(plan), "specmvDestroyPlan");
  free(a.rowPtr);
  free(a.col);
  free(a.val);
  free(b);
  free(x);
  if (fflush(stdout) != 0)
    return 1;
  return error <= 1e-7 ? 0 : 1;
}
