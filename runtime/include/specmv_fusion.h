/* Fused steps: statements of a solver that run within a product. Include specmv.h, which includes
 * this header. specmv_fused.h has ready-made steps. */
#include "specmv.h"

#ifndef SPECMV_FUSION_H
#define SPECMV_FUSION_H

#ifdef __cplusplus
extern "C" {
#endif

/* --- Fused steps -------------------------------------------------------------------------------
 * A fused step runs statements of a solver for each row of a product instead of storing y, and
 * computes sums over all rows, such as dot products. Each vector is then read and written once, and
 * sums stay in GPU memory, so a solver need not wait for them. This example is a step of conjugate
 * gradients:
 *
 *   specmvFusion_t fusion = SPECMV_FUSION_INIT;
 *   fusion.x = "p";                        multiplies p
 *   fusion.epilogue = "q = ax; pq += p * q;";
 *   fusion.vectors = "p, q";
 *   fusion.written = "q";
 *   fusion.sums = "pq";
 *   specmvCreateFused(&step, plan, &fusion);
 *   void *vectors[] = {p, q}, *scalars[] = {pq};
 *   specmvExecuteFused(step, vectors, scalars, stream);
 *
 * specmv_fused.h has ready-made descriptions for solvers, and specmv-fused(7) explains more. All
 * texts are C strings, which are copied; lists are names separated by commas. You choose the names,
 * but words of C++, names of CUDA, i, j, ax, real, and names that begin with specmv, __, or _ and a
 * capital are taken. */

typedef struct {
  size_t structSize;
  /* The multiplied vector: one of `vectors`, or an expression of vectors, scalars and j for column
   * j, such as "r + beta * p". It is evaluated where kernels read x, or first stored as a vector,
   * whichever is predicted to be faster. NULL: the step has no product, and no ax. */
  const char *x;
  /* Statements for row i, in a small part of CUDA C++ that specmv-fused(7) describes. The name of a
   * vector stands for its value in this row, and ax for the value of A x. There are assignments,
   * declarations of variables (`real` is the type of the vectors), if and else, the operators of
   * numbers and conditions, and the mathematical functions such as sqrt, fabs, fma and pow. There
   * are no loops, jumps, pointers, arrays, types of your own, bits, strings or macros. ratio(a, b)
   * is a / b, or 0 if b is 0. In x, a condition around a division costs time at each entry, and
   * ratio() does not. This text and x have at most 8 KiB each, are at most 64 levels deep, and have
   * at most 256 operators in a statement. */
  const char *epilogue;
  /* At most 8. Vectors in x have cols values, vectors in the statements have rows values, and
   * vectors in both have the larger of the two numbers. */
  const char *vectors;
  const char *written; /* the vectors that the statements change, at most 4, none of them in x */
  const char *scalars; /* numbers that each call passes */
  /* Numbers in GPU memory, read when the step runs. Together with `scalars` at most 8. */
  const char *gpuScalars;
  /* At most 4. Each is 0 before the statements of a row. Its values after them are summed over all
   * rows, in the same order and with the same bits in every run. */
  const char *sums;
} specmvFusion_t;

#define SPECMV_FUSION_INIT                                                                         \
  { sizeof(specmvFusion_t), NULL, NULL, NULL, NULL, NULL, NULL, NULL }

typedef struct specmvFused *specmvFused_t;

/* Creates a step of the plan. It uses the plan's packed arrays and has its own kernel, which must
 * be compiled (50 to 300 ms) if the cache does not have it. Formats whose kernels cannot run
 * statements (coo, csr5-hot, ctile, hyb, hcghyb, those of cuSPARSE), and plans that permute vectors
 * (`order`), compute A x first. specmvUpdateValues() for the plan also updates the step. The
 * function waits for a set-up in the background. For a plan on the host, the step cannot run; with
 * the option compileOnHost its kernel is compiled into the cache, which checks its texts. Errors:
 * INVALID_VALUE: a null pointer, a plan with the option vectors, a text or name that is not allowed
 * or does not compile; the detail has its line and column. NO_NVRTC: the kernel cannot be compiled.
 * NOT_IN_PACKS: the plan has onlyPacks, and packs have no kernels of steps. GPU_MEMORY_FULL: the
 * vectors that the step keeps do not fit. */
SPECMV_API specmvStatus_t specmvCreateFused(specmvFused_t *step, specmvPlan_t plan,
                                            const specmvFusion_t *fusion);
/* Launches the step on the stream and returns without waiting; the stream may be captured.
 * `vectors` has an address in GPU memory for each name in the fusion's `vectors`. `scalars` has an
 * address for each name in its `scalars` (on the host, read during the call), `gpuScalars` and
 * `sums` (in GPU memory), in this order; all have the vectors' type. A written vector or a sum must
 * not overlap any other of these arrays. Two runs of one step must not be on the GPU at the same
 * time; products and other steps of the plan may run at the same time, unless its format is one of
 * cuSPARSE's. Errors: INVALID_VALUE: a null pointer, a wrong alignment, arrays that overlap, memory
 * on the host or on another GPU (not checked if the plan has vectorsOnGpu). NO_GPU: the plan runs
 * on the host. */
SPECMV_API specmvStatus_t specmvExecuteFused(specmvFused_t step, void *const *vectors,
                                             void *const *scalars, void *stream);
/* Waits for the step's runs and destroys it. Destroy the steps of a plan before the plan; otherwise
 * specmvDestroyPlan() fails with INVALID_VALUE. NULL is accepted. */
SPECMV_API specmvStatus_t specmvDestroyFused(specmvFused_t step);

#ifdef __cplusplus
}
#endif

#endif
