// Utilities for tests that run on the fake driver (tests/tool/fake_cuda.c), each in its own
// process.
#pragma once

#include "tests/runtime/child_process.h"
#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>

#include <dlfcn.h>
#include <pthread.h>
#include <string>

// Returns a variable or function of the fake driver.
template <class T> T *ofFakeDriver(const char *name) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  REQUIRE(driver);
  void *found = dlsym(driver, name);
  REQUIRE(found);
  return reinterpret_cast<T *>(found);
}

// Returns the number of live objects of the fake driver.
inline int fakeLive() { return *ofFakeDriver<int>("fakeLive"); }

// Returns the driver calls since the last call of this function, each followed by a space. Other
// threads may call the driver meanwhile.
inline std::string takeFakeTrace() {
  char *trace = ofFakeDriver<char>("fakeTrace");
  auto *mutex = ofFakeDriver<pthread_mutex_t>("fakeTraceMutex");
  pthread_mutex_lock(mutex);
  std::string calls = trace;
  *trace = 0;
  pthread_mutex_unlock(mutex);
  return calls;
}

// Returns the driver calls of the body and of other threads meanwhile.
template <class Body> std::string fakeCallsOf(const Body &body) {
  takeFakeTrace();
  body();
  return takeFakeTrace();
}

// Returns how often this driver function occurs among the calls.
inline int countOf(const std::string &call, const std::string &calls) {
  int count = 0;
  for (size_t at = calls.find(call + " "); at != std::string::npos;
       at = calls.find(call + " ", at + 1))
    ++count;
  return count;
}

// Runs a child with the fake driver and its GPU, and these variables.
inline void passesWithFakeGpu(const std::string &testCase,
                              std::vector<std::pair<std::string, std::string>> environment = {}) {
  const ScratchDirectory scratch("specmv-fake-gpu");
  const std::string output = scratch.path() + "/output";
  environment.emplace_back("LD_LIBRARY_PATH", SPECMV_FAKE_CUDA);
  environment.emplace_back("SPECMV_FAKE_GPU", "1");
  const int status = runAlone(testCase, environment, output);
  CHECK_MESSAGE(status == 0, readFile(output));
}
