// Why a plan was chosen, in numbers: what it stores, what its time is spent on, which format comes
// next, what cuSPARSE would take, and when its set-up has paid. sentence.h says it in words.
#pragma once

#include "generator/rank.h"
#include "models/predict/worth.h"
#include "runtime/choose/choose.h"

#include <optional>
#include <string>
#include <vector>

namespace specmv {

// A product of the best of cuSPARSE.
struct CusparseTime {
  enum class By : uint8_t {
    rates,    // predicted from rates that were measured
    estimate, // predicted from rates that nobody measured
    measurement,
  };
  std::string format;
  double us = 0;
  By by = By::rates;
};

// What is known of a choice.
struct ChoiceMade {
  llvm::ArrayRef<Candidate> candidates; // at least the choice; in the order of the ranking
  Choice choice;                        // of them
  int64_t products = 0;                 // for which set-ups were weighed; 0: they were not
  SetupSize size;
  const Problem &problem;
  const GpuModel &gpu;
  // Null if an earlier choice was followed without one. Nothing is known then of the traffic of the
  // choice, which is the only candidate.
  const SparsityProfile *profile = nullptr;
  std::optional<int64_t> storedBytes = {}; // that were counted when it was packed
  // If a product of ours and cuSPARSE's were measured; else they are predicted.
  double measuredUs = 0;
  std::optional<CusparseTime> cusparse = {};
};

// What makes a plan take longer than another.
enum class Cause : uint8_t { launch, stream, gather, wait, host, setup };

struct Loss {
  Cause cause;
  double us;
};

// The best plan of another format.
struct RunnerUp {
  Candidate candidate;
  double valuesPerEntry = 0; // as below
  // In what it takes longer, the most first: over all products and with the set-up if these were
  // weighed, else over one product.
  std::vector<Loss> losses = {};
};

struct Explanation {
  Candidate chosen;
  Choice choice;
  int64_t products = 0;
  double ofCsrBytes = 0;     // the bytes that the plan stores, in times of CSR's
  double valuesPerEntry = 0; // that it stores, padding included; 0 if its format does not pad
  std::optional<ProductTime> time = {}; // as predicted
  std::optional<RunnerUp> runnerUp = {};
  bool isAlone = false; // no plan of another format was there to choose
  size_t ties = 1;      // plans whose predictions tie with the best one, this one included
  // Passes of the slowest thread of csr-vector, if the rows' lengths make csr-vector slower.
  std::optional<int64_t> csrVectorPasses = {};
  double productUs = 0; // measured if cuSPARSE was, else predicted
  std::optional<CusparseTime> cusparse = {};
  // Before the first product: with all kernels loaded, of a new matrix and of one whose choice is
  // known; and of a new one with all kernels to be compiled.
  double setupUs = 0, knownSetupUs = 0, compiledSetupUs = 0;
  // After so many products these have paid: they and the products take less time than as many of
  // cuSPARSE's fastest, whose own set-up counts nothing. kNever if that is as fast, or not known.
  int64_t paysAfter = kNever, paysAfterKnown = kNever, paysAfterCompiling = kNever;
};

Explanation explain(const ChoiceMade &made);

// The best of cuSPARSE as predicted, also where it cannot run. Its formats are taken to be as fast
// as measured: when they compete with ours they are not. nullopt if none has a plan.
std::optional<CusparseTime> predictedCusparse(const SparsityProfile &profile,
                                              const Problem &problem, const GpuModel &gpu);

} // namespace specmv
