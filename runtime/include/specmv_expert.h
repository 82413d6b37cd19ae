/* The expert's part of specmv's C API, in headers of one subject each, and what concerns the whole
 * process. Include specmv.h, which includes this header and explains errors, threads and streams.
 * Each header below uses only those above it. Each begins, before its include guard, with specmv.h,
 * which includes all of them in this order; so any of them may be included first. */
#ifndef SPECMV_EXPERT_H
#define SPECMV_EXPERT_H

#include "specmv.h"

/* Descriptions of matrices */
#include "specmv_matrices.h"
/* Packs; Contexts */
#include "specmv_contexts.h"
/* Options of a plan; Values in fewer bytes; Kernels; Learning; Estimates */
#include "specmv_options.h"
/* Products before the plan; Asynchronous destruction; The GPU's state */
#include "specmv_lifetime.h"
/* Products for experts; Working memory */
#include "specmv_products.h"
/* Fused steps */
#include "specmv_fusion.h"
/* Facts about a plan */
#include "specmv_facts.h"

/* --- Processes ---------------------------------------------------------------------------------
 * A child of fork() may create plans and compute products on the host, also with its parent's plans
 * on the host. In the child, calls that need a GPU fail with MISSING. End the child with _exit() or
 * exec(), not with exit(), which may wait forever. If the program resets a GPU (cudaDeviceReset()),
 * functions refuse the plans on this GPU with INVALID_VALUE, and you can only destroy them. After a
 * kernel of the program has failed, products and new plans on the GPU fail with MISSING. End the
 * process (return from main, or call exit() on the main thread) only while no other thread is in a
 * call that uses a GPU. specmv-program(7) has the details, and names two kinds of programs that
 * must wait for plans first. */

#endif
