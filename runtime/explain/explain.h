// Explains in numbers why a plan was chosen, what is better, and what came second.
#pragma once

#include "generator/rank.h"
#include "models/predict/worth.h"
#include "runtime/choose/choose.h"
#include "runtime/plan/proposal.h"

#include <optional>
#include <string>
#include <vector>

namespace specmv {

// --- Explain -------------------------------------------------------------------------------------

// Explains in numbers why a plan was chosen: its stored bytes, the parts of its time, the next best
// format, the time of cuSPARSE, and when its set-up has paid. sentence.h turns the numbers into
// words.

// The time of a product by cuSPARSE's best format.
struct CusparseTime {
  enum class By : uint8_t {
    rates,    // predicted from measured rates
    estimate, // predicted from estimated rates
    measurement,
  };
  std::string format;
  double us = 0;
  By by = By::rates;
};

// The facts known about a choice.
struct ChoiceMade {
  llvm::ArrayRef<Candidate> candidates; // in ranking order; contains at least the choice
  Choice choice;                        // among them
  int64_t products = 0;                 // number weighed against set-ups; 0: not weighed
  SetupSize size;
  const Problem &problem;
  const GpuModel &gpu;
  // Null if an earlier choice was followed without a profile. Then the choice is the only
  // candidate, and its traffic is unknown.
  const SparsityProfile *profile = nullptr;
  std::optional<int64_t> storedBytes = {}; // counted when it was packed
  // Set if our product and cuSPARSE's were measured; otherwise they are predicted.
  double measuredUs = 0;
  std::optional<CusparseTime> cusparse = {};
};

// A reason why a plan takes longer than another.
enum class Cause : uint8_t { launch, stream, gather, wait, host, setup };

struct Loss {
  Cause cause;
  double us;
};

// The best plan of another format.
struct RunnerUp {
  Candidate candidate;
  double valuesPerEntry = 0; // as in Explanation
  // The reasons why it takes longer, the largest first. They are over all products and the set-up
  // if these were weighed, otherwise over one product.
  std::vector<Loss> losses = {};
  // The time that it takes longer by all of these and by what it saves elsewhere, and the part of
  // it that the time between launches hides; for as many products.
  double moreUs = 0, hiddenUs = 0;
};

struct Explanation {
  Candidate chosen;
  Choice choice;
  int64_t products = 0;
  bool isEmpty = false;                 // the matrix has no entries
  double ofCsrBytes = 0;                // bytes stored by the plan / bytes of CSR
  double valuesPerEntry = 0;            // stored values, padding included; 0: no padding
  std::optional<ProductTime> time = {}; // predicted
  double periodUs = 0;                  // the least time from launch to launch
  std::optional<RunnerUp> runnerUp = {};
  bool isAlone = false; // there was no plan of another format
  size_t ties = 1;      // plans whose predictions tie with the best one, including this plan
  // The number of passes of csr-vector's slowest thread, if the rows' lengths make csr-vector
  // slower.
  std::optional<int64_t> csrVectorPasses = {};
  // The coding with which the format would be faster, but by less than a coding must be
  // (kWorthCoding); "" if there is none.
  std::string codingOfLittleUse = {};
  double productUs = 0; // measured if cuSPARSE was, otherwise predicted
  std::optional<CusparseTime> cusparse = {};
  // Time before the first product: for a new matrix and for one whose choice is known, with all
  // kernels loaded; and for a new one whose kernels must all be compiled.
  double setupUs = 0, knownSetupUs = 0, compiledSetupUs = 0;
  // After this many products the set-up has paid: set-up and products take less time than as many
  // products of cuSPARSE's fastest format without its set-up. kNever if cuSPARSE is as fast, or
  // unknown.
  int64_t paysAfter = kNever, paysAfterKnown = kNever, paysAfterCompiling = kNever;
};

Explanation explain(const ChoiceMade &made);

// Predicts cuSPARSE's best format, even if it cannot run here. Assumes that its formats are as fast
// as measured, unlike when they compete with ours. nullopt if none has a plan.
std::optional<CusparseTime> predictedCusparse(const SparsityProfile &profile,
                                              const Problem &problem, const GpuModel &gpu);

// --- Better --------------------------------------------------------------------------------------

// Describes the better plan whose kernel is not available (Choice::better), in clauses of
// sentences.

// Names the plan that a fallback replaces, with the coding: "dia with values=diagonals,
// predicted 5.4 us,".
std::string replacedText(const BetterPlan &better);

// Says that the choice was made because its kernel is available, and what the other plan would
// take.
std::string atHandText(const Explanation &e);

// --- Runner up -----------------------------------------------------------------------------------

// The part of an explanation that compares the choice with the best plan of another format.

// Returns "; ell would take 4.69 us because ...", in which the times add up to the difference.
std::string runnerUpText(const Explanation &e);

// Describes the slowest thread; the number of passes is an estimate, rounded down.
std::string passesText(int64_t passes, int64_t others, const char *whose);

// Returns " with 1.32 values for each entry", or " without padding"; "" if that is not known.
std::string paddingText(double valuesPerEntry);

} // namespace specmv
