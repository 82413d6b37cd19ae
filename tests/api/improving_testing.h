// Makes plans on the fake GPU that take csr-scalar, whose kernels are at hand, while csr-vector,
// which is predicted to be faster, must be compiled; and reads what they say of it.
#pragma once

#include "tests/api/learning_testing.h"

#include <fcntl.h>
#include <mutex>
#include <unistd.h>

namespace apitest {

// The fake compiler waits again.
inline void closeGate() { unlink(std::getenv("SPECMV_FAKE_NVRTC_GATE")); }

// A context with an empty cache of its own, and what it logs.
struct ImprovingContext {
  std::mutex mutex;
  std::string text;
  specmvContext_t handle = nullptr;

  explicit ImprovingContext(const char *packs = nullptr, bool storesKernels = true) {
    static int made = 0;
    const std::string cache = std::getenv("SPECMV_CACHE_DIR") + ("/" + std::to_string(made++));
    specmvContextOptions_t settings = SPECMV_CONTEXT_OPTIONS_INIT;
    settings.cacheDirectory = storesKernels ? cache.c_str() : "";
    settings.packs = packs;
    settings.logLevel = SPECMV_LOG_INFO;
    settings.logUser = this;
    settings.log = [](void *user, specmvLogLevel_t level, const char *sentence) {
      ImprovingContext &self = *static_cast<ImprovingContext *>(user);
      const std::lock_guard<std::mutex> lock(self.mutex);
      self.text += std::to_string(level) + " " + sentence + "\n";
    };
    REQUIRE(specmvCreateContext(&handle, &settings) == SPECMV_STATUS_SUCCESS);
  }
  ImprovingContext(const ImprovingContext &) = delete;
  ImprovingContext &operator=(const ImprovingContext &) = delete;
  ~ImprovingContext() { specmvDestroyContext(handle); }

  // Counts the messages that begin so, behind the number of their level.
  int count(const std::string &begin) {
    const std::lock_guard<std::mutex> lock(mutex);
    int found = 0;
    for (size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1))
      found += at == 0 || text[at - 1] == '\n';
    return found;
  }
};

inline specmvPlanOptions_t improving(const ImprovingContext &context,
                                     const char *formats = "csr-scalar,csr-vector") {
  specmvPlanOptions_t options = optionsOf(SPECMV_TARGET_GPU, formats);
  options.context = context.handle;
  options.vectorsOnGpu = 1; // the fake's memory is the host's
  options.improves = 1;
  return options;
}

// Makes a plan with this format and these options, which waits for its kernels.
inline specmvPlan_t planOf(const char *format, specmvPlanOptions_t options) {
  options.formats = format;
  options.kernels = SPECMV_KERNELS_SPECIALIZED;
  options.start = SPECMV_START_WAIT;
  options.rigor = SPECMV_RIGOR_ESTIMATE;
  options.maxBytes = 0;
  specmvPlan_t plan = nullptr;
  REQUIRE_MESSAGE(specmvCreatePlan(&plan, Matrix(fakeGpuMatrix()), &options) ==
                      SPECMV_STATUS_SUCCESS,
                  detail());
  return plan;
}

// Compiles the kernels of csr-scalar alone.
inline void compileScalar(const specmvPlanOptions_t &options) {
  openGate();
  CHECK(specmvDestroyPlan(planOf("csr-scalar", options)) == SPECMV_STATUS_SUCCESS);
  CHECK(leftOnFakeGpu() == 0);
  closeGate();
}

// The plan multiplies by csr-scalar, and csr-vector waits for the compiler.
inline specmvPlan_t improvingPlan(const specmvPlanOptions_t &options) {
  compileScalar(options);
  specmvPlan_t plan = nullptr;
  REQUIRE_MESSAGE(specmvCreatePlan(&plan, Matrix(fakeGpuMatrix()), &options) ==
                      SPECMV_STATUS_SUCCESS,
                  detail());
  return plan;
}

inline bool runs(specmvPlan_t plan, const std::string &format) {
  return startsWith(textOf(plan), format + " ") || textOf(plan) == format;
}

// Returns what the JSON says of the improvement under this key; "" if there is none.
inline std::string improvementOf(specmvPlan_t plan, const std::string &key) {
  const std::string json = jsonOf(plan), begin = "\"improvement\":{";
  const size_t at = json.find(begin);
  const std::vector<std::string> found =
      at == std::string::npos ? std::vector<std::string>()
                              : textsIn(json.substr(at, json.find('}', at) - at), key);
  return found.empty() ? "" : found.front();
}

inline void multiplySome(specmvPlan_t plan, int products, void *stream = kStream) {
  for (int i = 0; i < products; ++i)
    CHECK_MESSAGE(multiplyFromHost(plan, stream) == SPECMV_STATUS_SUCCESS, detail());
}

// Lets the compiler go on, and waits until nothing is made beside the products any more.
inline void finish(specmvPlan_t plan) {
  openGate();
  while (!isReady(plan))
    sleepFor(1000);
}

// Returns true if a kernel that multiplies now reads these values: the fake's memory is the host's,
// and one of the first arguments of the product is their address.
inline bool multipliesBy(specmvPlan_t plan, const std::vector<double> &values) {
  constexpr int kArguments = 8; // as many as each of these kernels has
  *ofFakeDriver<int>("fakeArgumentCount") = kArguments;
  multiplySome(plan, 1);
  const auto *arguments = ofFakeDriver<uint64_t>("fakeArguments");
  std::vector<double> there(values.size());
  const auto bytes = static_cast<ssize_t>(values.size() * sizeof(double));
  const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC); // some are no addresses
  bool isThere = false;
  for (int i = 0; i < kArguments; ++i)
    isThere |= pread(memory, there.data(), static_cast<size_t>(bytes),
                     static_cast<off_t>(arguments[i])) == bytes &&
               there == values;
  close(memory);
  return isThere;
}

inline std::vector<double> otherValues(uint64_t seed) {
  return integers<double>(static_cast<int64_t>(fakeGpuMatrix().val.size()), seed);
}

inline void destroy(specmvPlan_t plan) {
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  openGate(); // otherwise a thread would wait for ever
  CHECK(leftOnFakeGpu() == 0);
}

} // namespace apitest
