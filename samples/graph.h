/* CUDA graphs for the samples: work of a stream is captured once and launched any number of times.
 */
#ifndef SPECMV_SAMPLES_GRAPH_H
#define SPECMV_SAMPLES_GRAPH_H
/* NOLINTBEGIN(modernize-*): it is C, which C++ may include too */

#include "vectors.h"

typedef struct {
  void *exec; /* NULL: none was captured */
  int (*launch)(void *exec, void *stream), (*destroy)(void *exec);
} Graph;

/* Returns true if this plan's products, with vectors on the GPU, may be captured. */
static inline int isCapturable(specmvPlan_t plan) {
  const char *json;
  check(specmvGetPlanJson(plan, &json), "specmvGetPlanJson");
  return strstr(json, "\"capturable\":true") != NULL;
}

typedef void (*Work)(const Place *place, void *data);

/* Captures the work; without functions for graphs in the driver, there is none. The stream must not
 * be the default one. The work runs once before, since the first run may load kernels. */
static inline Graph captureGraph(const Place *place, Work work, void *data) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW), *captured = NULL;
  int (*begin)(void *, int), (*end)(void *, void **), (*destroy)(void *);
  int (*instantiate)(void **, void *, unsigned long long);
  Graph graph = {NULL, NULL, NULL};
  if (!find(driver, "cuStreamBeginCapture_v2", &begin) ||
      !find(driver, "cuStreamEndCapture", &end) || !find(driver, "cuGraphDestroy", &destroy) ||
      !find(driver, "cuGraphInstantiateWithFlags", &instantiate) ||
      !find(driver, "cuGraphLaunch", &graph.launch) ||
      !find(driver, "cuGraphExecDestroy", &graph.destroy))
    return graph;
  work(place, data);
  checkCuda(begin(place->stream, 1 /* only the calls of this thread */), "cuStreamBeginCapture");
  work(place, data);
  checkCuda(end(place->stream, &captured), "cuStreamEndCapture");
  checkCuda(instantiate(&graph.exec, captured, 0), "cuGraphInstantiate");
  checkCuda(destroy(captured), "cuGraphDestroy");
  return graph;
}

static inline void launchGraph(const Place *place, const Graph *graph) {
  checkCuda(graph->launch(graph->exec, place->stream), "cuGraphLaunch");
}

static inline void freeGraph(const Graph *graph) {
  if (graph->exec)
    checkCuda(graph->destroy(graph->exec), "cuGraphExecDestroy");
}

/* NOLINTEND(modernize-*) */
#endif
