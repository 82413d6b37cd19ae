/* Utilities of the samples of fused steps: a place on the GPU, the steps of a plan, and numbers
 * that they leave on the GPU. */
#ifndef SPECMV_SAMPLES_FUSED_H
#define SPECMV_SAMPLES_FUSED_H
/* NOLINTBEGIN(modernize-*): it is C, which C++ may include too */

#include "graph.h"
#include "specmv_fused.h"

/* Fused steps run on a GPU only. Without one, this says so and ends the program with the status 3,
 * as the tool does if the machine lacks what a command needs. */
static inline Place openGpu(void) {
  const Place place = openPlace(0);
  if (place.onGpu)
    return place;
  fprintf(stderr, "error: fused steps need a GPU, and none is here; poisson_cg and power_iteration "
                  "run on the host too\n");
  exit(3);
}

static inline specmvFused_t stepOf(specmvPlan_t plan, specmvFusion_t fusion) {
  specmvFused_t step;
  check(specmvCreateFused(&step, plan, &fusion), "specmvCreateFused");
  return step;
}

static inline void runStep(const Place *place, specmvFused_t step, void *const *vectors,
                           void *const *scalars) {
  check(specmvExecuteFused(step, vectors, scalars, place->stream), "specmvExecuteFused");
}

/* Waits for the work on the stream and gets one number. */
static inline double numberFrom(const Place *place, const double *onGpu) {
  double number;
  toHost(place, 1, onGpu, &number);
  return number;
}

/* Runs captured work so many times, or the work itself where it cannot be captured. */
static inline void repeatWork(const Place *place, const Graph *graph, Work work, void *data,
                              int times) {
  for (int i = 0; i < times; ++i) {
    if (graph->exec)
      launchGraph(place, graph);
    else
      work(place, data);
  }
}

/* NOLINTEND(modernize-*) */
#endif
