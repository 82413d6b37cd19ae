// Utilities for the trials of GPU faults. Each runs in a separate process with a time limit and
// reports the statuses that it saw. Declares functions of the driver, since tests include no header
// of the driver.
#pragma once

#include "tests/api/api_testing.h"
#include "tests/faults/campaign.h"
#include "tests/gpu/whole_values.h"
#include "tests/runtime/child_process.h"
#include "tests/runtime/scratch_directory.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace specmv::testing {

// Returns a function of the driver that this process has loaded.
template <class F> F *ofDriver(const char *name) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void *found = driver ? dlsym(driver, name) : nullptr;
  REQUIRE_MESSAGE(found, name);
  return reinterpret_cast<F *>(found);
}

// --- In the parent -------------------------------------------------------------------------------

// Runs trials of one kind, each in its own process, and counts how they end. A wrong trial does not
// end the others.
class Trials {
public:
  explicit Trials(const char *child) : child_(child) {}
  ~Trials() {
    MESSAGE(std::string(child_) << ": " << done_ << " processes, " << wrong_ << " wrong, "
                                << killed_ << " of them ended by a signal\n"
                                << seen_);
  }
  Trials(const Trials &) = delete;
  Trials &operator=(const Trials &) = delete;

  void run(const std::string &trial) {
    const std::string output = scratch_.path() + "/output";
    const int status = runAlone(
        child_, {{"SPECMV_FAULT_TRIAL", trial}, {"SPECMV_CACHE_DIR", scratch_.path() + "/cache"}},
        output);
    const std::string said = readFile(output);
    CHECK_MESSAGE(status == 0, trial << " ends with " << status << "\n" << said);
    ++done_;
    wrong_ += status != 0;
    killed_ += status < 0;
    seen_ += "  " + trial + (status == 0 ? "\n" : ": WRONG\n") + linesOf(said);
  }

private:
  // Returns the lines that saw() printed.
  static std::string linesOf(const std::string &output) {
    std::string out;
    for (size_t at = output.find("saw "); at != std::string::npos;
         at = output.find("saw ", at + 1)) {
      const std::string line = output.substr(at + 4, output.find('\n', at) - at - 4);
      if (out.find(line) == std::string::npos)
        out += "    " + line + "\n";
    }
    return out;
  }

  const char *child_;
  const ScratchDirectory scratch_{"specmv-gpu-faults"};
  int done_ = 0, wrong_ = 0, killed_ = 0;
  std::string seen_;
};

// --- In the child --------------------------------------------------------------------------------

// Returns the number of this trial, and limits its time.
inline std::string trialWithin(unsigned seconds) {
  alarm(seconds);
  const char *trial = std::getenv("SPECMV_FAULT_TRIAL");
  return trial ? trial : "";
}

// Reports to the parent.
inline void saw(const std::string &what) {
  std::printf("saw %s\n", what.c_str());
  std::fflush(stdout);
}

// Reports the status of a call to the parent and returns it.
inline specmvStatus_t saw(const char *call, specmvStatus_t status) {
  saw(std::string(call) + ": " + specmvStatusName(status) +
      (status == SPECMV_STATUS_SUCCESS ? "" : ": " + apitest::detail()));
  return status;
}

// A matrix of small integers, its vector x, and A x and the transpose times x.
struct TriedMatrix {
  CsrMatrix a;
  std::vector<double> x = wholes(a.cols, 5), xOfRows = wholes(a.rows, 3);
  std::vector<double> ax = hostProduct(a, a.val, x), atx = transposedProduct(a, xOfRows);

  explicit TriedMatrix(const std::string &spec) : a(wholeMatrix(spec.c_str())) {}

  static std::vector<double> transposedProduct(const CsrMatrix &a, const std::vector<double> &x) {
    std::vector<double> y(static_cast<size_t>(a.cols));
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
        y[a.col[e]] += a.val[e] * x[i];
    return y;
  }
  specmvStatus_t create(specmvPlan_t *plan, const specmvPlanOptions_t &options) const {
    specmvMatrix_t matrix = nullptr;
    specmvStatus_t status =
        specmvCreateCsr(&matrix, a.rows, a.cols, a.nnz(), a.rowPtr.data(), a.col.data(),
                        a.val.data(), SPECMV_INDEX_32I, SPECMV_R_64F);
    *plan = nullptr;
    if (status == SPECMV_STATUS_SUCCESS)
      status = specmvCreatePlan(plan, matrix, &options);
    specmvDestroyMatrix(matrix);
    return status;
  }
  // Computes y = A x with vectors on the host; y is complete on return.
  specmvStatus_t multiply(specmvPlan_t plan, std::vector<double> &y, void *stream = nullptr) const {
    const double one = 1, zero = 0;
    y.assign(ax.size(), -1);
    return specmvExecute(plan, &one, x.data(), &zero, y.data(), stream);
  }
  bool multipliesRight(specmvPlan_t plan) const {
    std::vector<double> y;
    return multiply(plan, y) == SPECMV_STATUS_SUCCESS && y == ax;
  }
  bool plansAndMultipliesRight(const specmvPlanOptions_t &options) const {
    specmvPlan_t plan = nullptr;
    return create(&plan, options) == SPECMV_STATUS_SUCCESS && multipliesRight(plan) &&
           specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS;
  }
};

} // namespace specmv::testing
