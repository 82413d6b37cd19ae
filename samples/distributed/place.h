// The place is where the vectors of a rank are and its products run: one of the GPUs, with two
// streams, or the host. NVIDIA's driver is opened at run time, so that the sample builds without a
// CUDA toolkit; your own program includes <cuda_runtime.h>.
#ifndef SPECMV_SAMPLES_DISTRIBUTED_PLACE_H
#define SPECMV_SAMPLES_DISTRIBUTED_PLACE_H

#include "ranks.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

namespace distributed {

// Sets `slot` to the function; returns false if the library does not have it.
template <class Function> bool find(void *library, const char *name, Function &slot) {
  void *found = library ? dlsym(library, name) : nullptr;
  std::memcpy(&slot, &found, sizeof found);
  return found != nullptr;
}

// These are the functions of the driver that the sample calls.
struct Driver {
  int (*init)(unsigned), (*deviceCount)(int *), (*deviceName)(char *, int, int);
  int (*deviceUuid)(void *, int);
  int (*contextRetain)(void **, int), (*contextPush)(void *);
  int (*priorities)(int *, int *), (*streamCreate)(void **, unsigned, int);
  int (*eventCreate)(void **, unsigned), (*eventRecord)(void *, void *), (*eventQuery)(void *);
  int (*eventElapsed)(float *, void *, void *);
  int (*streamWaitEvent)(void *, void *, unsigned);
  int (*allocate)(uint64_t *, size_t), (*free)(uint64_t);
  int (*allocateHost)(void **, size_t, unsigned), (*freeHost)(void *);
  int (*toDevice)(uint64_t, const void *, size_t, void *);
  int (*toHost)(void *, uint64_t, size_t, void *);
};

// Returns false if there is no usable driver.
inline bool openDriver(Driver &d) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  return find(library, "cuInit", d.init) && find(library, "cuDeviceGetCount", d.deviceCount) &&
         find(library, "cuDeviceGetName", d.deviceName) &&
         find(library, "cuDeviceGetUuid", d.deviceUuid) &&
         find(library, "cuDevicePrimaryCtxRetain", d.contextRetain) &&
         find(library, "cuCtxPushCurrent_v2", d.contextPush) &&
         find(library, "cuCtxGetStreamPriorityRange", d.priorities) &&
         find(library, "cuStreamCreateWithPriority", d.streamCreate) &&
         find(library, "cuEventCreate", d.eventCreate) &&
         find(library, "cuEventRecord", d.eventRecord) &&
         find(library, "cuEventQuery", d.eventQuery) &&
         find(library, "cuEventElapsedTime", d.eventElapsed) &&
         find(library, "cuStreamWaitEvent", d.streamWaitEvent) &&
         find(library, "cuMemAlloc_v2", d.allocate) && find(library, "cuMemFree_v2", d.free) &&
         find(library, "cuMemHostAlloc", d.allocateHost) &&
         find(library, "cuMemFreeHost", d.freeHost) &&
         find(library, "cuMemcpyHtoDAsync_v2", d.toDevice) &&
         find(library, "cuMemcpyDtoHAsync_v2", d.toHost) && d.init(0) == 0;
}

struct Place {
  bool onGpu = false;
  int device = 0;
  bool shared = false; // another rank uses the same GPU
  std::string name = "the host";
  Driver driver = {};
  void *compute = nullptr, *exchange = nullptr; // streams; nullptr on the host
};

inline void *makeEvent(const Place &place, bool timed = false) {
  constexpr unsigned kDisableTiming = 2;
  void *event = nullptr;
  if (place.onGpu)
    checkCuda(place.driver.eventCreate(&event, timed ? 0 : kDisableTiming), "cuEventCreate");
  return event;
}

inline void record(const Place &place, void *event, void *stream) {
  if (place.onGpu)
    checkCuda(place.driver.eventRecord(event, stream), "cuEventRecord");
}

// Makes later work on the stream wait for the event.
inline void follow(const Place &place, void *stream, void *event) {
  if (place.onGpu)
    checkCuda(place.driver.streamWaitEvent(stream, event, 0), "cuStreamWaitEvent");
}

inline bool isOver(const Place &place, void *event) {
  constexpr int kNotReady = 600;
  const int result = place.onGpu ? place.driver.eventQuery(event) : 0;
  if (result != kNotReady)
    checkCuda(result, "cuEventQuery");
  return result == 0;
}

// Returns the time from one event, made as `timed`, to a later one.
inline double usBetween(const Place &place, void *from, void *to) {
  float ms = 0;
  if (place.onGpu)
    checkCuda(place.driver.eventElapsed(&ms, from, to), "cuEventElapsedTime");
  return 1e3 * ms;
}

// --- Memory

