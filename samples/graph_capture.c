/* Captures twenty products into one CUDA graph, which can then be launched any number of times.
 * This helps for small matrices, where launches take longer than products. Heat spreads on an n x n
 * plate.
 *
 *   graph_capture [n]        (default 100)
 *
 * Capturing needs a GPU; on the host the products run one by one. */
#define _POSIX_C_SOURCE 199309L
#include "graph.h"

#include <math.h>

enum { kPairs = 10, kLaunches = 50 };

typedef struct {
  specmvPlan_t plan;
  double *u, *next;
  Graph graph;
} Plate;

static const double kOne = 1, kZero = 0;

/* Multiplies from u to next and back. Work that is captured must not allocate or wait. */
static void spreadPairs(const Place *place, void *data) {
  const Plate *p = data;
  for (int pair = 0; pair < kPairs; ++pair) {
    check(specmvExecute(p->plan, &kOne, p->u, &kZero, p->next, place->stream), "specmvExecute");
    check(specmvExecute(p->plan, &kOne, p->next, &kZero, p->u, place->stream), "specmvExecute");
  }
}

static void spreadSingly(specmvPlan_t plan, const Place *place, void *data) {
  Plate *p = data;
  p->plan = plan;
  for (int i = 0; i < kLaunches; ++i)
    spreadPairs(place, p);
}

static void spreadByGraph(specmvPlan_t plan, const Place *place, void *data) {
  const Plate *p = data;
  (void)plan; /* its products are in the graph, so it must outlive the graph */
  for (int i = 0; i < kLaunches; ++i)
    launchGraph(place, &p->graph);
}

/* Each point passes a share of 0.2 of its heat to each neighbour. */
static void fill(Csr *a) {
  for (int row = 0; row < a->rows; ++row)
    for (int e = a->rowPtr[row]; e < a->rowPtr[row + 1]; ++e)
      a->val[e] = a->col[e] == row ? 1 - 0.2 * (a->rowPtr[row + 1] - a->rowPtr[row] - 1) : 0.2;
}

int main(int argc, char **argv) {
  const int n = sizeFrom(argc, argv, 100, 20000);
  Csr a = gridMatrix(n, 0);
  fill(&a);
  Place place = openPlace(0);
  double *u = allocate((size_t)a.rows, sizeof *u);
  u[a.rows / 2] = 1; /* all heat in one point */
  Plate plate = {.u = vectorOf(&place, a.rows, u), .next = vectorOf(&place, a.rows, NULL)};

  specmvMatrix_t matrix = matrixOf(&a);
  specmvPlanOptions_t options = optionsFor(&place);
  specmvPlan_t plan;
  check(specmvCreatePlan(&plan, matrix, &options), "specmvCreatePlan");
  describe(plan);
  double ms = timeOf(spreadSingly, plan, &place, &plate);
  printf("singly     %d products, %.2f ms\n", 2 * kPairs * kLaunches, ms);
  if (place.onGpu && isCapturable(plan))
    plate.graph = captureGraph(&place, spreadPairs, &plate);
  if (plate.graph.exec) {
    ms = timeOf(spreadByGraph, plan, &place, &plate);
    printf("graph      the same in %d launches, %.2f ms\n", kLaunches, ms);
  } else
    printf("graph      none was captured: the vectors are on the host, or cuSPARSE multiplies\n");

  toHost(&place, a.rows, plate.u, u);
  double sum = 0;
  for (int i = 0; i < a.rows; ++i)
    sum += u[i];
  printf("heat       in all %.12f\n", sum);
  compareWithCusparse(spreadSingly, matrix, &place, &plate, ms);

  freeGraph(&plate.graph);
  check(specmvDestroyPlan(plan), "specmvDestroyPlan");
  check(specmvDestroyMatrix(matrix), "specmvDestroyMatrix");
  freeVector(&place, plate.u);
  freeVector(&place, plate.next);
  closePlace(&place);
  free(u);
  freeCsr(&a);
  return fflush(stdout) == 0 && fabs(sum - 1) < 1e-9 ? 0 : 1;
}
