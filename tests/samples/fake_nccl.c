/* The messages of this NCCL go through MPI, for ranks on fake GPUs, whose memory is the host's and
 * whose streams do everything at once. With SPECMV_FAKE_LOST, a message has failed. */
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 64, kDouble = 8, kTag = 17 };
static MPI_Request requests[kMost]; /* of the group */
static int count = 0, inGroup = 0;

typedef struct {
  char bytes[128];
} Id;

int ncclGetUniqueId(Id *id) {
  strcpy(id->bytes, "the id of rank 0");
  return 0;
}

/* All ranks need the id that one of them got. */
int ncclCommInitRank(void **out, int ranks, Id id, int rank) {
  int size = 0, own = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  *out = &count;
  return ranks == size && rank == own && strcmp(id.bytes, "the id of rank 0") == 0 ? 0 : 4;
}

int ncclGroupStart(void) {
  inGroup = 1;
  return 0;
}
int ncclGroupEnd(void) {
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  count = inGroup = 0;
  return 0;
}

/* Outside a group, a send would wait for its receive. */
static int isRefused(size_t elements, int type, const void *communicator, const void *stream) {
  return !inGroup || count == kMost || elements == 0 || type != kDouble || communicator != &count ||
         !stream;
}
int ncclSend(const void *from, size_t elements, int type, int peer, void *communicator,
             void *stream) {
  if (isRefused(elements, type, communicator, stream))
    return 4; /* ncclInvalidArgument */
  return MPI_Isend(from, (int)elements, MPI_DOUBLE, peer, kTag, MPI_COMM_WORLD, &requests[count++]);
}
int ncclRecv(void *to, size_t elements, int type, int peer, void *communicator, void *stream) {
  if (isRefused(elements, type, communicator, stream))
    return 4;
  return MPI_Irecv(to, (int)elements, MPI_DOUBLE, peer, kTag, MPI_COMM_WORLD, &requests[count++]);
}
int ncclAllGather(const void *from, void *to, size_t elements, int type, void *communicator,
                  void *stream) {
  if (inGroup || type != kDouble || communicator != &count || !stream)
    return 4;
  return MPI_Allgather(from, (int)elements, MPI_DOUBLE, to, (int)elements, MPI_DOUBLE,
                       MPI_COMM_WORLD);
}

int ncclCommGetAsyncError(void *communicator, int *error) {
  *error = getenv("SPECMV_FAKE_LOST") ? 6 : 0; /* ncclRemoteError */
  return communicator == &count ? 0 : 4;
}
int ncclCommAbort(void *communicator) { return communicator == &count ? 0 : 4; }
int ncclCommDestroy(void *communicator) { return communicator == &count ? 0 : 4; }
const char *ncclGetErrorString(int error) {
  return error == 6 ? "remote process exited" : "fake error";
}
