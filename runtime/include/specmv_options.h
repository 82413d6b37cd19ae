/* The options of a plan, what they mean for its values, kernels and choice, and estimates of the
 * plan that they lead to. Include specmv.h, which includes this header. */
#include "specmv.h"

#ifndef SPECMV_OPTIONS_H
#define SPECMV_OPTIONS_H

#ifdef __cplusplus
extern "C" {
#endif

/* --- Options of a plan -------------------------------------------------------------------------*/

typedef enum {
  SPECMV_TARGET_AUTO = 0, /* the GPU, or the host if the machine has no GPU */
  SPECMV_TARGET_GPU = 1,
  SPECMV_TARGET_HOST = 2 /* plain CSR on all cores */
} specmvTarget_t;

typedef enum {
  /* Run nothing; take the plan with the least predicted time, or one that is already compiled (see
   * "Kernels"). */
  SPECMV_RIGOR_ESTIMATE = 0,
  /* Time the plans with the best predictions, and take the fastest. First time those whose kernels
   * are already compiled; then compile and time those that may be faster. */
  SPECMV_RIGOR_MEASURE = 1,
  SPECMV_RIGOR_EXHAUSTIVE = 2, /* compile and time all plans, take the fastest */
  /* Estimate; on a GPU also time up to three plans within 10 percent of the best prediction, and
   * take the fastest. A plan is timed only if it may save more time in expectedProducts products
   * than its set-up and timing cost.
   * Recommended with expectedProducts; without it, very many products are assumed. */
  SPECMV_RIGOR_TRIAL = 3,
  /* Estimate; on a GPU, up to three plans then alternate in the program's own products, and the
   * fastest is kept (see "Learning"). */
  SPECMV_RIGOR_ONLINE = 4
} specmvRigor_t;

typedef enum {
  SPECMV_START_WAIT = 0, /* return when the plan is ready: all products compute the same bits */
  /* Return when products can be launched. On a GPU, the set-up of the plan then runs in the
   * background from the first product, or from the first call that asks for the plan; see "Products
   * before the plan" in specmv_lifetime.h. */
  SPECMV_START_NOW = 1
} specmvStart_t;

typedef enum {
  /* A kernel specialized for the plan; if it is not compiled, a general kernel for its format, or
   * another plan that is already compiled and takes at most twice as long (see "Kernels"). */
  SPECMV_KERNELS_BOTH = 0,
  SPECMV_KERNELS_SPECIALIZED = 1, /* only that kernel; creation waits for its compilation */
  SPECMV_KERNELS_GENERAL = 2      /* the general kernel if the format has one; it is not replaced */
} specmvKernels_t;

typedef enum {
  SPECMV_OPERATION_NON_TRANSPOSE = 0, /* A: x has cols values, y has rows values */
  SPECMV_OPERATION_TRANSPOSE = 1      /* the transpose: x has rows values, y has cols values */
} specmvOperation_t;

/* Options of a plan. Begin with
 *   specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
 * and set the fields that you want. The default of each field is 0, including fields that later
 * versions add. You may also set the whole structure to 0 and structSize to its size.
 * specmv-options(7) lists what each option costs and to which formats it applies. */
struct specmvPlanOptions {
  size_t structSize;
  specmvTarget_t target;
  specmvRigor_t rigor;
  int device;     /* the number of the GPU, from 0 */
  int betaIsZero; /* not 0: a promise that beta is 0 in every product; others are then refused */
  /* Choose among these, such as "ell,hyb"; NULL: all that compute the same bits in every run. */
  const char *formats;
  /* Not 0: compile nothing, take kernels only from packs, and do not read or write your cache on
   * disk. If SPECMV_TARGET_AUTO finds no GPU, a missing kernel is only a warning. */
  int onlyPacks;
  /* A plan of a matrix with the same sparsity pattern: the new plan takes its format and parameters
   * without profiling the matrix. If these do not fit, or `formats` excludes them, the option only
   * causes a logged warning. If only its coding of values does not fit, values are stored as they
   * are. Needed only during the call. */
  specmvPlan_t structureOf;
  /* Not 0: specmvUpdateValues() works for every format; some plans then store 6 more bytes per
   * entry. A planText with a coding of values, such as values=ones, is refused with
   * NOT_APPLICABLE. */
  int updatable;
  specmvStart_t start; /* when specmvCreatePlan() returns */
  /* Not 0: the expected number of products. An estimate or a trial (`rigor`) then starts from the
   * plan with the least total time of set-up and products. For few products this may be the given
   * CSR arrays, and the matrix is then checked but not profiled. */
  int64_t expectedProducts;
  /* Not 0: a promise that the arrays of the matrix stay unchanged until the plan is destroyed. If
   * they are on the GPU, plans of most CSR formats read them in place, unless 64-bit indices would
   * fit 32 bits. With `updatable`, plans copy them anyway, to store new values. Plans with values
   * in fewer bytes use these arrays to pack new values (see below). */
  int csrOutlivesPlan;
  /* Not 0: a promise that x and y of every product are in memory that the plan's GPU can access.
   * Products then do not query the driver for their location, which saves host time. */
  int vectorsOnGpu;
  specmvContext_t context; /* NULL: the environment's settings. Needed only during the call */
  /* A or its transpose. A transpose gets its own plan, as for any other matrix; the host sorts its
   * entries by columns. As values are real, it is also the conjugate transpose. */
  specmvOperation_t operation;
  /* Not 0: choose among plans that are predicted to store at most this many bytes on the GPU, or on
   * the host if products run there. Plans that are stored at the same time count together (see
   * "Learning" and "Improving"). This does not count the memory for `updatable`, for vectors in
   * host memory, and for a copy of the matrix during the set-up. */
  int64_t maxBytes;
  /* More than 1: choose the format and generate kernels for about this many vectors at once, for
   * specmvExecuteMulti(). One pass over the matrix multiplies up to 16 vectors. */
  int64_t vectors;
  /* Not 0: products of the plan may run on several streams at the same time, and several threads
   * may call specmvExecute() and specmvExecuteMulti() for it at once, but no other function at the
   * same time. If a product needs working memory (for the format, for rows of X, for vectors in
   * host memory), each stream gets its own. The first such product on a stream allocates it, and is
   * refused while the stream is captured. The plan finds this memory by the stream's handle, so a
   * stream's products must have ended before you destroy the stream. specmvUpdateValues() still
   * requires that the products on all streams have ended. With SPECMV_START_NOW, creation waits for
   * the plan. */
  int scratchPerStream;
  /* Not 0: alpha and beta of every product are in memory of the plan's GPU. Kernels read them when
   * they run, so a solver does not wait for them on the host. A plan on the host still takes them
   * in host memory. Formats of cuSPARSE are not chosen. */
  int scalarsOnGpu;
  /* Not 0: x, y, alpha and beta are double even if the values of the matrix are float. Products are
   * computed in double; the values of the matrix take half the bytes. Repeated entries may be added
   * in float first. No format of cuSPARSE is chosen, and none that computes partly on the host. */
  int doubleVectors;
  /* Has no effect: kernels of every plan write to the z of specmvExecuteInto() without a copy of
   * y. */
  int resultApart;
  /* Not 0: a plan on the host also compiles the kernel that a GPU would run (an H200, or the GPU of
   * the context's gpuModel) into the cache, for later runs on a machine with that GPU. If there is
   * no cache folder, or cacheDirectory is "", nothing is compiled. */
  int compileOnHost;
  specmvKernels_t kernels; /* which kernels run products on a GPU */
  /* The text of a plan, as specmvGetPlanText() returns it: the matrix gets this plan on every
   * machine without being profiled, so products on a GPU compute the same bits. Then `rigor`,
   * `expectedProducts` and `structureOf` have no effect. INVALID_VALUE: a text that is not a plan,
   * or `formats` is set too; NOT_APPLICABLE: a plan that does not fit the matrix. NULL: specmv
   * chooses. Needed only during the call. */
  const char *planText;
  /* Not 0: most products will run in fused steps (see specmv_fusion.h). The choice then includes
   * the additional kernel that some formats need for the statements. */
  int fused;
  /* Not 0: store each value as it is. Otherwise a plan may store values in fewer bytes, or not at
   * all, if they are equal, equal along diagonals, few, or in double and exact in float; products
   * are bitwise equal, except for the sign of some zeros. `updatable` says that values will change,
   * so it has the same effect as this option. A planText with a coding of values is refused
   * (INVALID_VALUE). See "Values in fewer bytes". */
  int plainValues;
  /* Not 0: x and y of every product are in the plan's own order of rows and columns (see
   * specmvGetPermutation()). Products then permute nothing; a solver permutes its vectors once.
   * Needs `order` or planText; with SPECMV_START_NOW it is refused (INVALID_VALUE). */
  int vectorsInPlanOrder;
  /* The order of rows and columns in which the plan multiplies: "none", that of the matrix; "bfs",
   * that of a breadth-first search, in which neighbouring rows read neighbouring values of x. A
   * product then permutes x into working memory and its result back; predicted times include this.
   * NULL: "bfs" on a GPU if products are predicted to take less than 0.9 of the time without it and
   * expectedProducts products save more time than the search costs, otherwise "none". "bfs" is
   * refused with NOT_APPLICABLE if the matrix is not square or has a row of more than 1,024
   * entries, and with the option vectors, unless vectorsInPlanOrder is set. Together with planText
   * it is refused with INVALID_VALUE. Needed only during the call. */
  const char *order;
  /* Not 0: if another plan is taken because the kernels of the best plan are not already compiled,
   * the plan changes to the best one between two products, once that has been compiled and packed
   * in the background (see "Improving"), and from a general kernel to its own. The arrays of the
   * matrix must stay unchanged until specmvPlanReady() sets *ready to 1. Without this option, plans
   * with SPECMV_START_NOW do so, and those with SPECMV_RIGOR_ONLINE and csrOutlivesPlan. */
  int improves;
};

#define SPECMV_PLAN_OPTIONS_INIT                                                                   \
  {                                                                                                \
    sizeof(specmvPlanOptions_t), SPECMV_TARGET_AUTO, SPECMV_RIGOR_ESTIMATE, 0, 0, NULL, 0, NULL,   \
        0, SPECMV_START_WAIT, 0, 0, 0, NULL, SPECMV_OPERATION_NON_TRANSPOSE, 0, 0, 0, 0, 0, 0, 0,  \
        SPECMV_KERNELS_BOTH, NULL, 0, 0, 0, NULL, 0                                                \
  }

/* --- Values in fewer bytes ---------------------------------------------------------------------
 * specmv-formats(7) describes the codings in which a plan may store values. Products are bitwise
 * equal to those with plain values, except for the sign of a zero in one case: `ones` with a
 * negative value that is not an integer, in a row whose sum underflows.
 * specmvUpdateValues() accepts new values for a coded plan if it would accept them for the plan
 * with plain values, that is, if the format keeps the values in the order of CSR. With
 * csrOutlivesPlan it accepts them for all formats but hcghyb: it packs them with the structure
 * arrays of the matrix, and does not change the caller's values.
 * The function first examines the new values where they are, on the GPU or the host, and waits for
 * the stream; while the stream is captured, it is refused (INVALID_VALUE). If the values fit the
 * coding, they are encoded again. If not, the plan changes to plain values with the same format and
 * parameters, and stays so. Its text and its bytes change, which may exceed maxBytes, and its
 * kernels are found or compiled (otherwise NO_NVRTC or NOT_IN_PACKS). Fused steps of the plan
 * change too. The context's log reports this (INFO). After an error the plan has its previous
 * values, or none (see specmvUpdateValues()).
 * A graph that was captured before uses the new values if the coding is still codes4, codes8, f32,
 * blocks or blocks8. For ones and diagonals, and if the text has changed, capture the graph again:
 * it may use the previous values. The memory that it reads stays allocated until the plan is
 * destroyed. */

/* --- Kernels -----------------------------------------------------------------------------------
 * A specialized kernel has parameters of the matrix as constants, such as the width of ELL or the
 * diagonals of DIA. It must be compiled, which takes 50 to 300 ms. A general kernel takes these
 * parameters as arguments. Its products are bitwise equal and take 0 to 3 percent longer (H200).
 * specmv-options(7) names the formats with general kernels, which are in the standard pack. A
 * kernel is already compiled if it is loaded, in a pack or in the cache. If the kernels of the best
 * plan are not already compiled, an estimated plan begins with its general kernel, or is replaced
 * by a compiled plan that is predicted to take at most twice as long. A low-priority thread
 * compiles the missing kernels, if they gain anything, for this plan if it improves, otherwise for
 * later ones: while the driver loads kernels, it holds up launches until all work on the GPU has
 * ended. For the same reason a general kernel that is loaded comes before another one that is not.
 * So two plans of one matrix may differ, and so may the last bits of their products.
 * specmv-choosing(7) has the details, such as when creation waits for a compilation. */

/* --- Improving ---------------------------------------------------------------------------------
 * A plan may improve with the option `improves`, with SPECMV_START_NOW, and with
 * SPECMV_RIGOR_ONLINE together with csrOutlivesPlan. If it was taken because the kernels of the
 * best plan were not already compiled (see "Kernels"), and its prediction is more than 3 percent
 * slower, a low-priority thread compiles these kernels, and another thread packs the best plan on a
 * stream of low priority. That plan takes the place of the first between two products, so the last
 * bits of y change then. Calls for products wait for none of this, except while the driver loads
 * the kernels (specmv-program(7)). The memory of the former plan is freed once its products have
 * ended.
 * Until then the arrays of the matrix must stay unchanged: specmvPlanReady() tells when they are
 * not needed any more, specmvPlanWait() and specmvPlanWaitFor() also wait for the best plan, and
 * specmvPlanCancel() keeps the plan that runs (specmv_lifetime.h). specmvDestroyPlan() does not
 * wait for a compilation.
 * specmvUpdateValues() works meanwhile with `updatable`: it also keeps a copy of the values, on the
 * GPU if they are there, which the best plan gets before it takes over. Without `updatable`, an
 * update that the plan accepts ends the improvement; a plan that was exchanged may refuse updates
 * that the former one accepted.
 * A graph keeps the products that it was captured with, and their memory, until the plan is
 * destroyed. If the plan takes new values, they must reach such a graph: then the plan stays, and
 * so it does if an update is captured. It also stays if a fused step is created, and after
 * specmvGetPermutation(). Plans on the host do not improve, nor do those with scratchPerStream
 * (their creation waits for the kernels), vectorsInPlanOrder, onlyPacks, or if both plans together
 * exceed maxBytes. If the best plan cannot be made, the plan stays, and a warning is logged once.
 * With SPECMV_RIGOR_ONLINE the best plan is compared with the former one in the program's products,
 * after a comparison that is still going on.
 * specmvGetPlanText() returns the plan that runs. specmvGetPlanReport() and, under "improvement",
 * specmvGetPlanJson() say what is being made, or why it cannot be. */

/* --- Learning ----------------------------------------------------------------------------------
 * With the rigor SPECMV_RIGOR_ONLINE, the plan begins with the best prediction. The best plans of
 * two other formats that may be as fast are stored too. The products of the program alternate among
 * these plans and are timed by events on its stream. Short products are timed in groups, which
 * include what the program launches between them. Plans that are clearly slower are dropped after
 * three products. No call waits for the times. When the fastest plan is known, after some ten to a
 * hundred products, it is kept. The memory of the others is freed once their products have ended,
 * and the next plan of the matrix, if its values fit the same codings, takes the fastest without
 * learning. Until learning ends, the last bits of y may change with the plan. Learning ends early,
 * with the fastest plan so far, when a product is captured into a graph, is launched on another
 * stream or has a vector on the host, and when a fused step is created. With `updatable`,
 * specmvUpdateValues() updates all plans that are compared. Without it, the function is refused
 * with any format, also when learning has ended: which plan stays depends on measured times, and
 * not all formats take new values. There is no learning on the host, with scratchPerStream, for
 * several vectors, with `fused`, or if `planText` or `structureOf` gives the plan. There is none
 * either if memory or the cache has a choice for the matrix that was timed (by a trial, learning or
 * measurement), or if a product is predicted to end before the host could launch and time the next
 * one, which takes about three launches of an empty kernel. All plans together stay within
 * maxBytes. Only plans whose kernels are already compiled take part, unless `kernels` says to wait
 * for them; the best plan joins later if the plan improves. specmvGetPlanText() returns the fastest
 * so far, and specmvGetPlanJson() lists all plans with their times under "learning". */

/* --- Estimates ---------------------------------------------------------------------------------*/

/* A prediction of the plan that specmvCreatePlan() would create if there were no earlier choice for
 * the matrix in memory or in the cache. A program can use it to decide whether the memory suffices
 * and whether a plan pays off. */
typedef struct {
  size_t structSize;
  int64_t bytes;          /* the bytes that the plan stores where its products run */
  double productUs;       /* the time of one product, in microseconds */
  double setupUs;         /* the time of the set-up in microseconds if all kernels are loaded ... */
  double setupCompiledUs; /* ... and if all of them must be compiled first */
  char format[32];        /* the name of its format */
} specmvPlanEstimate_t;

#define SPECMV_PLAN_ESTIMATE_INIT                                                                  \
  { sizeof(specmvPlanEstimate_t), 0, 0, 0, 0, "" }

/* Profiles the matrix and predicts a plan. It builds and stores nothing, and compiles only the
 * kernels that profile the matrix. It takes the options of specmvCreatePlan() and ignores rigor,
 * start and structureOf. With planText it packs the matrix to check whether that plan
 * fits, and frees the arrays. If it fails, *estimate does not change.
 * On the host, `bytes` is the size of the CSR arrays, which products use there; the other fields
 * describe the plan that a GPU would run. Errors: those of specmvCreatePlan(). */
SPECMV_API specmvStatus_t specmvEstimatePlan(specmvPlanEstimate_t *estimate, specmvMatrix_t matrix,
                                             const specmvPlanOptions_t *options);

#ifdef __cplusplus
}
#endif

#endif
