/* Solves the problem of poisson_cg.c by fused steps: an iteration of conjugate gradients is two of
 * them, which read and write each vector once. All numbers stay on the GPU, so two iterations are
 * one CUDA graph, and the loop waits only when it tests the residual.
 *
 *   fused_cg [n]        (default 300) */
#define _POSIX_C_SOURCE 199309L
#include "fused.h"

#include <math.h>

enum { kBetweenTests = 20 /* iterations */, kSteps = 4 };

typedef struct {
  int n;
  double *b, *d, *x, *r, *z, *q, *p[2]; /* d is the inverse of the diagonal; p are two directions */
  double *rz[2], *pq[2], *rr;
  specmvFused_t begin, product, update, end;
  Graph twoIterations;
  int iterations;
} Solver;

/* A step of our own beside the ready-made ones: x = 0, so that the residual is b. */
static specmvFusion_t stepOfBegin(void) {
  specmvFusion_t fusion = SPECMV_FUSION_INIT;
  fusion.epilogue = "x = 0; r = b; p = 0; q = 0;";
  fusion.vectors = "b, x, r, p, q";
  fusion.written = "x, r, p, q";
  return fusion;
}

static void updateResidual(const Place *place, const Solver *s, const double *rz, const double *pq,
                           double *rzNew) {
  void *vectors[] = {s->r, s->z, s->q, s->d};
  void *scalars[] = {(void *)rz, (void *)pq, rzNew, s->rr};
  runStep(place, s->update, vectors, scalars);
}

/* After two iterations each of two vectors or numbers is in its place again. */
static void iterateTwice(const Place *place, void *data) {
  const Solver *s = data;
  for (int now = 0; now < 2; ++now) {
    const int other = 1 - now;
    void *vectors[] = {s->z, s->p[now], s->p[other], s->q, s->x};
    void *scalars[] = {s->rz[now], s->rz[other], s->pq[other], s->pq[now]};
    runStep(place, s->product, vectors, scalars);
    updateResidual(place, s, s->rz[now], s->pq[now], s->rz[other]);
  }
}

/* With all numbers 0, the update leaves r as it is and computes z, rz and rr. */
static void begin(const Place *place, const Solver *s) {
  const double zero = 0;
  double *const numbers[] = {s->rz[0], s->rz[1], s->pq[0], s->pq[1]};
  void *vectors[] = {s->b, s->x, s->r, s->p[0], s->q};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k)
    setVector(place, 1, numbers[k], &zero);
  runStep(place, s->begin, vectors, NULL);
  updateResidual(place, s, s->rz[1], s->pq[1], s->rz[0]);
}

/* Iterates from x = 0 until |r| <= 1e-8 |b|. */
static void solve(specmvPlan_t plan, const Place *place, void *data) {
  Solver *s = data;
  (void)plan; /* its steps are in s */
  begin(place, s);
  double rr = numberFrom(place, s->rr);
  const double goal = 1e-16 * rr;
  for (s->iterations = 0; rr > goal && s->iterations < s->n; s->iterations += kBetweenTests) {
    repeatWork(place, &s->twoIterations, iterateTwice, s, kBetweenTests / 2);
    rr = numberFrom(place, s->rr);
  }
  void *vectors[] = {s->p[0], s->x}, *scalars[] = {s->rz[1], s->pq[1]};
  runStep(place, s->end, vectors, scalars);
}

/* The relative residual |b - A x| / |b| on the host. */
static double residual(const Csr *a, const double *b, const double *x) {
  double of = 0, to = 0;
  for (int row = 0; row < a->rows; ++row) {
    double r = b[row];
    for (int e = a->rowPtr[row]; e < a->rowPtr[row + 1]; ++e)
      r -= a->val[e] * x[a->col[e]];
    of += r * r;
    to += b[row] * b[row];
  }
  return sqrt(of / to);
}

int main(int argc, char **argv) {
  const int n = sizeFrom(argc, argv, 300, 20000);
  Place place = openGpu();
  Csr a = gridMatrix(n, 0);
  double *b = allocate((size_t)a.rows, sizeof *b), *x = allocate((size_t)a.rows, sizeof *x);
  for (int i = 0; i < a.rows; ++i) {
    b[i] = 1.0 / ((double)(n + 1) * (n + 1));
    x[i] = 0.25; /* for d: the diagonal is 4 */
  }
  Solver s = {.n = a.rows, .b = vectorOf(&place, a.rows, b), .d = vectorOf(&place, a.rows, x)};
  double **const vectors[] = {&s.x, &s.r, &s.z, &s.q, &s.p[0], &s.p[1]};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i)
    *vectors[i] = vectorOf(&place, a.rows, NULL);
  double *numbers = vectorOf(&place, 5, NULL);
  s.rz[0] = numbers, s.rz[1] = numbers + 1, s.pq[0] = numbers + 2, s.pq[1] = numbers + 3;
  s.rr = numbers + 4;

  specmvMatrix_t matrix = matrixOf(&a);
  specmvPlanOptions_t options = optionsFor(&place);
  options.fused = 1;
  specmvPlan_t plan;
  check(specmvCreatePlan(&plan, matrix, &options), "specmvCreatePlan");
  describe(plan);
  s.begin = stepOf(plan, stepOfBegin());
  s.product = stepOf(plan, (specmvFusion_t)SPECMV_FUSED_CG_PRODUCT);
  s.update = stepOf(plan, (specmvFusion_t)SPECMV_FUSED_CG_UPDATE);
  s.end = stepOf(plan, (specmvFusion_t)SPECMV_FUSED_CG_END);
  if (isCapturable(plan))
    s.twoIterations = captureGraph(&place, iterateTwice, &s);
  const double ms = timeOf(solve, plan, &place, &s);
  printf("solve      %d iterations, %.2f ms, %.4f ms an iteration\n", s.iterations, ms,
         s.iterations ? ms / s.iterations : 0);
  toHost(&place, a.rows, s.x, x);
  const double error = residual(&a, b, x);
  printf("residual   %.2e, u in the middle %.6f\n", error,
         x[(size_t)(n / 2) * (size_t)n + (size_t)(n / 2)]);

  freeGraph(&s.twoIterations);
  specmvFused_t steps[kSteps] = {s.begin, s.product, s.update, s.end};
  for (int i = 0; i < kSteps; ++i)
    check(specmvDestroyFused(steps[i]), "specmvDestroyFused");
  check(specmvDestroyPlan(plan), "specmvDestroyPlan");
  check(specmvDestroyMatrix(matrix), "specmvDestroyMatrix");
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i)
    freeVector(&place, *vectors[i]);
  freeVector(&place, s.b);
  freeVector(&place, s.d);
  freeVector(&place, numbers);
  closePlace(&place);
  free(b);
  free(x);
  freeCsr(&a);
  return fflush(stdout) == 0 && error <= 1e-7 ? 0 : 1;
}