struct Release {
  const Place *place;
  bool onHost;
  void operator()(double *memory) const {
    if (!place->onGpu)
      std::free(memory);
    else if (onHost)
      checkCuda(place->driver.freeHost(memory), "cuMemFreeHost");
    else
      checkCuda(place->driver.free(reinterpret_cast<uint64_t>(memory)), "cuMemFree");
  }
};
using Buffer = std::unique_ptr<double[], Release>;

// Allocates memory of the GPU, which holds anything, or of the host, which is zero. `onHost` asks
// for memory of the host in any case, which a GPU can copy from and to while the host does
// something else.
inline Buffer allocate(const Place &place, int64_t count, bool onHost = false) {
  const size_t bytes = std::max<size_t>(1, count) * sizeof(double);
  uint64_t device = 0;
  void *memory = nullptr;
  if (!place.onGpu)
    memory = std::calloc(1, bytes);
  else if (onHost)
    checkCuda(place.driver.allocateHost(&memory, bytes, 0), "cuMemHostAlloc");
  else
    checkCuda(place.driver.allocate(&device, bytes), "cuMemAlloc");
  if (device != 0)
    memory = reinterpret_cast<void *>(device);
  if (!memory)
    stop("not enough memory for " + std::to_string(count) + " elements");
  return {static_cast<double *>(memory), Release{&place, onHost}};
}

// Returns true if nothing has to go to or from a GPU; both are then memory of the host.
inline bool copyOnHost(const Place &place, double *to, const double *from, int64_t count) {
  if (count > 0 && to != from && !place.onGpu)
    std::copy(from, from + count, to);
  return count == 0 || to == from || !place.onGpu;
}

// Copies on the stream.
inline void toDevice(const Place &place, double *to, const double *from, int64_t count,
                     void *stream) {
  if (!copyOnHost(place, to, from, count))
    checkCuda(
        place.driver.toDevice(reinterpret_cast<uint64_t>(to), from, count * sizeof *to, stream),
        "cuMemcpyHtoDAsync");
}

inline void toHost(const Place &place, double *to, const double *from, int64_t count,
                   void *stream) {
  if (!copyOnHost(place, to, from, count))
    checkCuda(place.driver.toHost(to, reinterpret_cast<uint64_t>(from), count * sizeof *to, stream),
              "cuMemcpyDtoHAsync");
}

// --- Opening

// Makes the rank's GPU current and its streams. The exchange has the higher priority, since its
// small kernels would otherwise wait for the blocks of a product.
inline void openGpu(Place &place) {
  constexpr unsigned kNonBlocking = 1;
  const Driver &d = place.driver;
  char name[256] = "";
  void *context = nullptr;
  int least = 0, most = 0;
  checkCuda(d.contextRetain(&context, place.device), "cuDevicePrimaryCtxRetain");
  checkCuda(d.contextPush(context), "cuCtxPushCurrent");
  checkCuda(d.deviceName(name, sizeof name, place.device), "cuDeviceGetName");
  checkCuda(d.priorities(&least, &most), "cuCtxGetStreamPriorityRange");
  checkCuda(d.streamCreate(&place.compute, kNonBlocking, least), "cuStreamCreateWithPriority");
  checkCuda(d.streamCreate(&place.exchange, kNonBlocking, most), "cuStreamCreateWithPriority");
  place.name = name;
}

// Tells whether another rank of the machine uses the same GPU. Numbers of devices do not tell,
// since a launcher may show each rank one GPU, which is then number 0 for all.
inline bool isShared(const Place &place, const Ranks &ranks) {
  using Uuid = std::array<char, 16>;
  std::vector<Uuid> all(ranks.nodeCount);
  Uuid own{};
  checkCuda(place.driver.deviceUuid(own.data(), place.device), "cuDeviceGetUuid");
  MPI_Allgather(own.data(), own.size(), MPI_CHAR, all.data(), own.size(), MPI_CHAR, ranks.node);
  return std::count(all.begin(), all.end(), own) > 1;
}

enum class Target { automatic, gpu, host };

// Opens the GPU whose number is that of the rank on its machine; if there are more ranks than GPUs,
// they share GPUs. All ranks are on GPUs, or all are on the host.
inline Place openPlace(const Ranks &ranks, Target target) {
  Place place;
  int devices = 0;
  const bool found = target != Target::host && openDriver(place.driver) &&
                     place.driver.deviceCount(&devices) == 0 && devices > 0;
  place.onGpu = ofAll(int64_t{found}, MPI_MIN) != 0;
  if (!place.onGpu)
    return place;
  place.device = ranks.nodeRank % devices;
  openGpu(place);
  place.shared = ofAll(int64_t{isShared(place, ranks)}, MPI_MAX) != 0;
  return place;
}

} // namespace distributed

#endif
