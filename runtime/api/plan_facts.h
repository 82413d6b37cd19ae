// What is known of a plan's set-up, and the report on it that the C API gives.
#pragma once

#include "models/base/json_text.h"
#include "runtime/specialize.h"

#include <string>
#include <vector>

namespace specmv {

// How the plan came to be.
enum class PlanOrigin : uint8_t {
  chosen,   // by a look at the matrix, or by what an earlier look chose
  followed, // it is that of a matrix with the same structure
  known,    // CSR as it is, since so few products do not pay for a look
};

struct PlanFacts {
  PlanOrigin origin = PlanOrigin::chosen;
  std::string signature = {}; // "" if nobody looked at the matrix
  std::optional<SparsityProfile> profile = {};
  Ranked ranked = {}; // what was not considered is not there
  Choice choice = {};
  SetupTimes setup = {};
  std::vector<std::string> warnings = {};
  Problem problem = {};
  SetupSize size = {};
  int64_t products = 0; // that were expected; 0: unknown
  std::optional<int64_t> storedBytes = {};
  bool hasKernel = false; // else it is a call of a library, or the host's CSR
  bool isGeneral = false; // it was the general one of its format
  bool wasReady = false;  // the kernel was loaded already, in a pack or in the cache
  std::string compiler = {};
  bool isLibraryCall = false;
  std::string device = {}, arch = {}, whyHost = {};
  std::optional<GpuInfo> gpu = {}; // for the model, which is read when the report is asked for
  MachineRequest where = {};
};

// Takes what `made` and the machine's cache have and the products do not need. Only the sizes of
// `a` are read.
PlanFacts factsOf(const CsrView &a, Specialized &made, const Request &request, Machine &machine);
// The same for a plan that was built without a choice.
PlanFacts factsOf(const CsrView &a, const Built &built, PlanOrigin origin, const Request &request,
                  Machine &machine);

// A sentence on what was chosen and what that took, for a log.
std::string setupSentence(const PlanFacts &facts, const std::string &plan);
// Where the kernel came from.
std::string kernelSentence(const PlanFacts &facts);

// Fields of the report, which `plan` names as text.
JsonMembers factsJson(const PlanFacts &facts, const std::string &plan);

} // namespace specmv
