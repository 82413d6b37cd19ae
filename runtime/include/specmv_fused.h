/* Fused steps of common solvers for specmvCreateFused(), which specmv_fusion.h explains. Each step
 * is an initializer:
 *
 *   specmvFusion_t fusion = SPECMV_FUSED_CG_PRODUCT;
 *
 * The comment before each step lists its arguments in the order in which specmvExecuteFused() takes
 * them: vectors, scalars on the host, scalars on the GPU, sums. "<-" marks vectors that the step
 * writes. A step whose x is NULL has no product. A prime marks a new vector or scalar: p' is the
 * next p. */
#ifndef SPECMV_FUSED_H
#define SPECMV_FUSED_H

#include "specmv.h"

/* Makes such an initializer from your own texts. Pass NULL for what a step does not have. */
#define SPECMV_FUSED(x, epilogue, vectors, written, scalars, gpuScalars, sums)                     \
  { sizeof(specmvFusion_t), x, epilogue, vectors, written, scalars, gpuScalars, sums }

/* ratio(a, b) is a / b, or 0 if b is 0, as at the start and when r has become 0. */

/* --- Conjugate gradients, preconditioned by the diagonal --------------------------------------
 * An iteration has two steps. After each iteration, swap p and p', rz and rzOld, pq and pqOld. At
 * the start, set r = b - A x, p = q = 0 and all scalars to 0, and run the update once, which
 * computes z and rz. At the end, run SPECMV_FUSED_CG_END. If r becomes 0, further iterations change
 * nothing, so a loop need not test the sum rr in each iteration. */

/* p' = z + rz / rzOld p, q = A p', and x += rzOld / pqOld p, which is the update of x of the
 * previous iteration. Vectors z, p, p' <-, q <-, x <-; on the GPU rz, rzOld, pqOld; sum pq. */
#define SPECMV_FUSED_CG_PRODUCT                                                                    \
  SPECMV_FUSED("z + ratio(rz, rzOld) * p",                                                         \
               "pNew = z + ratio(rz, rzOld) * p;\n"                                                \
               "q = ax;\n"                                                                         \
               "x += ratio(rzOld, pqOld) * p;\n"                                                   \
               "pq += pNew * q;",                                                                  \
               "z, p, pNew, q, x", "pNew, q, x", NULL, "rz, rzOld, pqOld", "pq")
/* r -= rz / pq q, z = d r, where d is the inverse of the diagonal, or all 1. Vectors r <-, z <-, q,
 * d; on the GPU rz, pq; sums rzNew, for which rzOld's memory is used, and rr. */
#define SPECMV_FUSED_CG_UPDATE                                                                     \
  SPECMV_FUSED(NULL,                                                                               \
               "r -= ratio(rz, pq) * q;\n"                                                         \
               "z = d * r;\n"                                                                      \
               "rzNew += r * z;\n"                                                                 \
               "rr += r * r;",                                                                     \
               "r, z, q, d", "r, z", NULL, "rz, pq", "rzNew, rr")
/* x += rzOld / pqOld p, with the scalars of the last iteration. Vectors p, x <-; on the GPU rzOld,
 * pqOld. */
#define SPECMV_FUSED_CG_END                                                                        \
  SPECMV_FUSED(NULL, "x += ratio(rzOld, pqOld) * p;", "p, x", "x", NULL, "rzOld, pqOld", NULL)

/* --- Smoothers ---------------------------------------------------------------------------------*/

/* Weighted Jacobi: x' = x + omega d (b - A x), with d the inverse of the diagonal. Vectors x, x'
 * <-, b, d; omega. */
#define SPECMV_FUSED_JACOBI                                                                        \
  SPECMV_FUSED("x", "xNew = x + omega * d * (b - ax);", "x, xNew, b, d", "xNew", "omega", NULL,    \
               NULL)
/* One degree of a Chebyshev smoother: s = c1 s + c2 d (b - A x), x' = x + s. Set s = 0 at the
 * start, and swap x and x' after each degree. For eigenvalues of d A within [low, high], theta =
 * (high + low) / 2, delta = (high - low) / 2 and rho = delta / theta: the first degree has c1 = 0,
 * c2 = 1 / theta; each further one has rho' = 1 / (2 theta / delta - rho), c1 = rho' rho, c2 = 2
 * rho' / delta, and then rho = rho'. Vectors x, x' <-, s <-, b, d; c1, c2. */
#define SPECMV_FUSED_CHEBYSHEV                                                                     \
  SPECMV_FUSED("x",                                                                                \
               "s = c1 * s + c2 * d * (b - ax);\n"                                                 \
               "xNew = x + s;",                                                                    \
               "x, xNew, s, b, d", "xNew, s", "c1, c2", NULL, NULL)

/* --- BiCGSTAB ----------------------------------------------------------------------------------
 * An iteration has three steps. After each iteration, swap p and p', v and v', rho and rhoNew, and
 * each of r0v, ts and tt with its old value. At the start, set r0 = b - A x, p = v = t = 0 and all
 * scalars to 0, and run the update once with r0 in place of s, which computes r and rho. If r
 * becomes 0, further iterations change nothing. If the method breaks down (r0v = 0 or rho = 0), it
 * continues from r. */

/* p' = r + rho / rhoOld alpha / omega (p - omega v) and v' = A p', with the alpha = rhoOld / r0vOld
 * and omega = tsOld / ttOld of the previous iteration. Vectors r, p, v, p' <-, v' <-, r0; on the
 * GPU rho, r0vOld, tsOld, ttOld; sum r0v. */
