// A rank of the program can end all ranks with a sentence, and waits for the others, but not
// forever.
#ifndef SPECMV_SAMPLES_DISTRIBUTED_RANKS_H
#define SPECMV_SAMPLES_DISTRIBUTED_RANKS_H

// The old C++ interfaces of MPI are not needed.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "specmv.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace distributed {

struct Ranks {
  int rank = 0, count = 1;
  MPI_Comm node = MPI_COMM_NULL; // the ranks on this machine
  int nodeRank = 0, nodeCount = 1;
  int threads = 1; // of this rank: the ranks of a machine share its cores
  double timeoutSeconds = 60;
};

inline Ranks openRanks() {
  Ranks ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks.count);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, ranks.rank, MPI_INFO_NULL, &ranks.node);
  MPI_Comm_rank(ranks.node, &ranks.nodeRank);
  MPI_Comm_size(ranks.node, &ranks.nodeCount);
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  ranks.threads = std::max(1, cores / ranks.nodeCount);
  return ranks;
}

// Prints the sentence and ends all ranks. exit() would leave the others waiting for this one.
[[noreturn]] inline void stop(const std::string &sentence) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "error: rank %d: %s\n", rank, sentence.c_str());
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort(); // MPI_Abort() does not return
}

inline void check(specmvStatus_t status, const char *call) {
  if (status != SPECMV_STATUS_SUCCESS)
    stop(std::string(call) + ": " + specmvStatusName(status) + ": " + specmvGetLastErrorDetail());
}

// Like check(), for NVIDIA's libraries, in which 0 means success.
inline void checkCuda(int result, const char *call) {
  if (result != 0)
    stop(std::string(call) + " failed with " + std::to_string(result));
}

// Asks done() until it is true. mpiexec ends the others if a rank is killed, but not every launcher
// does, and none if a rank hangs or its machine is lost.
template <class Done> void waitFor(const Ranks &ranks, const char *what, const Done &done) {
  const double begin = MPI_Wtime();
  while (!done()) {
    if (MPI_Wtime() - begin > ranks.timeoutSeconds) {
      char seconds[32];
      std::snprintf(seconds, sizeof seconds, "%g", ranks.timeoutSeconds);
      stop(std::string("waited ") + seconds + " s for " + what +
           "; another rank has ended or hangs (--timeout SECONDS waits longer)");
    }
    std::this_thread::yield(); // there may be more ranks than cores
  }
}

// Waits for the requests of MPI.
inline void waitFor(const Ranks &ranks, const char *what, int count, MPI_Request *requests) {
  waitFor(ranks, what, [&] {
    int done = 0;
    MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
    return done != 0;
  });
}

// Waits until all ranks have come here. MPI_Barrier() would wait forever for a rank that hangs.
inline void meet(const Ranks &ranks) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  waitFor(ranks, "all ranks to come as far as this one", 1, &request);
}

// These wait as long as it takes, since ranks may need very different times for their set-up. After
// meet(), no rank is late.
inline double ofAll(double value, MPI_Op operation) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
  return value;
}

inline int64_t ofAll(int64_t value, MPI_Op operation) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, operation, MPI_COMM_WORLD);
  return value;
}

} // namespace distributed

#endif
