/* A made-up web for the samples that rank pages. */
#ifndef SPECMV_SAMPLES_WEB_H
#define SPECMV_SAMPLES_WEB_H
/* NOLINTBEGIN(modernize-*): it is C, which C++ may include too */

#include "common.h"

#include <stdint.h>

enum { kLinks = 4 };

/* Page j links to four others, each with a quarter of its rank: these are column j of the matrix,
 * so this is CSC. If `each` is not 0, every `each`-th page has no links. */
static inline Csr makeWeb(int n, int each) {
  Csr web = {n, 0, NULL, NULL, NULL};
  web.rowPtr = (int *)allocate((size_t)n + 1, sizeof *web.rowPtr);
  web.col = (int *)allocate(kLinks * (size_t)n, sizeof *web.col);
  web.val = (double *)allocate(kLinks * (size_t)n, sizeof *web.val);
  for (int j = 0; j < n; ++j) {
    const int64_t targets[kLinks] = {j / 2, 2 * (int64_t)j + 1, 3 * (int64_t)j + 2, 5 * (int64_t)j};
    const int links = each > 0 && j % each == each - 1 ? 0 : kLinks;
    for (int k = 0; k < links; ++k) {
      web.col[web.nnz] = (int)(targets[k] % n);
      web.val[web.nnz++] = 1.0 / kLinks;
    }
    web.rowPtr[j + 1] = web.nnz;
  }
  return web;
}

static inline specmvMatrix_t matrixOfColumns(const Csr *web) {
  specmvMatrixDescription_t description = SPECMV_MATRIX_DESCRIPTION_INIT;
  description.format = SPECMV_FORMAT_CSC;
  description.rows = description.cols = web->rows;
  description.nnz = web->nnz;
  description.offsets = web->rowPtr; /* of columns */
  description.rowIndices = web->col;
  description.values = web->val;
  specmvMatrix_t matrix;
  check(specmvCreateMatrix(&matrix, &description), "specmvCreateMatrix");
  return matrix;
}

/* NOLINTEND(modernize-*) */
#endif
