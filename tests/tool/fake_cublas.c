/* A cuBLAS whose vectors are in the memory of the fake GPU, the host's: what the samples call. */
/* NOLINTBEGIN(readability-identifier-naming): the library's names */
int cublasCreate_v2(void **handle) {
  static char made;
  *handle = &made;
  return 0;
}

int cublasDestroy_v2(void *handle) {
  (void)handle;
  return 0;
}

int cublasSetStream_v2(void *handle, void *stream) {
  (void)handle;
  return stream ? 0 : 1; /* a sample has a stream of its own */
}

/* Results on the GPU are on the host as well. */
int cublasSetPointerMode_v2(void *handle, int mode) {
  (void)handle;
  return mode == 0 || mode == 1 ? 0 : 7;
}

int cublasDdot_v2(void *handle, int n, const double *x, int xStep, const double *y, int yStep,
                  double *result) {
  (void)handle;
  *result = 0;
  for (int i = 0; i < n; ++i)
    *result += x[i * xStep] * y[i * yStep];
  return 0;
}

int cublasDaxpy_v2(void *handle, int n, const double *alpha, const double *x, int xStep, double *y,
                   int yStep) {
  (void)handle;
  for (int i = 0; i < n; ++i)
    y[i * yStep] += *alpha * x[i * xStep];
  return 0;
}

int cublasDscal_v2(void *handle, int n, const double *alpha, double *x, int step) {
  (void)handle;
  for (int i = 0; i < n; ++i)
    x[i * step] *= *alpha;
  return 0;
}

int cublasDcopy_v2(void *handle, int n, const double *x, int xStep, double *y, int yStep) {
  (void)handle;
  for (int i = 0; i < n; ++i)
    y[i * yStep] = x[i * xStep];
  return 0;
}
/* NOLINTEND(readability-identifier-naming) */
