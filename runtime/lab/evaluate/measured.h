// Plans that are timed on a GPU: which, how, and with the profile of their matrix.
#pragma once

#include "generator/rank.h"
#include "models/csr.h"
#include "models/plan.h"
#include "models/profile/profile.h"
#include "runtime/build.h"
#include "runtime/lab/bench/setup_time.h"
#include "runtime/plan/candidates.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace specmv {

// --- Measured ------------------------------------------------------------------------------------

// Describes plans that were timed on a GPU, with the profile of their matrix; time models are
// compared with them.

struct MeasuredPlan {
  Plan plan;
  double us = 0;       // one product, warm, by launches one after another
  double usReplay = 0; // by replays of a CUDA graph; 0: not timed
  double usMean = 0;   // as the strips and statistics papers time; 0: not timed
};

// The measurements of one matrix in one type.
struct Measured {
  std::string matrix;
  ValueType type = ValueType::f64;
  SparsityProfile profile = {};
  std::vector<MeasuredPlan> plans = {};
  double profileUs = 0;  // time of the profile; 0: not measured
  double decisionUs = 0; // pricing and ranking all plans on one core, given the profile
};

// Returns the group of matrices to leave out together when a model is fitted to the others: the
// family of a SPEC; a file is a family of its own.
std::string familyOf(const std::string &matrix);

// Returns true if no fit may use the matrix, since its family shows what the models say of matrices
// of an unknown kind. Without the keys of a SPEC, the name of a file may be taken for a family.
bool isKeptFromFits(const Measured &measured);

// Says how many of these measurements a fit leaves out for that reason, and which families they are
// of; empty if there are none.
std::string keptFromFits(llvm::ArrayRef<Measured> all);

// Returns true if a plan has no price: it depends on counts of columns, which no record has.
bool lacksCounts(const Measured &measured, const Plan &plan);

// Returns true if plans of at least four of our formats were timed: fewer say little about choices.
// On a paper's benchmark matrix only the formats of that paper are timed, often only one.
bool hasManyFormats(const Measured &measured);

// Returns the plans that were timed by replays, with these times in place of those by launches.
Measured replaysOf(const Measured &measured);

// Returns the least time of all plans; 0 if there is none.
double fastestUs(const Measured &measured);

// Assumes 32-bit indices.
int64_t csrBytesOf(const Measured &measured);

// --- Timed plan ----------------------------------------------------------------------------------

// Times one plan of a matrix that is on the GPU.

struct TimedPlan {
  double us = 0;       // one product, warm, by launches one after another; 0: not built, or wrong
  double usReplay = 0; // by replays of a CUDA graph; 0: not timed so, as where CSR is beyond L2
  double usMean = 0;   // as the strips and statistics papers time; 0: not timed so
  BuildTimes ms = {};
  bool isWrong = false;
  std::string why = {}; // why there is no time; empty if there is one
};

// Checks one product of the bed and times it. `fastestUs` is the least time of another one, 0 for
// none: much slower products are timed with a few runs only.
llvm::Expected<TimedPlan> timeProduct(const SetupBed &bed,
                                      const std::function<llvm::Error(StreamHandle)> &productOn,
                                      double fastestUs, bool timesMean = false);

// Builds the plan from the bed's arrays, checks one product and times it. Plans that the host packs
// share the copy of `a`, which is the bed's source.
llvm::Expected<TimedPlan> timePlan(const SetupBed &bed, const SourceMatrix &a, const Plan &plan,
                                   const Problem &problem, Machine &machine, double fastestUs,
                                   bool timesMean = false);

// --- Plans to time -------------------------------------------------------------------------------

// The plans that a sweep times: the best few of each format, and in place of one that cannot be
// made, the next of its format.

class PlansToTime {
public:
  // The candidates are the best first; mostOfAFormat = 0 takes all.
  PlansToTime(llvm::ArrayRef<Candidate> candidates, size_t mostOfAFormat);

  // Returns them in the order of their predictions, so that plans that are much too slow come after
  // a fast one and are timed briefly.
  llvm::ArrayRef<Plan> plans() const { return taken_; }

  // Adds the best plan of the format that is not among them yet, if there is one.
  void addOneMore(const std::string &format);

private:
  std::vector<Plan> taken_, others_;
};

// --- Sweep ---------------------------------------------------------------------------------------

// Times the plans of a matrix on the GPU, as many of each format as requested.

struct SweepOptions {
  size_t mostOfAFormat = 3; // the best predicted ones; 0: all
  bool timesMean = false;   // also as the strips and statistics papers time
};

struct Sweep {
  Measured measured;
  Ranked ranked;                      // the plans, and why a format has none
  std::vector<std::string> left = {}; // plans that could not be built or gave a wrong product
  bool isWrong = false;               // a product was wrong
};

// Checks each product. The matrix is uploaded and profiled once. The request's formats are those to
// measure; none means all that may be chosen.
llvm::Expected<Sweep> sweep(const CsrView &a, const Request &request, Machine &machine,
                            const SweepOptions &options);

} // namespace specmv
