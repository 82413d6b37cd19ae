// The exchange of the halo gives each rank the elements of a wide vector that other ranks own, by
// NCCL between GPUs, or by MPI, for a GPU through buffers on the host.
#ifndef SPECMV_SAMPLES_DISTRIBUTED_EXCHANGE_H
#define SPECMV_SAMPLES_DISTRIBUTED_EXCHANGE_H

#include "nccl.h"
#include "plans.h"

namespace distributed {

class Exchange {
public:
  Exchange(const Ranks &ranks, const Place &place, const Nccl &nccl, const Partition &partition,
           specmvContext_t context, const char *formats)
      : ranks_(ranks), place_(place), nccl_(nccl), partition_(partition),
        messages_(arrange(partition, ranks)), sent_(static_cast<int64_t>(messages_.rows.size())),
        ready_(makeEvent(place)), packed_(makeEvent(place)), arrived_(makeEvent(place)),
        toSend_(allocate(place, sent_)) {
    if (sent_ > 0)
      pack_ = Product(selection(messages_.rows, partition.own), place, context, formats, false);
    if (!place.onGpu || nccl.communicator)
      return;
    toSendOnHost_ = allocate(place, sent_, true);
    receivedOnHost_ = allocate(place, received(), true);
  }

  int64_t received() const { return static_cast<int64_t>(partition_.halo.size()); }

  // Begins when the work that is on the compute stream has made the vector.
  void begin(double *wide) {
    record(place_, ready_, place_.compute);
    follow(place_, place_.exchange, ready_);
    if (sent_ > 0)
      pack_.multiply(wide + partition_.before, toSend_.get(), place_.exchange);
    if (nccl_.communicator) {
      exchangeByNccl(wide);
      return;
    }
    waitFor(ranks_, "the halo before this one", [&] { return isOver(place_, arrived_); });
    receiveByMpi(wide);
    if (!place_.onGpu) {
      sendByMpi(toSend_.get());
      return;
    }
    toHost(place_, toSendOnHost_.get(), toSend_.get(), sent_, place_.exchange);
    record(place_, packed_, place_.exchange);
  }

  // Makes later work on the compute stream wait for the halo. With MPI the host waits too.
  void finish(double *wide) {
    if (!nccl_.communicator)
      finishByMpi(wide);
    follow(place_, place_.compute, arrived_);
  }

private:
  void exchangeByNccl(double *wide) {
    checkNccl(nccl_, nccl_.groupStart(), "ncclGroupStart");
    for (int r = 0; r < ranks_.count; ++r) {
      if (messages_.sendCounts[r] > 0)
        checkNccl(nccl_,
                  nccl_.send(toSend_.get() + messages_.sendBegins[r], messages_.sendCounts[r],
                             kNcclDouble, r, nccl_.communicator, place_.exchange),
                  "ncclSend");
      if (messages_.receiveCounts[r] > 0)
        checkNccl(nccl_,
                  nccl_.receive(wide + partition_.place(messages_.receiveBegins[r]),
                                messages_.receiveCounts[r], kNcclDouble, r, nccl_.communicator,
                                place_.exchange),
                  "ncclRecv");
    }
    checkNccl(nccl_, nccl_.groupEnd(), "ncclGroupEnd");
    record(place_, arrived_, place_.exchange);
  }

  // A rank's part of the halo lies in one piece, since it keeps the order of the columns.
  void receiveByMpi(double *wide) {
    requests_.clear();
    for (int r = 0; r < ranks_.count; ++r)
      if (messages_.receiveCounts[r] > 0)
        MPI_Irecv(place_.onGpu ? receivedOnHost_.get() + messages_.receiveBegins[r]
                               : wide + partition_.place(messages_.receiveBegins[r]),
                  messages_.receiveCounts[r], MPI_DOUBLE, r, 0, MPI_COMM_WORLD,
                  &requests_.emplace_back());
  }

  void sendByMpi(const double *from) {
    for (int r = 0; r < ranks_.count; ++r)
      if (messages_.sendCounts[r] > 0)
        MPI_Isend(from + messages_.sendBegins[r], messages_.sendCounts[r], MPI_DOUBLE, r, 0,
                  MPI_COMM_WORLD, &requests_.emplace_back());
  }

  void finishByMpi(double *wide) {
    if (place_.onGpu) {
      waitFor(ranks_, "what is sent from this GPU", [&] { return isOver(place_, packed_); });
      sendByMpi(toSendOnHost_.get());
    }
    waitFor(ranks_, "the halo", static_cast<int>(requests_.size()), requests_.data());
    if (!place_.onGpu)
      return;
    const int64_t before = partition_.before;
    toDevice(place_, wide, receivedOnHost_.get(), before, place_.exchange);
    toDevice(place_, wide + before + partition_.own, receivedOnHost_.get() + before,
             received() - before, place_.exchange);
    record(place_, arrived_, place_.exchange);
  }

  const Ranks &ranks_;
  const Place &place_;
  const Nccl &nccl_;
  const Partition &partition_;
  Messages messages_;
  int64_t sent_;
  Product pack_;
  void *ready_, *packed_, *arrived_;                  // events
  Buffer toSend_, toSendOnHost_{}, receivedOnHost_{}; // the last two only for MPI on a GPU
  std::vector<MPI_Request> requests_;
};

} // namespace distributed

#endif
