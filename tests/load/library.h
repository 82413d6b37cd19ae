// The shared library, opened at run time, and a matrix for it.
#pragma once

#include "specmv.h"

#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>

#include <dlfcn.h>
#include <string>
#include <vector>

#define SPECMV_FUNCTION(name) decltype(&::name) name = find<decltype(&::name)>(#name)

// The loaded library.
struct Library {
  void *handle;
  explicit Library(const char *path = SPECMV_LIBRARY)
      : handle(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {}
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;
  SPECMV_FUNCTION(specmvCreateCsr);
  SPECMV_FUNCTION(specmvDestroyMatrix);
  SPECMV_FUNCTION(specmvCreatePlan);
  SPECMV_FUNCTION(specmvDestroyPlan);
  SPECMV_FUNCTION(specmvExecute);
  SPECMV_FUNCTION(specmvGetLastErrorDetail);
  ~Library() { CHECK(dlclose(handle) == 0); }

private:
  template <class Function> Function find(const char *name) {
    REQUIRE_MESSAGE(handle, dlerror());
    return reinterpret_cast<Function>(dlsym(handle, name));
  }
};

// Twos on the diagonal, -1 beside it.
struct Tridiagonal {
  std::vector<int> rowPtr{0}, col;
  std::vector<double> val;
  explicit Tridiagonal(int n) {
    for (int i = 0; i < n; ++i) {
      for (int j : {i - 1, i, i + 1})
        if (j >= 0 && j < n) {
          col.push_back(j);
          val.push_back(i == j ? 2 : -1);
        }
      rowPtr.push_back(static_cast<int>(col.size()));
    }
  }
  specmvStatus_t create(const Library &specmv, specmvMatrix_t &a) const {
    const auto n = static_cast<int64_t>(rowPtr.size()) - 1;
    return specmv.specmvCreateCsr(&a, n, n, static_cast<int64_t>(col.size()), rowPtr.data(),
                                  col.data(), val.data(), SPECMV_INDEX_32I, SPECMV_R_64F);
  }
};

// Returns how often the library is mapped into this process.
inline size_t mappings() {
  const std::string maps = readFile("/proc/self/maps");
  size_t count = 0;
  for (size_t at = 0; (at = maps.find("libspecmv", at)) != std::string::npos; ++at)
    ++count;
  return count;
}