#define SPECMV_FUSED_BICGSTAB_DIRECTION                                                            \
  SPECMV_FUSED("r + ratio(rho, r0vOld) * (ratio(ttOld, tsOld) * p - v)",                           \
               "const real back = ratio(ttOld, tsOld);\n"                                          \
               "pNew = r + ratio(rho, r0vOld) * (back * p - v);\n"                                 \
               "vNew = ax;\n"                                                                      \
               "r0v += r0 * ax;",                                                                  \
               "r, p, v, pNew, vNew, r0", "pNew, vNew", NULL, "rho, r0vOld, tsOld, ttOld", "r0v")
/* s = r - rho / r0v v, t = A s. Vectors r, v, s <-, t <-; on the GPU rho, r0v; sums ts, tt. */
#define SPECMV_FUSED_BICGSTAB_STABILIZE                                                            \
  SPECMV_FUSED("r - ratio(rho, r0v) * v",                                                          \
               "s = r - ratio(rho, r0v) * v;\n"                                                    \
               "t = ax;\n"                                                                         \
               "ts += t * s;\n"                                                                    \
               "tt += t * t;",                                                                     \
               "r, v, s, t", "s, t", NULL, "rho, r0v", "ts, tt")
/* x += rho / r0v p + ts / tt s, r = s - ts / tt t. Vectors x <-, r <-, p, s, t, r0; on the GPU rho,
 * r0v, ts, tt; sums rhoNew, rr. */
#define SPECMV_FUSED_BICGSTAB_UPDATE                                                               \
  SPECMV_FUSED(NULL,                                                                               \
               "const real alpha = ratio(rho, r0v);\n"                                             \
               "const real omega = ratio(ts, tt);\n"                                               \
               "x += alpha * p + omega * s;\n"                                                     \
               "r = s - omega * t;\n"                                                              \
               "rhoNew += r0 * r;\n"                                                               \
               "rr += r * r;",                                                                     \
               "x, r, p, s, t, r0", "x, r", NULL, "rho, r0v, ts, tt", "rhoNew, rr")

/* --- Linear programs by PDHG -------------------------------------------------------------------
 * Minimize c x, where each row of A x is >= b or = b, and low <= x <= high. An iteration has two
 * steps: one of a plan of the transpose, and one of a plan of A. yLeast is 0 for a row with >= and
 * -infinity for a row with =. The steps sum x and y since the last restart; a restart replaces x
 * and y by their averages. The method converges if tau sigma |A|^2 < 1. At the start, x is within
 * its bounds, and y = xSum = ySum = 0. A bound may be infinite. */

/* x = proj(x - tau (c - A^T y)), xBar = 2 x - xOld, xSum += x. Plan of the transpose. Vectors y, x
 * <-, xBar <-, xSum <-, c, low, high; tau; sums dx (of (x - xOld)^2), cx. */
#define SPECMV_FUSED_PDHG_PRIMAL                                                                   \
  SPECMV_FUSED("y",                                                                                \
               "real next = x - tau * (c - ax);\n"                                                 \
               "next = next < low ? low : next > high ? high : next;\n"                            \
               "dx += (next - x) * (next - x);\n"                                                  \
               "cx += c * next;\n"                                                                 \
               "xBar = 2 * next - x;\n"                                                            \
               "x = next;\n"                                                                       \
               "xSum += next;",                                                                    \
               "y, x, xBar, xSum, c, low, high", "x, xBar, xSum", "tau", NULL, "dx, cx")
/* y = proj(y + sigma (b - A xBar)), ySum += y. Plan of A. Vectors xBar, y <-, ySum <-, b, yLeast;
 * sigma; sums dy, by. */
#define SPECMV_FUSED_PDHG_DUAL                                                                     \
  SPECMV_FUSED("xBar",                                                                             \
               "real next = y + sigma * (b - ax);\n"                                               \
               "next = next < yLeast ? yLeast : next;\n"                                           \
               "dy += (next - y) * (next - y);\n"                                                  \
               "by += b * next;\n"                                                                 \
               "y = next;\n"                                                                       \
               "ySum += next;",                                                                    \
               "xBar, y, ySum, b, yLeast", "y, ySum", "sigma", NULL, "dy, by")
/* A restart: x = scale xSum, xSum = 0, where scale is 1 / (iterations since the last restart).
 * Create this step twice: of the plan of the transpose for x, and of the plan of A for y. Vectors x
 * <-, xSum <-; scale. */
#define SPECMV_FUSED_PDHG_RESTART                                                                  \
  SPECMV_FUSED(NULL, "x = scale * xSum;\nxSum = 0;", "x, xSum", "x, xSum", "scale", NULL, NULL)

/* --- PageRank ----------------------------------------------------------------------------------
 * A(i, j) is 1 / the number of links of page j if it has a link to page i. isEnd is 1 for pages
 * without links, and 0 for others. At the start, rank = 1 / n, and ends is the sum of isEnd rank.
 * After each step, swap rank and next, ends and endsNew. */

/* next = damping (A rank + ends / n) + (1 - damping) / n. Vectors rank, next <-, isEnd; damping,
 * pages (n); on the GPU ends; sums endsNew, change (of |next - rank|). */
#define SPECMV_FUSED_PAGERANK                                                                      \
  SPECMV_FUSED("rank",                                                                             \
               "next = damping * (ax + ends / pages) + (1 - damping) / pages;\n"                   \
               "endsNew += isEnd * next;\n"                                                        \
               "change += fabs(next - rank);",                                                     \
               "rank, next, isEnd", "next", "damping, pages", "ends", "endsNew, change")

#endif
