// The vector operations of a solver run on the rank's place: cuBLAS on a GPU, loops on the host.
// The sums over all ranks have the same bits on all ranks, and in every run on equally many.
#ifndef SPECMV_SAMPLES_DISTRIBUTED_VECTORS_H
#define SPECMV_SAMPLES_DISTRIBUTED_VECTORS_H

#include "nccl.h"

#include <numeric>

namespace distributed {

// These are the functions of cuBLAS that the sample calls.
struct Blas {
  void *scalarsOnHost = nullptr, *resultsOnGpu = nullptr; // handles
  int (*create)(void **), (*setStream)(void *, void *), (*setPointerMode)(void *, int);
  int (*dot)(void *, int, const double *, int, const double *, int, double *);
  int (*axpy)(void *, int, const double *, const double *, int, double *, int);
  int (*scal)(void *, int, const double *, double *, int);
  int (*copy)(void *, int, const double *, int, double *, int);
};

inline bool openBlas(Blas &blas) {
  void *library = nullptr;
  for (const char *name :
       {"libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so"})
    if (!library)
      library = dlopen(name, RTLD_NOW);
  return find(library, "cublasCreate_v2", blas.create) &&
         find(library, "cublasSetStream_v2", blas.setStream) &&
         find(library, "cublasSetPointerMode_v2", blas.setPointerMode) &&
         find(library, "cublasDdot_v2", blas.dot) && find(library, "cublasDaxpy_v2", blas.axpy) &&
         find(library, "cublasDscal_v2", blas.scal) && find(library, "cublasDcopy_v2", blas.copy);
}

class Vectors {
public:
  Vectors(const Ranks &ranks, const Place &place, const Nccl &nccl, int64_t own)
      : ranks_(ranks), place_(place), nccl_(nccl), own_(static_cast<int>(own)),
        partial_(allocate(place, 1)), gathered_(allocate(place, ranks.count)),
        sums_(allocate(place, ranks.count, true)), ready_(makeEvent(place)),
        summed_(makeEvent(place)) {
    if (!place.onGpu)
      return;
    if (!openBlas(blas_))
      stop("there is no cuBLAS here; --target host needs none");
    openHandle(&blas_.scalarsOnHost, 0);
    openHandle(&blas_.resultsOnGpu, 1);
    const double zero = 0; // the sum of a rank without rows
    toDevice(place, partial_.get(), &zero, 1, place.compute);
    wait("the first copy");
  }

  void fill(double *to, const std::vector<double> &from) const {
    toDevice(place_, to, from.data(), static_cast<int64_t>(from.size()), place_.compute);
    wait("a copy to the GPU"); // from may go
  }

  // a . b over all ranks. Each adds the ranks' sums in the same order; MPI_Allreduce() may add in
  // any.
  double dot(const double *a, const double *b) const {
    beginDot(a, b);
    return endDot();
  }

  // Between these two, the GPU goes on with the compute stream while the sums are on their way.
  // They use the stream of the exchange, since messages of NCCL must have the same order on all
  // ranks.
  void beginDot(const double *a, const double *b) const {
    if (!place_.onGpu)
      partial_[0] = std::inner_product(a, a + own_, b, 0.0);
    else if (own_ > 0)
      checkCuda(blas_.dot(blas_.resultsOnGpu, own_, a, 1, b, 1, partial_.get()), "cublasDdot");
    record(place_, ready_, place_.compute);
    follow(place_, place_.exchange, ready_);
    const bool byNccl = nccl_.communicator != nullptr;
    if (byNccl)
      checkNccl(nccl_,
                nccl_.allGather(partial_.get(), gathered_.get(), 1, kNcclDouble, nccl_.communicator,
                                place_.exchange),
                "ncclAllGather");
    toHost(place_, sums_.get(), byNccl ? gathered_.get() : partial_.get(),
           byNccl ? ranks_.count : 1, place_.exchange);
    record(place_, summed_, place_.exchange);
  }
  double endDot() const {
    waitForEvent(summed_, nccl_.communicator ? "the sums of all ranks" : "the sum of this rank");
    if (!nccl_.communicator) {
      const double mine = sums_[0];
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Iallgather(&mine, 1, MPI_DOUBLE, sums_.get(), 1, MPI_DOUBLE, MPI_COMM_WORLD, &request);
      waitFor(ranks_, "the sums of all ranks", 1, &request);
    }
    return std::accumulate(sums_.get(), sums_.get() + ranks_.count, 0.0);
  }

  // y += alpha x
  void axpy(double alpha, const double *x, double *y) const {
    if (place_.onGpu)
      checkCuda(blas_.axpy(blas_.scalarsOnHost, own_, &alpha, x, 1, y, 1), "cublasDaxpy");
    else
      for (int i = 0; i < own_; ++i)
        y[i] += alpha * x[i];
  }

  // y = x + beta y
  void xpby(const double *x, double beta, double *y) const {
    if (place_.onGpu) {
      checkCuda(blas_.scal(blas_.scalarsOnHost, own_, &beta, y, 1), "cublasDscal");
      axpy(1, x, y);
    } else
      for (int i = 0; i < own_; ++i)
        y[i] = x[i] + beta * y[i];
  }

  // y = x
  void copy(const double *x, double *y) const {
    if (place_.onGpu)
      checkCuda(blas_.copy(blas_.scalarsOnHost, own_, x, 1, y, 1), "cublasDcopy");
    else
      std::copy(x, x + own_, y);
  }

  // Waits for the work on the compute stream.
  void wait(const char *what) const {
    record(place_, ready_, place_.compute);
    waitForEvent(ready_, what);
  }

private:
  void openHandle(void **handle, int pointerMode) const {
    checkCuda(blas_.create(handle), "cublasCreate");
    checkCuda(blas_.setStream(*handle, place_.compute), "cublasSetStream");
    checkCuda(blas_.setPointerMode(*handle, pointerMode), "cublasSetPointerMode");
  }

  // Stops if a message between GPUs fails meanwhile, or a rank is lost.
  void waitForEvent(void *event, const char *what) const {
    waitFor(ranks_, what, [&] {
      checkMessages(nccl_);
      return isOver(place_, event);
    });
  }

  const Ranks &ranks_;
  const Place &place_;
  const Nccl &nccl_;
  Blas blas_;
  int own_;
  Buffer partial_, gathered_, sums_;
  void *ready_, *summed_; // events
};

} // namespace distributed

#endif
