/* specmv in PETSc: matrices of the AIJ family whose products specmv computes.
 *
 * A program needs none of these functions: load the library with
 *   -dll_append ./libspecmv_petsc.so -mat_type aijspecmv
 * or link it, call MatSpecmvInitializePackage() after PetscInitialize(), and set the type
 * MATAIJSPECMV. specmv-petsc(7) has the options and what is taken over. */
#ifndef SPECMV_PETSC_H
#define SPECMV_PETSC_H

#include <petscmat.h>

#include "specmv.h"

/* The name of the type. MatGetType() then tells the type whose data the matrix keeps: aijcusparse
 * if PETSc has CUDA and the machine a GPU, else aij. */
#define MATAIJSPECMV "aijspecmv"
#define MATSEQAIJSPECMV "seqaijspecmv"
#define MATMPIAIJSPECMV "mpiaijspecmv"

#ifdef __cplusplus
extern "C" {
#endif

/* Registers the types, and looks at the option -mat_specmv_all. Not collective; a second call does
 * nothing. -dll_append calls it. */
SPECMV_API PetscErrorCode MatSpecmvInitializePackage(void);

/* Makes specmv compute the products of an assembled matrix of the AIJ family (seqaij, mpiaij and
 * the types that begin so, such as seqaijcusparse). Nothing is computed before the first product.
 * The matrix stays what it is in all else. Collective. A second call drops the plans and reads the
 * options again. Errors: PETSC_ERR_SUP: a matrix of another type; PETSC_ERR_ARG_WRONGSTATE: one
 * that is not assembled. */
SPECMV_API PetscErrorCode MatSpecmvAttach(Mat A);
/* Gives the products back to the type of the matrix and destroys the plans. Collective. */
SPECMV_API PetscErrorCode MatSpecmvDetach(Mat A);

/* Gets the plan of A x, of which specmv_facts.h has the facts, or NULL if there has been no
 * product yet or specmv does not compute it. For a matrix in parallel it is the plan of the
 * diagonal block. The plan belongs to the matrix, which may replace it in any product. Not
 * collective. */
SPECMV_API PetscErrorCode MatSpecmvGetPlan(Mat A, specmvPlan_t *plan);
/* Gets how many plans were made, how often one took new values, and how many products specmv has
 * computed, for the rows of this process since MatSpecmvAttach(). Each pointer may be NULL. Not
 * collective. */
SPECMV_API PetscErrorCode MatSpecmvGetCounts(Mat A, PetscInt64 *plans, PetscInt64 *updates,
                                             PetscInt64 *products);

/* -dll_append calls it by this name, which follows from that of the library. */
SPECMV_API PetscErrorCode PetscDLLibraryRegister_specmv_petsc(void);

#ifdef __cplusplus
}
#endif

#endif
