// The command line of the tool: verbs and options as plain values.
#pragma once

#include "generator/format.h"
#include "models/predict/strips/strips.h"
#include "runtime/cli/option_values.h"
#include "runtime/lab/bench/setup_time.h"
#include "runtime/lab/calibrate/work.h"
#include "runtime/machine.h"
#include "runtime/plan/request.h"

#include <optional>
#include <string>
#include <vector>

namespace specmv::cli {

struct Options {
  std::string help = {}; // the help to print; if set, nothing else is done
  std::string call = {}; // quoted for a shell
  std::string verb = {};
  std::vector<std::string> arguments; // matrices; for generate NAME key=value ...
  std::vector<std::string> given;     // names of the options in the call
  std::vector<std::string> formats;
  std::vector<ValueType> types{ValueType::f64};
  Fixed fixed;
  // A coding of values or kAnyCoding, "" for plain ones, by --set values=; an order of rows and
  // columns or kAnyOrder, "" for that of the matrix, by --set order=. nullopt: choosesAsLibrary().
  std::optional<std::string> values, order;
  std::optional<Plan> plan;   // --plan
  std::optional<Rigor> rigor; // --rigor; nullopt: an estimate
  MachineRequest machine;
  bool json = false, quiet = false, why = false, all = false, ptx = false, list = false,
       betaIsZero = false;
  bool transpose = false;
  bool standard = false, setup = false, leftOut = false, standalone = false, keep = false;
  std::vector<std::string> states; // --states; empty: all
  std::optional<Side> from;        // --from; nullopt: from both sides
  bool startNow = false;           // --start now
  int64_t products = 0;            // expected number; 0: unknown
  std::vector<int64_t> vectors{1}; // --vectors; pregen takes several numbers, other verbs one
  std::vector<std::vector<KernelOption>> with; // --with, an element per use
  int64_t hostProducts = 100;
  std::string output;                        // -o
  std::string signature;                     // --signature
  std::string cubin;                         // --cubin
  std::string coverage;                      // --coverage
  std::string suite;                         // --suite
  std::string resume;                        // --resume
  std::string measured;                      // --measured
  std::string size;                          // --size
  StripsReading reading;                     // --reading and --law
  PapersGrid papersGrid = PapersGrid::lines; // --papers
  WorkPart part;                             // --part
};

// Returns the value of --rigor for this rigor.
const char *nameOf(Rigor rigor);

// Returns an option of the call beside these, as it is spelled; "" if there is none. A verb that
// reads measurements has no use for options that say how to measure.
std::string optionBeside(const Options &options, llvm::ArrayRef<llvm::StringRef> used);

// Returns true if the verb chooses plans as the library does with its default options, so that it
// shows or makes what a program gets. The others compare formats, also with those of cuSPARSE: they
// measure plain values in the order of the matrix, so that all formats store the same.
bool choosesAsLibrary(const Options &options);

// Parses argv; a bad call is an error with Status::badCall. --version ends the process.
llvm::Expected<Options> parseOptions(int argc, const char *const *argv);

} // namespace specmv::cli
