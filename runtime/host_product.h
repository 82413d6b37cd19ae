// The product on the host: plain CSR over all cores. The target of machines without a GPU.
#pragma once

#include "models/csr.h"

namespace specmv {

// y = alpha A x + beta y with x of cols and y of rows values of the view's type; beta = 0 never
// reads y. Entries of a row are added in their order, so the result is the same on every machine
// with the same fused multiply-add.
void multiplyOnHost(const CsrView &a, double alpha, const void *x, double beta, void *y);

} // namespace specmv
