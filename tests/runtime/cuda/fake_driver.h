// Utilities for tests that run on the fake driver (tests/tool/fake_cuda.c), each in its own
// process.
#pragma once

#include "tests/runtime/child_process.h"
#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>

#include <dlfcn.h>
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

// Returns the driver calls that the body makes, each followed by a space.
template <class Body> std::string fakeCallsOf(const Body &body) {
  char *trace = ofFakeDriver<char>("fakeTrace");
  *trace = 0;
  body();
  return trace;
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
