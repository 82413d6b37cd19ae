/* Computes the PageRank of a made-up web of n pages by fused steps: an iteration is one of them,
 * which multiplies, adds the share of pages without links, and sums the change of all ranks.
 *
 *   pagerank [n]        (default 100000 pages) */
#define _POSIX_C_SOURCE 199309L
#include "fused.h"
#include "web.h"

#include <math.h>

enum { kBetweenTests = 10, kMostIterations = 500, kEnd = 8 /* each eighth page has no links */ };

typedef struct {
  int n;
  double *isEnd, *rank[2], *ends[2], *change;
  specmvFused_t step;
  Graph twoIterations;
  int iterations;
} Ranks;

static const double kDamping = 0.85;

/* After two iterations the ranks are in their place again. */
static void iterateTwice(const Place *place, void *data) {
  Ranks *r = data;
  double damping = kDamping, pages = r->n;
  for (int now = 0; now < 2; ++now) {
    void *vectors[] = {r->rank[now], r->rank[1 - now], r->isEnd};
    void *scalars[] = {&damping, &pages, r->ends[now], r->ends[1 - now], r->change};
    runStep(place, r->step, vectors, scalars);
  }
}

/* Iterates until the ranks change by no more than 1e-12 in all. */
static void iterate(specmvPlan_t plan, const Place *place, void *data) {
  Ranks *r = data;
  const int withoutLinks = r->n / kEnd;
  const double ends = (double)withoutLinks / r->n; /* the sum of their ranks */
  double *equal = allocate((size_t)r->n, sizeof *equal), change = 1;
  (void)plan; /* its step is in r */
  for (int i = 0; i < r->n; ++i)
    equal[i] = 1.0 / r->n;
  setVector(place, r->n, r->rank[0], equal);
  setVector(place, 1, r->ends[0], &ends);
  free(equal);
  for (r->iterations = 0; change > 1e-12 && r->iterations < kMostIterations;
       r->iterations += kBetweenTests) {
    repeatWork(place, &r->twoIterations, iterateTwice, r, kBetweenTests / 2);
    change = numberFrom(place, r->change);
  }
}

int main(int argc, char **argv) {
  const int n = sizeFrom(argc, argv, 100000, 100000000);
  Place place = openGpu();
  Csr web = makeWeb(n, kEnd);
  double *values = allocate((size_t)n, sizeof *values);
  for (int j = 0; j < n; ++j)
    values[j] = web.rowPtr[j + 1] == web.rowPtr[j];
  double *numbers = vectorOf(&place, 3, NULL);
  Ranks ranks = {.n = n, .isEnd = vectorOf(&place, n, values), .change = numbers + 2};
  for (int k = 0; k < 2; ++k) {
    ranks.rank[k] = vectorOf(&place, n, NULL);
    ranks.ends[k] = numbers + k;
  }

  specmvMatrix_t matrix = matrixOfColumns(&web);
  specmvPlanOptions_t options = optionsFor(&place);
  options.fused = 1;
  specmvPlan_t plan;
  check(specmvCreatePlan(&plan, matrix, &options), "specmvCreatePlan");
  describe(plan);
  ranks.step = stepOf(plan, (specmvFusion_t)SPECMV_FUSED_PAGERANK);
  if (isCapturable(plan))
    ranks.twoIterations = captureGraph(&place, iterateTwice, &ranks);
  const double ms = timeOf(iterate, plan, &place, &ranks);
  printf("iterate    %d iterations, %.2f ms\n", ranks.iterations, ms);

  /* The ranks of all pages add up to 1. */
  const double change = numberFrom(&place, ranks.change);
  toHost(&place, n, ranks.rank[0], values);
  double sum = 0, highest = 0;
  for (int i = 0; i < n; ++i) {
    sum += values[i];
    highest = fmax(highest, values[i]);
  }
  printf("ranks      sum %.12f, last change %.1e, highest %.3e\n", sum, change, highest);

  freeGraph(&ranks.twoIterations);
  check(specmvDestroyFused(ranks.step), "specmvDestroyFused");
  check(specmvDestroyPlan(plan), "specmvDestroyPlan");
  check(specmvDestroyMatrix(matrix), "specmvDestroyMatrix");
  freeVector(&place, ranks.isEnd);
  freeVector(&place, ranks.rank[0]);
  freeVector(&place, ranks.rank[1]);
  freeVector(&place, numbers);
  closePlace(&place);
  free(values);
  freeCsr(&web);
  return fflush(stdout) == 0 && fabs(sum - 1) < 1e-9 && change <= 1e-12 ? 0 : 1;
}
