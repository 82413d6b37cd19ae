// Preloaded by a test: stops rank 1 for good where it meets the other ranks, as a rank that hangs.
#include <mpi.h>
#include <signal.h>

static void stopSecondRank(void) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1)
    raise(SIGSTOP);
}

int MPI_Barrier(MPI_Comm comm) {
  stopSecondRank();
  return PMPI_Barrier(comm);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request) {
  stopSecondRank();
  return PMPI_Ibarrier(comm, request);
}
