// NCCL sends messages between GPUs that need not pass through the host. It is opened at run time
// like NVIDIA's other libraries. Your own program includes <nccl.h> and links it.
#ifndef SPECMV_SAMPLES_DISTRIBUTED_NCCL_H
#define SPECMV_SAMPLES_DISTRIBUTED_NCCL_H

#include "place.h"

namespace distributed {

struct NcclId {
  char bytes[128]; // NCCL_UNIQUE_ID_BYTES
};

constexpr int kNcclDouble = 8; // ncclFloat64

struct Nccl {
  void *communicator = nullptr; // nullptr: NCCL is not used
  int (*getUniqueId)(NcclId *), (*initRank)(void **, int, NcclId, int);
  int (*groupStart)(), (*groupEnd)();
  int (*send)(const void *, size_t, int, int, void *, void *);
  int (*receive)(void *, size_t, int, int, void *, void *);
  int (*allGather)(const void *, void *, size_t, int, void *, void *);
  int (*asyncError)(void *, int *), (*abort)(void *), (*destroy)(void *);
  const char *(*errorString)(int);
};

// Returns false if there is no NCCL here.
inline bool openNccl(Nccl &n) {
  void *library = dlopen("libnccl.so.2", RTLD_NOW);
  if (!library)
    library = dlopen("/usr/local/cuda/lib64/libnccl.so.2", RTLD_NOW);
  return find(library, "ncclGetUniqueId", n.getUniqueId) &&
         find(library, "ncclCommInitRank", n.initRank) &&
         find(library, "ncclGroupStart", n.groupStart) &&
         find(library, "ncclGroupEnd", n.groupEnd) && find(library, "ncclSend", n.send) &&
         find(library, "ncclRecv", n.receive) && find(library, "ncclAllGather", n.allGather) &&
         find(library, "ncclCommGetAsyncError", n.asyncError) &&
         find(library, "ncclCommAbort", n.abort) && find(library, "ncclCommDestroy", n.destroy) &&
         find(library, "ncclGetErrorString", n.errorString);
}

inline void checkNccl(const Nccl &n, int result, const char *call) {
  if (result != 0)
    stop(std::string(call) + ": " + n.errorString(result));
}

// Stops if a message has failed since; call it while the host waits for the GPU. The communicator
// is aborted first, since its kernels would wait for the lost rank forever.
inline void checkMessages(const Nccl &n) {
  constexpr int kInProgress = 7; // ncclInProgress
  int error = 0;
  if (!n.communicator)
    return;
  const int failure = n.asyncError(n.communicator, &error);
  if (failure == 0 && (error == 0 || error == kInProgress))
    return;
  const std::string why = n.errorString(failure != 0 ? failure : error);
  n.abort(n.communicator);
  stop("a message between GPUs failed: " + why + "; another rank may have ended");
}

enum class Way { automatic, nccl, mpi };

// Opens NCCL if it can be used, and else says why it cannot. All ranks find the same.
struct Messenger {
  Messenger(const Ranks &ranks, const Place &place, Way asked)
      : whyNot(asked == Way::mpi ? "as asked" : whyNotNccl(ranks, place)) {
    if (whyNot.empty())
      join(ranks);
  }
  ~Messenger() {
    if (nccl.communicator)
      nccl.destroy(nccl.communicator);
  }
  Messenger(const Messenger &) = delete;
  Messenger &operator=(const Messenger &) = delete;

  Nccl nccl = {};
  std::string whyNot;

private:
  std::string whyNotNccl(const Ranks &ranks, const Place &place) {
    if (!place.onGpu)
      return "the vectors are on the host";
    if (ranks.count == 1)
      return "there is one rank";
    if (place.shared)
      return "ranks share a GPU, which NCCL refuses";
    return ofAll(int64_t{openNccl(nccl)}, MPI_MIN) != 0 ? "" : "not every rank finds libnccl.so.2";
  }

  void join(const Ranks &ranks) {
    NcclId id{};
    if (ranks.rank == 0)
      checkNccl(nccl, nccl.getUniqueId(&id), "ncclGetUniqueId");
    MPI_Bcast(id.bytes, sizeof id.bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    checkNccl(nccl, nccl.initRank(&nccl.communicator, ranks.count, id, ranks.rank),
              "ncclCommInitRank");
  }
};

} // namespace distributed

#endif
