// Runs the tool as a user's shell does and splits its results: status, standard output, messages
// and JSON.
#pragma once

#include "generator/formats.h"
#include "models/base/own_environment.h"
#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>
#include <llvm/Support/JSON.h>

#include <functional>
#include <string>
#include <vector>

namespace tooltest {

using Strings = std::vector<std::string>;

struct Outcome {
  int status; // 128 + the signal if one ended it
  std::string out;
  std::string err;
};

struct Setting {
  Strings environment; // NAME=value, or NAME to unset it
  std::string out;     // where standard output goes; empty: into the Outcome
};

// Runs a program with the environment of this one, except that the cache is a scratch directory and
// that there is no GPU.
Outcome runProgram(const std::string &program, const Strings &arguments,
                   const Setting &setting = {});
Outcome tool(const Strings &arguments, const Setting &setting = {});

// Returns the setting with the fake driver and the fake of the newest cuSPARSE. Kernels do nothing
// there, so that only calls of cuSPARSE are right.
Setting onFakeGpu(const Strings &more = {});

// Runs the tool on a terminal for both standard output and standard error: out has both. Calls
// `whenShown` once when `awaited` was shown.
Outcome toolOnTerminal(const Strings &arguments, const Setting &setting = {},
                       const std::string &awaited = {},
                       const std::function<void()> &whenShown = {});

// Adds arguments that request a format to `call`. For HYB it fixes K, since HYB is ELL if no row is
// longer than K.
Strings withFormat(Strings call, const std::string &format);

// Returns the output of emit with these arguments after the matrix; it must succeed and report
// nothing.
Outcome emitted(const std::string &matrix, const Strings &more = {});

// Returns a source without its leading comments, which state its origin and differ from call to
// call.
std::string withoutHeader(const std::string &source);

// A scratch directory for all tests of this program, and paths in it.
std::string scratch(const std::string &name);

// Writes a file of that name with this text to the scratch directory and returns its path.
std::string fileOf(const std::string &name, const std::string &bytes);

Strings linesOf(const std::string &text);
// Parses the lines of JSON.
std::vector<llvm::json::Object> objectsOf(const std::string &text);

// Returns the number of lines that are messages of this kind ("error", ...). Every other line of
// err must belong to a file error, as its quoted line or its caret; any other line fails the test.
int messages(const Outcome &outcome, const std::string &kind);

// Checks the status, exactly one error message, and no standard output.
void checkRefusal(const Outcome &outcome, int status);

// Returns standard output as the one JSON document that it must be.
llvm::json::Value document(const Outcome &outcome);

// Returns the result of analyze --json with these arguments, which must succeed.
llvm::json::Value analyzed(const Strings &arguments);

// Returns the value at a path such as "profile.pmf"; null if there is none.
const llvm::json::Value *find(const llvm::json::Value &root, const std::string &path);
double number(const llvm::json::Value &root, const std::string &path);
std::string text(const llvm::json::Value &root, const std::string &path);
bool flag(const llvm::json::Value &root, const std::string &path);
const llvm::json::Array &array(const llvm::json::Value &root, const std::string &path);

// Returns true if kernels can be compiled here, and reports why not in the words that ctest looks
// for.
bool compiles();

// The toolkit's nvcc; "" if there is none.
inline std::string nvcc() {
  for (const std::string &home :
       {specmv::environment("SPECMV_CUDA_HOME"), specmv::environment("CUDAToolkit_ROOT"),
        std::string("/usr/local/cuda")})
    if (!home.empty() && std::filesystem::exists(home + "/bin/nvcc"))
      return home + "/bin/nvcc";
  return "";
}

// Returns all formats with our own kernels, in the order of their table.
inline Strings formatsWithKernels() {
  Strings names;
  for (const specmv::Format &format : specmv::formats())
    if (!format.library)
      names.emplace_back(format.name);
  return names;
}

} // namespace tooltest
