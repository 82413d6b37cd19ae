// The product on the host, for machines without a GPU: plain CSR on all cores, which share long
// rows.
#pragma once

#include "models/csr.h"

namespace specmv {

// Computes y = alpha A x + beta y. x has cols values and y has rows values, both of one type: that
// of the view's values, or f64. With beta = 0, y is not read. The entries of a row are added in
// groups of 64 in their order, and the sums of the groups as a binary tree. So the result does not
// depend on the threads, and is the same on all machines that fuse multiplications and additions in
// the same way.
void multiplyOnHost(const CsrView &a, ValueType vectorType, double alpha, const void *x,
                    double beta, void *y);
inline void multiplyOnHost(const CsrView &a, double alpha, const void *x, double beta, void *y) {
  multiplyOnHost(a, a.valueType, alpha, x, beta, y);
}

// Several vectors: value j of element i is x[i strideX + j stepX] or y[i strideY + j stepY].
struct HostVectors {
  int64_t count;
  const void *x;
  int64_t strideX, stepX;
  void *y;
  int64_t strideY, stepY;
};
// Multiplies each of several vectors with the same bits as the function above; the entries are read
// once for several vectors.
void multiplyOnHost(const CsrView &a, ValueType vectorType, double alpha,
                    const HostVectors &vectors, double beta);
inline void multiplyOnHost(const CsrView &a, double alpha, const HostVectors &vectors,
                           double beta) {
  multiplyOnHost(a, a.valueType, alpha, vectors, beta);
}

} // namespace specmv
