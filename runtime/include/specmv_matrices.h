/* Describes matrices in a program's own storage format: CSR, CSC, COO or BSR. Include specmv.h,
 * which includes this header. */
#include "specmv.h"

#ifndef SPECMV_MATRICES_H
#define SPECMV_MATRICES_H

#ifdef __cplusplus
extern "C" {
#endif

/* --- Descriptions of matrices ------------------------------------------------------------------*/

typedef enum {
  SPECMV_FORMAT_CSR = 0, /* offsets of rows, colIndices */
  SPECMV_FORMAT_CSC = 1, /* offsets of columns, rowIndices */
  SPECMV_FORMAT_COO = 2, /* rowIndices and colIndices, in any order */
  SPECMV_FORMAT_BSR = 3  /* offsets of block rows, colIndices of blocks */
} specmvFormat_t;

/* Describes a matrix in your program's storage format. Begin with
 *   specmvMatrixDescription_t description = SPECMV_MATRIX_DESCRIPTION_INIT;
 * CSR with indexBase 0 and equal offsetType and indexType is used as it is. specmvCreatePlan()
 * converts everything else, and every transpose, to such CSR on the host, in 4 to 17 ns per entry
 * on two cores. It then checks the arrays before it returns, even with SPECMV_START_NOW, and the
 * plan does not need them any more. A structure that is all 0 describes values in float. */
typedef struct {
  size_t structSize;
  specmvFormat_t format;
  specmvDataType_t dataType;
  int64_t rows, cols, nnz;      /* in elements; nnz is the number of stored values */
  specmvIndexType_t offsetType; /* the type of offsets */
  specmvIndexType_t indexType;  /* the type of rowIndices and colIndices */
  int indexBase;                /* 0 or 1: the first offset and the first index */
  int blockRows, blockCols;     /* BSR: the size of a block; it divides rows and cols */
  int blocksByColumn;           /* BSR, not 0: the values of a block are in column order */
  const void *offsets;          /* rows + 1, cols + 1 or rows / blockRows + 1 elements; COO: NULL */
  const void *rowIndices;       /* nnz rows; CSR, BSR: NULL */
  const void *colIndices;       /* nnz columns; BSR: one for each block; CSC: NULL */
  /* nnz values. NULL: only the structure is known. Plans are then created as with `updatable`, and
   * refuse products until specmvUpdateValues() sets the values, unless nnz is 0. */
  const void *values;
} specmvMatrixDescription_t;

#define SPECMV_MATRIX_DESCRIPTION_INIT                                                             \
  {                                                                                                \
    sizeof(specmvMatrixDescription_t), SPECMV_FORMAT_CSR, SPECMV_R_64F, 0, 0, 0, SPECMV_INDEX_32I, \
        SPECMV_INDEX_32I, 0, 0, 0, 0, NULL, NULL, NULL, NULL                                       \
  }

/* Creates a matrix from a description. Its arrays must stay valid as long as those of
 * specmvCreateCsr(). Nothing is copied or computed. Errors: INVALID_VALUE: those of
 * specmvCreateCsr(), an unknown format, an indexBase other than 0 and 1, a block size that does not
 * divide rows, cols and nnz, an array that the format does not use. CSR with indices from 1 is
 * described with indexBase = 1. */
SPECMV_API specmvStatus_t specmvCreateMatrix(specmvMatrix_t *matrix,
                                             const specmvMatrixDescription_t *description);

#ifdef __cplusplus
}
#endif

#endif
