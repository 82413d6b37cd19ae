// Records the facts about a plan's set-up, for the report of the C API.
#pragma once

#include "models/base/json_text.h"
#include "runtime/plan/specialize.h"

#include <string>
#include <vector>

namespace specmv {

struct PlanFacts {
  std::string signature = {}; // "" if the matrix was not profiled
  std::optional<SparsityProfile> profile = {};
  Ranked ranked = {}; // has only what was considered
  Choice choice = {};
  SetupTimes setup = {};
  std::vector<std::string> warnings = {};
  Problem problem = {};
  SetupSize size = {};
  int64_t products = 0; // expected number; 0: unknown
  std::optional<int64_t> storedBytes = {};
  bool hasKernel = false; // false for library calls and the host's CSR
  bool isGeneral = false; // the kernel was its format's general one
  bool wasReady = false;  // the kernel was loaded already, in a pack or in the cache
  std::string compiler = {};
  bool isLibraryCall = false;
  std::string device = {}, arch = {}, whyHost = {};
  std::optional<GpuInfo> gpu = {}; // for the model, which is read for the report only
  MachineRequest where = {};
};

// Collects the facts; takes from `made` and the machine's cache what the products do not need.
PlanFacts factsOf(const DeviceCsr &a, Specialized &made, const Request &request, Machine &machine);

// Replaces the facts about what was built.
void addBuilt(PlanFacts &out, const Built &built);

// Writes a log sentence about the choice and its time.
std::string setupSentence(const PlanFacts &facts, const std::string &plan);
// Describes where the kernel came from.
std::string kernelSentence(const PlanFacts &facts);

// Returns fields of the report; `plan` is the plan as text. `learnedUs`: the time of its products,
// if the plan was found to be the fastest while the program multiplied.
JsonMembers factsJson(const PlanFacts &facts, const std::string &plan,
                      std::optional<double> learnedUs = {});

} // namespace specmv
